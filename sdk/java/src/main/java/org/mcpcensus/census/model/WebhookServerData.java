// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.listed` and `server.gone`. */
public final class WebhookServerData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server");

    /** Wraps a decoded object. */
    public WebhookServerData(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member server. */
    public WebhookServer server() {
        return required("server", object(WebhookServer::new));
    }
}
