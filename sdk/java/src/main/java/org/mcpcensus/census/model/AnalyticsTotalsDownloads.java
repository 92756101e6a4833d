// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import org.mcpcensus.census.json.JsonObject;

/** Of the last 30 days: total, and by registry type. */
public final class AnalyticsTotalsDownloads extends JsonObject {
    /** Wraps a decoded object. */
    public AnalyticsTotalsDownloads(Map<String, Object> members) {
        super(members);
    }

    /** Returns the member total. */
    public OptionalLong total() {
        return optionalLong("total", JsonObject::integer);
    }
}
