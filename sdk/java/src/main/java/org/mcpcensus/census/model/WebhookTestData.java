// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `webhook.test`. */
public final class WebhookTestData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("message");

    /** Wraps a decoded object. */
    public WebhookTestData(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member message. */
    public String message() {
        return required("message", JsonObject::text);
    }
}
