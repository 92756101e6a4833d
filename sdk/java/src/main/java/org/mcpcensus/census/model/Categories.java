// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Categories extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("categories", "total");

    /** Wraps a decoded object. */
    public Categories(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member categories. */
    public List<CategoryCount> categories() {
        return required("categories", list(object(CategoryCount::new)));
    }

    /** Number of listed servers. */
    public long total() {
        return required("total", JsonObject::integer);
    }
}
