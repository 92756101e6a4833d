// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * Violated rules: JSON syntax, the JSON schema, the official registry's requirements, or known
 * problems with clients.
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
