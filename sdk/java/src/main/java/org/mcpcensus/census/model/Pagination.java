// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Pagination extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("total", "limit", "offset", "hasMore", "nextOffset", "nextCursor");

    /** Wraps a decoded object. */
    public Pagination(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member total. */
    public long total() {
        return required("total", JsonObject::integer);
    }

    /** Returns the member limit. */
    public long limit() {
        return required("limit", JsonObject::integer);
    }

    /** Returns the member offset. */
    public long offset() {
        return required("offset", JsonObject::integer);
    }

    /** Returns the member hasMore. */
    public boolean hasMore() {
        return required("hasMore", JsonObject::bool);
    }

    /** Returns the member nextOffset. */
    public OptionalLong nextOffset() {
        return optionalLong("nextOffset", JsonObject::integer);
    }

    /** Returns the member nextCursor. */
    public Optional<String> nextCursor() {
        return optional("nextCursor", JsonObject::text);
    }
}
