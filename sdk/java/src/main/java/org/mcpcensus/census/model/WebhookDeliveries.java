// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookDeliveries extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("deliveries", "before");

    /** Wraps a decoded object. */
    public WebhookDeliveries(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member deliveries. */
    public List<WebhookDelivery> deliveries() {
        return required("deliveries", list(object(WebhookDelivery::new)));
    }

    /** Value of `before` for the next page; null on the last page. */
    public OptionalLong before() {
        return optionalLong("before", JsonObject::integer);
    }
}
