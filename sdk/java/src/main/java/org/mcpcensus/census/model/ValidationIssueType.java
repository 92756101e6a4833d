// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * Against what: JSON, the JSON schema, the rules of the official registry, or the rules about
 * clients.
 */
public final class ValidationIssueType {
    private ValidationIssueType() {}

    /** json */
    public static final String JSON = "json";

    /** schema */
    public static final String SCHEMA = "schema";

    /** semantic */
    public static final String SEMANTIC = "semantic";

    /** linter */
    public static final String LINTER = "linter";
}
