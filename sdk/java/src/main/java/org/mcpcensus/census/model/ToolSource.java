// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ToolSource {
    private ToolSource() {}

    /** probe */
    public static final String PROBE = "probe";

    /** run */
    public static final String RUN = "run";

    /** manifest */
    public static final String MANIFEST = "manifest";

    /** source */
    public static final String SOURCE = "source";

    /** readme */
    public static final String README = "readme";
}
