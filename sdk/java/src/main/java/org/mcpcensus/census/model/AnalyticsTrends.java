// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class AnalyticsTrends extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("stars", "downloads", "score");

    /** Wraps a decoded object. */
    public AnalyticsTrends(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member stars. */
    public Trend stars() {
        return required("stars", object(Trend::new));
    }

    /** Returns the member downloads. */
    public Trend downloads() {
        return required("downloads", object(Trend::new));
    }

    /** Returns the member score. */
    public AnalyticsTrendsScore score() {
        return required("score", object(AnalyticsTrendsScore::new));
    }
}
