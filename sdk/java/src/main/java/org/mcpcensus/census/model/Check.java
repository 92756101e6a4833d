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

    /** Returns the member result. */
    public String result() {
        return required("result", JsonObject::text);
    }

    /** Returns the member state. */
    public String state() {
        return required("state", JsonObject::text);
    }

    /** Returns the member points. */
    public double points() {
        return required("points", JsonObject::number);
    }

    /** Returns the member max. */
    public double max() {
        return required("max", JsonObject::number);
    }

    /** Returns the member reason. */
    public String reason() {
        return required("reason", JsonObject::text);
    }

    /** Returns the member evidence. */
    public List<Evidence> evidence() {
        return required("evidence", list(object(Evidence::new)));
    }

    /** Returns the member fix. */
    public Optional<String> fix() {
        return optional("fix", JsonObject::text);
    }

    /** Returns the member source. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** Returns the member observedAt. */
    public Optional<Instant> observedAt() {
        return optional("observedAt", JsonObject::instant);
    }

    /** Returns the member docs. */
    public String docs() {
        return required("docs", JsonObject::text);
    }
}
