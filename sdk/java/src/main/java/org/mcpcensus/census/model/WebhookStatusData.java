// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.deprecated` and `server.archived`. */
public final class WebhookStatusData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "message", "successorUrl");

    /** Wraps a decoded object. */
    public WebhookStatusData(Map<String, Object> members) {
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

    /** Message from the owner; absent if there is none. */
    public Optional<String> message() {
        return optional("message", JsonObject::text);
    }

    /** URL of the repository that replaces it; absent if unknown. */
    public Optional<String> successorUrl() {
        return optional("successorUrl", JsonObject::text);
    }
}
