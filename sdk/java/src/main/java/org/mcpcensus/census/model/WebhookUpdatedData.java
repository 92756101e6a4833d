// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.updated`. */
public final class WebhookUpdatedData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "changed");

    /** Wraps a decoded object. */
    public WebhookUpdatedData(Map<String, Object> members) {
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

    /** Names of the changed members. */
    public List<String> changed() {
        return required("changed", list(JsonObject::text));
    }
}
