// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class RecordChangePage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("changes", "next", "hasMore");

    /** Wraps a decoded object. */
    public RecordChangePage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Servers, in the order of their last changes. */
    public List<RecordChange> changes() {
        return required("changes", list(object(RecordChange::new)));
    }

    /** Value of `after` for the next request. */
    public long next() {
        return required("next", JsonObject::integer);
    }

    /** Returns the member hasMore. */
    public boolean hasMore() {
        return required("hasMore", JsonObject::bool);
    }
}
