// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/**
 * How the package answered when it was started in a sandbox, without a network and with
 * made-up values; absent if it was not. It does not affect the score.
 */
public final class Inspection extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("outcome", "at", "detail", "hosts", "prompts", "protocol", "resources",
                    "version");

    /** Wraps a decoded object. */
    public Inspection(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member outcome. */
    public String outcome() {
        return required("outcome", JsonObject::text);
    }

    /** When it was started. */
    public Optional<Instant> at() {
        return optional("at", JsonObject::instant);
    }

    /** The last line of its error output, shortened. */
    public Optional<String> detail() {
        return optional("detail", JsonObject::text);
    }

    /**
     * Names of hosts that it looked up when it started, before any tool was called. Lookups
     * that bypass the system's resolver, and those of images, are not seen.
     */
    public Optional<List<String>> hosts() {
        return optional("hosts", list(JsonObject::text));
    }

    /** Number of prompts. */
    public OptionalLong prompts() {
        return optionalLong("prompts", JsonObject::integer);
    }

    /** Revision of MCP. */
    public Optional<String> protocol() {
        return optional("protocol", JsonObject::text);
    }

    /** Number of resources. */
    public OptionalLong resources() {
        return optionalLong("resources", JsonObject::integer);
    }

    /** Version that was started. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }
}
