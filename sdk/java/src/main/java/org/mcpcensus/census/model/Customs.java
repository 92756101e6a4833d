// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Customs extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("customs", "count", "max");

    /** Wraps a decoded object. */
    public Customs(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member customs. */
    public List<Custom> customs() {
        return required("customs", list(object(Custom::new)));
    }

    /** Returns the member count. */
    public long count() {
        return required("count", JsonObject::integer);
    }

    /** Returns the member max. */
    public long max() {
        return required("max", JsonObject::integer);
    }
}
