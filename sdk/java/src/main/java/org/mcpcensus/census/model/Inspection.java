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
 * Result of starting a package in a sandbox, without network access and with made-up values.
 * The check starts of the score uses it. Absent from a package that was not started.
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

    /** When the package was started. */
    public Optional<Instant> at() {
        return optional("at", JsonObject::instant);
    }

    /** Last line of its error output, shortened. */
    public Optional<String> detail() {
        return optional("detail", JsonObject::text);
    }

    /**
     * Host names that it looked up at startup, before any tool was called. Excludes lookups
     * that bypass the system resolver, and lookups by container images.
     */
    public Optional<List<String>> hosts() {
        return optional("hosts", list(JsonObject::text));
    }

    /** Number of prompts. */
    public OptionalLong prompts() {
        return optionalLong("prompts", JsonObject::integer);
    }

    /** MCP protocol revision. */
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
