// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Result of probing the endpoint; null if it was not probed. */
public final class Liveness extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("state", "checkedAt", "since", "firstProbeAt", "uptime30", "probes", "protocol",
                    "reason");

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

    /** When the state was last observed. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** When its summary state (alive, gated, down or unknown) last changed. */
    public Optional<Instant> since() {
        return optional("since", JsonObject::instant);
    }

    /**
     * When the endpoint was first probed; null if unknown. If since is the same, the state may
     * be older.
     */
    public Optional<Instant> firstProbeAt() {
        return optional("firstProbeAt", JsonObject::instant);
    }

    /** Share of successful probes in the last 30 days; null if there were none. */
    public OptionalDouble uptime30() {
        return optionalDouble("uptime30", JsonObject::number);
    }

    /** Number of probes in the last 30 days. */
    public long probes() {
        return required("probes", JsonObject::integer);
    }

    /** MCP protocol revision. */
    public Optional<String> protocol() {
        return optional("protocol", JsonObject::text);
    }

    /** Cause of the state, such as dns, tls, timeout, connection or "status 503". */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }
}
