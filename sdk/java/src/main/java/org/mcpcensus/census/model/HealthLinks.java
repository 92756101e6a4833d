// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class HealthLinks extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("self", "history", "badge", "html");

    /** Wraps a decoded object. */
    public HealthLinks(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member self. */
    public Optional<String> self() {
        return optional("self", JsonObject::text);
    }

    /** Returns the member history. */
    public Optional<String> history() {
        return optional("history", JsonObject::text);
    }

    /** Returns the member badge. */
    public Optional<String> badge() {
        return optional("badge", JsonObject::text);
    }

    /** Returns the member html. */
    public Optional<String> html() {
        return optional("html", JsonObject::text);
    }
}
