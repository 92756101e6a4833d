// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Number of results by value. Null if not requested. */
public final class Facets extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("category", "sdk", "license", "transport", "effect", "grade");

    /** Wraps a decoded object. */
    public Facets(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member category. */
    public Map<String, Long> category() {
        return required("category", map(JsonObject::integer));
    }

    /** Returns the member sdk. */
    public Map<String, Long> sdk() {
        return required("sdk", map(JsonObject::integer));
    }

    /** Returns the member license. */
    public Map<String, Long> license() {
        return required("license", map(JsonObject::integer));
    }

    /** Returns the member transport. */
    public Map<String, Long> transport() {
        return required("transport", map(JsonObject::integer));
    }

    /** Returns the member effect. */
    public Map<String, Long> effect() {
        return required("effect", map(JsonObject::integer));
    }

    /** Returns the member grade. */
    public Map<String, Long> grade() {
        return required("grade", map(JsonObject::integer));
    }
}
