// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ReadOnlySwitchKind {
    private ReadOnlySwitchKind() {}

    /** flag */
    public static final String FLAG = "flag";

    /** variable */
    public static final String VARIABLE = "variable";

    /** argument */
    public static final String ARGUMENT = "argument";
}
