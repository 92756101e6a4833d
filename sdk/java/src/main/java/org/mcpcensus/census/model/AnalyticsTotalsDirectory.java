// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Events counted by this registry in the period. */
public final class AnalyticsTotalsDirectory extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("views", "apiHits", "searchImpressions", "healthChecks", "installClicks",
                    "badgeViews");

    /** Wraps a decoded object. */
    public AnalyticsTotalsDirectory(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
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
