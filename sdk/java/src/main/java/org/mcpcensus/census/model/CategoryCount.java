// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class CategoryCount extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "description", "count");

    /** Wraps a decoded object. */
    public CategoryCount(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member description. */
    public String description() {
        return required("description", JsonObject::text);
    }

    /** Returns the member count. */
    public long count() {
        return required("count", JsonObject::integer);
    }
}
