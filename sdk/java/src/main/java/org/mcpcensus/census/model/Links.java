// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** URLs relative to the base URL. */
public final class Links extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("self", "html", "health", "badge");

    /** Wraps a decoded object. */
    public Links(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** The complete record. */
    public String self() {
        return required("self", JsonObject::text);
    }

    /** Returns the member html. */
    public String html() {
        return required("html", JsonObject::text);
    }

    /** Returns the member health. */
    public String health() {
        return required("health", JsonObject::text);
    }

    /** Returns the member badge. */
    public String badge() {
        return required("badge", JsonObject::text);
    }
}
