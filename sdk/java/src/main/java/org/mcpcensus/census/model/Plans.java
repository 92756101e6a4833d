// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Plans extends JsonObject {
    /** Wraps a decoded object. */
    public Plans(Map<String, Object> members) {
        super(members);
    }

    /** Returns the member plans. */
    public List<Plan> plans() {
        return required("plans", list(object(Plan::new)));
    }
}
