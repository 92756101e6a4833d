// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Source extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "firstSeenAt", "lastSeenAt");

    /** Wraps a decoded object. */
    public Source(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member firstSeenAt. */
    public Optional<Instant> firstSeenAt() {
        return optional("firstSeenAt", JsonObject::instant);
    }

    /** Returns the member lastSeenAt. */
    public Optional<Instant> lastSeenAt() {
        return optional("lastSeenAt", JsonObject::instant);
    }
}
