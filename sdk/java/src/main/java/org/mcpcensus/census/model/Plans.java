// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Plans extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("plans");

    /** Wraps a decoded object. */
    public Plans(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member plans. */
    public List<Plan> plans() {
        return required("plans", list(object(Plan::new)));
    }
}
