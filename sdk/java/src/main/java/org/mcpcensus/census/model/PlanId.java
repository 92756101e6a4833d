// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class PlanId {
    private PlanId() {}

    /** basic */
    public static final String BASIC = "basic";

    /** professional */
    public static final String PROFESSIONAL = "professional";

    /** enterprise */
    public static final String ENTERPRISE = "enterprise";
}
