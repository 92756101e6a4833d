// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class WebhookEventType {
    private WebhookEventType() {}

    /** server.listed */
    public static final String SERVER_LISTED = "server.listed";

    /** server.updated */
    public static final String SERVER_UPDATED = "server.updated";

    /** server.version */
    public static final String SERVER_VERSION = "server.version";

    /** server.score_changed */
    public static final String SERVER_SCORE_CHANGED = "server.score_changed";

    /** server.deprecated */
    public static final String SERVER_DEPRECATED = "server.deprecated";

    /** server.archived */
    public static final String SERVER_ARCHIVED = "server.archived";

    /** server.gone */
    public static final String SERVER_GONE = "server.gone";

    /** server.advisory */
    public static final String SERVER_ADVISORY = "server.advisory";

    /** server.tools_changed */
    public static final String SERVER_TOOLS_CHANGED = "server.tools_changed";
}
