// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class HealthCategory extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("category", "weight", "score", "coverage", "checks");

    /** Wraps a decoded object. */
    public HealthCategory(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Returns the member weight. */
    public double weight() {
        return required("weight", JsonObject::number);
    }

    /**
     * Score of the category; null if no check applies, or if less than 35% of its weight was
     * measured.
     */
    public OptionalDouble score() {
        return optionalDouble("score", JsonObject::number);
    }

    /** Returns the member coverage. */
    public double coverage() {
        return required("coverage", JsonObject::number);
    }

    /** Returns the member checks. */
    public List<Check> checks() {
        return required("checks", list(object(Check::new)));
    }
}
