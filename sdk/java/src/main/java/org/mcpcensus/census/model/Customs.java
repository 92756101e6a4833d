// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Customs extends JsonObject {
    /** Wraps a decoded object. */
    public Customs(Map<String, Object> members) {
        super(members);
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
