// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class EntryMetadata extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("count", "nextCursor");

    /** Wraps a decoded object. */
    public EntryMetadata(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Records on this page. */
    public long count() {
        return required("count", JsonObject::integer);
    }

    /** Absent on the last page. */
    public Optional<String> nextCursor() {
        return optional("nextCursor", JsonObject::text);
    }
}
