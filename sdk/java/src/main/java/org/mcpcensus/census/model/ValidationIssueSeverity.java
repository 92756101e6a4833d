// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ValidationIssueSeverity {
    private ValidationIssueSeverity() {}

    /** error */
    public static final String ERROR = "error";

    /** warning */
    public static final String WARNING = "warning";

    /** info */
    public static final String INFO = "info";
}
