// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookEndpointLinks extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("self", "deliveries");

    /** Wraps a decoded object. */
    public WebhookEndpointLinks(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member self. */
    public String self() {
        return required("self", JsonObject::text);
    }

    /** Returns the member deliveries. */
    public String deliveries() {
        return required("deliveries", JsonObject::text);
    }
}
