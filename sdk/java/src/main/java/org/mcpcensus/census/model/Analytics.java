// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Analytics extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "period", "totals", "trends", "rank", "series");

    /** Wraps a decoded object. */
    public Analytics(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member server. */
    public String server() {
        return required("server", JsonObject::text);
    }

    /** Returns the member period. */
    public AnalyticsPeriod period() {
        return required("period", object(AnalyticsPeriod::new));
    }

    /** Returns the member totals. */
    public AnalyticsTotals totals() {
        return required("totals", object(AnalyticsTotals::new));
    }

    /** Returns the member trends. */
    public AnalyticsTrends trends() {
        return required("trends", object(AnalyticsTrends::new));
    }

    /** Returns the member rank. */
    public AnalyticsRank rank() {
        return required("rank", object(AnalyticsRank::new));
    }

    /** Returns the member series. */
    public List<AnalyticsSeriesEntry> series() {
        return required("series", list(object(AnalyticsSeriesEntry::new)));
    }
}
