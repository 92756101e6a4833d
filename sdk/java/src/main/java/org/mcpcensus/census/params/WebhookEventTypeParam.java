// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum WebhookEventTypeParam {
    /** server.listed */
    SERVER_LISTED("server.listed"),

    /** server.updated */
    SERVER_UPDATED("server.updated"),

    /** server.version */
    SERVER_VERSION("server.version"),

    /** server.score_changed */
    SERVER_SCORE_CHANGED("server.score_changed"),

    /** server.deprecated */
    SERVER_DEPRECATED("server.deprecated"),

    /** server.archived */
    SERVER_ARCHIVED("server.archived"),

    /** server.gone */
    SERVER_GONE("server.gone"),

    /** server.advisory */
    SERVER_ADVISORY("server.advisory"),

    /** server.tools_changed */
    SERVER_TOOLS_CHANGED("server.tools_changed");

    private final String value;

    WebhookEventTypeParam(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
