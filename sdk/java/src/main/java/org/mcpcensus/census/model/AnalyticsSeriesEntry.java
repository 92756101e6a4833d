// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class AnalyticsSeriesEntry extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("date", "stars", "forks", "downloads", "score", "views", "apiHits",
                    "searchImpressions", "healthChecks", "installClicks", "badgeViews");

    /** Wraps a decoded object. */
    public AnalyticsSeriesEntry(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** For weeks: Monday, or the first day of the period. */
    public LocalDate date() {
        return required("date", JsonObject::date);
    }

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member forks. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Downloads on the day or in the week; null unless known for every package and day. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** Returns the member score. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** Returns the member views. */
    public OptionalLong views() {
        return optionalLong("views", JsonObject::integer);
    }

    /** Returns the member apiHits. */
    public OptionalLong apiHits() {
        return optionalLong("apiHits", JsonObject::integer);
    }

    /** Returns the member searchImpressions. */
    public OptionalLong searchImpressions() {
        return optionalLong("searchImpressions", JsonObject::integer);
    }

    /** Returns the member healthChecks. */
    public OptionalLong healthChecks() {
        return optionalLong("healthChecks", JsonObject::integer);
    }

    /** Returns the member installClicks. */
    public OptionalLong installClicks() {
        return optionalLong("installClicks", JsonObject::integer);
    }

    /** Returns the member badgeViews. */
    public OptionalLong badgeViews() {
        return optionalLong("badgeViews", JsonObject::integer);
    }
}
