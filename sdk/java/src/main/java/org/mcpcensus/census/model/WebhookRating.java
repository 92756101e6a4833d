// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookRating extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("score", "grade");

    /** Wraps a decoded object. */
    public WebhookRating(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member score. */
    public long score() {
        return required("score", JsonObject::integer);
    }

    /** Returns the member grade. */
    public String grade() {
        return required("grade", JsonObject::text);
    }
}
