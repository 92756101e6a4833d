// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class AnalyticsPeriodInterval {
    private AnalyticsPeriodInterval() {}

    /** day */
    public static final String DAY = "day";

    /** week */
    public static final String WEEK = "week";
}
