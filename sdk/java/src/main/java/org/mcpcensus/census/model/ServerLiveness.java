// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * Best state of any remote: alive (responds without a login), gated (requires a login,
 * credentials or a payment), down, or unknown. Null if the server has no remotes.
 */
public final class ServerLiveness {
    private ServerLiveness() {}

    /** alive */
    public static final String ALIVE = "alive";

    /** gated */
    public static final String GATED = "gated";

    /** down */
    public static final String DOWN = "down";

    /** unknown */
    public static final String UNKNOWN = "unknown";
}
