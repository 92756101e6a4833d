// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Cap extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "max", "reason", "applied", "source", "at");

    /** Wraps a decoded object. */
    public Cap(Map<String, Object> members) {
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

    /** Returns the member max. */
    public long max() {
        return required("max", JsonObject::integer);
    }

    /** Returns the member reason. */
    public String reason() {
        return required("reason", JsonObject::text);
    }

    /** Whether it lowered this score. */
    public boolean applied() {
        return required("applied", JsonObject::bool);
    }

    /**
     * Source of the reason, as of a risk. Null if it follows from the results of all checks or
     * is unknown.
     */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** When the source was read. */
    public Optional<Instant> at() {
        return optional("at", JsonObject::instant);
    }
}
