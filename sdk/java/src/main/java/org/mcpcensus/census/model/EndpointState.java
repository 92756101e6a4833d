// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class EndpointState {
    private EndpointState() {}

    /** alive_open */
    public static final String ALIVE_OPEN = "alive_open";

    /** alive_gated */
    public static final String ALIVE_GATED = "alive_gated";

    /** gated_undocumented */
    public static final String GATED_UNDOCUMENTED = "gated_undocumented";

    /** wrong_transport */
    public static final String WRONG_TRANSPORT = "wrong_transport";

    /** not_mcp */
    public static final String NOT_MCP = "not_mcp";

    /** paid */
    public static final String PAID = "paid";

    /** refused */
    public static final String REFUSED = "refused";

    /** unreachable */
    public static final String UNREACHABLE = "unreachable";

    /** unknown */
    public static final String UNKNOWN = "unknown";
}
