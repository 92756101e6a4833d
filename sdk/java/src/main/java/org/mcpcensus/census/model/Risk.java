// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** A reason not to use a server. */
public final class Risk extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("kind", "text", "severity", "instead", "source", "at");

    /** Wraps a decoded object. */
    public Risk(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * `malware`, `dead`, `hidden-instructions`, `deprecated`, `vulnerable`, `not-mcp`, `copy`,
     * `look-alike`, `suspicious-text`, `endpoint-down` (all remote endpoints are down) or
     * `tools-changed` (an endpoint lists other tools than before, in the same version).
     */
    public String kind() {
        return required("kind", JsonObject::text);
    }

    /** Returns the member text. */
    public String text() {
        return required("text", JsonObject::text);
    }

    /**
     * How an installation is offered: beside the text (`notice`), behind it (`caution`), or
     * not at all (`harmful`: the API returns no command).
     */
    public String severity() {
        return required("severity", JsonObject::text);
    }

    /** What to use: the ID of the original, or a URL that the owner recommends. */
    public Optional<String> instead() {
        return optional("instead", JsonObject::text);
    }

    /** What reports it, such as `probe`, `osv` or `github`. Null if unknown. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** When it was found or last confirmed. */
    public Optional<Instant> at() {
        return optional("at", JsonObject::instant);
    }
}
