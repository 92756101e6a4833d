// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Whether the endpoint answers our probes; null if it was not probed. */
public final class Liveness extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("state", "checkedAt", "since", "uptime30", "probes", "protocol", "reason");

    /** Wraps a decoded object. */
    public Liveness(Map<String, Object> members) {
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

    /** When the endpoint had the state. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** Since when it is alive, gated, down or unknown. */
    public Optional<Instant> since() {
        return optional("since", JsonObject::instant);
    }

    /** Share of the probes of the last 30 days that were answered. */
    public OptionalDouble uptime30() {
        return optionalDouble("uptime30", JsonObject::number);
    }

    /** Number of these probes. */
    public long probes() {
        return required("probes", JsonObject::integer);
    }

    /** Revision of MCP. */
    public Optional<String> protocol() {
        return optional("protocol", JsonObject::text);
    }

    /** Such as dns, tls, timeout, connection or "status 503". */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }
}
