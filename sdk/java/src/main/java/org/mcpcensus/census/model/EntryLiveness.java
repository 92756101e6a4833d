// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Best state of any remote, with the time and uptime of the first remote in that state. */
public final class EntryLiveness extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("state", "checkedAt", "uptime30", "probes");

    /** Wraps a decoded object. */
    public EntryLiveness(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member state. */
    public String state() {
        return required("state", JsonObject::text);
    }

    /** Returns the member checkedAt. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** Share of successful probes in the last 30 days; null if there were none. */
    public OptionalDouble uptime30() {
        return optionalDouble("uptime30", JsonObject::number);
    }

    /** Number of probes in the last 30 days. */
    public long probes() {
        return required("probes", JsonObject::integer);
    }
}
