// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class AnalyticsRank extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("overall", "category", "percentile", "by");

    /** Wraps a decoded object. */
    public AnalyticsRank(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member overall. */
    public OptionalLong overall() {
        return optionalLong("overall", JsonObject::integer);
    }

    /** Returns the member category. */
    public OptionalLong category() {
        return optionalLong("category", JsonObject::integer);
    }

    /** Share of listed servers with a lower rank. */
    public OptionalDouble percentile() {
        return optionalDouble("percentile", JsonObject::number);
    }

    /** Returns the member by. */
    public String by() {
        return required("by", JsonObject::text);
    }
}
