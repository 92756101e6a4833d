// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Check extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "result", "state", "points", "max", "reason", "evidence", "fix",
                    "source", "observedAt", "docs");

    /** Wraps a decoded object. */
    public Check(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Outcome of the check. */
    public String result() {
        return required("result", JsonObject::text);
    }

    /** Returns the member state. */
    public String state() {
        return required("state", JsonObject::text);
    }

    /** Points earned. */
    public double points() {
        return required("points", JsonObject::number);
    }

    /** Points available. */
    public double max() {
        return required("max", JsonObject::number);
    }

    /** Explanation of the result. */
    public String reason() {
        return required("reason", JsonObject::text);
    }

    /** Returns the member evidence. */
    public List<Evidence> evidence() {
        return required("evidence", list(object(Evidence::new)));
    }

    /** How to pass the check; null if there is nothing to fix. */
    public Optional<String> fix() {
        return optional("fix", JsonObject::text);
    }

    /** Source of the fact; null if unknown. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** When the fact was observed; null if unknown. */
    public Optional<Instant> observedAt() {
        return optional("observedAt", JsonObject::instant);
    }

    /** Path of the documentation of the check. */
    public String docs() {
        return required("docs", JsonObject::text);
    }
}
