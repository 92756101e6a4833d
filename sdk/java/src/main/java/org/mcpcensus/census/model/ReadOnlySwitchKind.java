// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** The last three are of endpoints: a parameter, the end of the path, a header. */
public final class ReadOnlySwitchKind {
    private ReadOnlySwitchKind() {}

    /** flag */
    public static final String FLAG = "flag";

    /** variable */
    public static final String VARIABLE = "variable";

    /** argument */
    public static final String ARGUMENT = "argument";

    /** query */
    public static final String QUERY = "query";

    /** path */
    public static final String PATH = "path";

    /** header */
    public static final String HEADER = "header";
}
