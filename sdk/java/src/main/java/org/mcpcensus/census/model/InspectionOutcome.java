// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class InspectionOutcome {
    private InspectionOutcome() {}

    /** listed */
    public static final String LISTED = "listed";

    /** needs_credentials */
    public static final String NEEDS_CREDENTIALS = "needs_credentials";

    /** needs_service */
    public static final String NEEDS_SERVICE = "needs_service";

    /** crashed */
    public static final String CRASHED = "crashed";

    /** timeout */
    public static final String TIMEOUT = "timeout";

    /** no_stdio */
    public static final String NO_STDIO = "no_stdio";

    /** install_failed */
    public static final String INSTALL_FAILED = "install_failed";
}
