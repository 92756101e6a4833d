// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class EntryLinks extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("html", "health", "readme");

    /** Wraps a decoded object. */
    public EntryLinks(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member html. */
    public String html() {
        return required("html", JsonObject::text);
    }

    /** Returns the member health. */
    public String health() {
        return required("health", JsonObject::text);
    }

    /** Returns the member readme. */
    public Optional<String> readme() {
        return optional("readme", JsonObject::text);
    }
}
