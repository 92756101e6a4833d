// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class Transport {
    private Transport() {}

    /** stdio */
    public static final String STDIO = "stdio";

    /** streamable-http */
    public static final String STREAMABLE_HTTP = "streamable-http";

    /** sse */
    public static final String SSE = "sse";
}
