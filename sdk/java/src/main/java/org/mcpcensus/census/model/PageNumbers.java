// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class PageNumbers extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("page", "limit", "total", "totalPages", "hasNext", "hasPrev", "nextCursor");

    /** Wraps a decoded object. */
    public PageNumbers(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Page number. With a cursor, the page that contains the first returned entry. */
    public long page() {
        return required("page", JsonObject::integer);
    }

    /** Returns the member limit. */
    public long limit() {
        return required("limit", JsonObject::integer);
    }

    /** Exact number of results. */
    public long total() {
        return required("total", JsonObject::integer);
    }

    /** Number of pages that can be requested. With a search text, results end at the 10,000th. */
    public long totalPages() {
        return required("totalPages", JsonObject::integer);
    }

    /** Returns the member hasNext. */
    public boolean hasNext() {
        return required("hasNext", JsonObject::bool);
    }

    /** Returns the member hasPrev. */
    public boolean hasPrev() {
        return required("hasPrev", JsonObject::bool);
    }

    /** Returns the member nextCursor. */
    public Optional<String> nextCursor() {
        return optional("nextCursor", JsonObject::text);
    }
}
