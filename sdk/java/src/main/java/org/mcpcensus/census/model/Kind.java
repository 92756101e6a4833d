// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * What a repository contains. server, or proxy for a server that passes on to other servers.
 * Others are not listed: framework for writing servers, template or generator of servers,
 * client or tool for servers, library for other programs, list of servers, course (also
 * documentation and examples).
 */
public final class Kind {
    private Kind() {}

    /** server */
    public static final String SERVER = "server";

    /** proxy */
    public static final String PROXY = "proxy";

    /** framework */
    public static final String FRAMEWORK = "framework";

    /** template */
    public static final String TEMPLATE = "template";

    /** client */
    public static final String CLIENT = "client";

    /** library */
    public static final String LIBRARY = "library";

    /** list */
    public static final String LIST = "list";

    /** course */
    public static final String COURSE = "course";
}
