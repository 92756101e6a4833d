// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ChangePage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("changes", "next", "hasMore");

    /** Wraps a decoded object. */
    public ChangePage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** In the order of the changes. */
    public List<ServerChange> changes() {
        return required("changes", list(object(ServerChange::new)));
    }

    /** The value of `after` that continues here. */
    public long next() {
        return required("next", JsonObject::integer);
    }

    /** Returns the member hasMore. */
    public boolean hasMore() {
        return required("hasMore", JsonObject::bool);
    }
}
