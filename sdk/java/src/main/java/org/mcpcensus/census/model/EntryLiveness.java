// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class EntryLiveness extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("state", "checkedAt");

    /** Wraps a decoded object. */
    public EntryLiveness(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member state. */
    public String state() {
        return required("state", JsonObject::text);
    }

    /** Returns the member checkedAt. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }
}
