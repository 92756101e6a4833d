// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookEndpoints extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("webhooks", "count", "max");

    /** Wraps a decoded object. */
    public WebhookEndpoints(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member webhooks. */
    public List<WebhookEndpoint> webhooks() {
        return required("webhooks", list(object(WebhookEndpoint::new)));
    }

    /** Returns the member count. */
    public long count() {
        return required("count", JsonObject::integer);
    }

    /** Maximum number of endpoints of the plan. Newer endpoints beyond it receive nothing. */
    public long max() {
        return required("max", JsonObject::integer);
    }
}
