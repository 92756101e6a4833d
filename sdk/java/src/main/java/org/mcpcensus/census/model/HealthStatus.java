// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class HealthStatus {
    private HealthStatus() {}

    /** scored */
    public static final String SCORED = "scored";

    /** insufficient_data */
    public static final String INSUFFICIENT_DATA = "insufficient_data";

    /** gone */
    public static final String GONE = "gone";

    /** empty */
    public static final String EMPTY = "empty";

    /** blocked */
    public static final String BLOCKED = "blocked";
}
