// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class Confidence {
    private Confidence() {}

    /** high */
    public static final String HIGH = "high";

    /** medium */
    public static final String MEDIUM = "medium";

    /** low */
    public static final String LOW = "low";
}
