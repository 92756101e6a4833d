// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class AnalyticsTrendsScore extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("delta");

    /** Wraps a decoded object. */
    public AnalyticsTrendsScore(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member delta. */
    public OptionalLong delta() {
        return optionalLong("delta", JsonObject::integer);
    }
}
