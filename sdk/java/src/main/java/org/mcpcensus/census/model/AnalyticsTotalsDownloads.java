// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Of the last 30 days: total, and by registry type. */
public final class AnalyticsTotalsDownloads extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("total");

    /** Wraps a decoded object. */
    public AnalyticsTotalsDownloads(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member total. */
    public OptionalLong total() {
        return optionalLong("total", JsonObject::integer);
    }

    /** Returns the members without a method, by their names. */
    public Map<String, Long> others() {
        return others(JsonObject::integer);
    }
}
