// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
 * send something (`write`), change, overwrite or delete something that exists (`destructive`,
 * as in MCP), or run commands or code of its caller.
 */
public final class Effect {
    private Effect() {}

    /** unknown */
    public static final String UNKNOWN = "unknown";

    /** read */
    public static final String READ = "read";

    /** write */
    public static final String WRITE = "write";

    /** destructive */
    public static final String DESTRUCTIVE = "destructive";

    /** execute */
    public static final String EXECUTE = "execute";
}
