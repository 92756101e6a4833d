// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Where the tools are from; null if they are unknown. */
public final class ToolList extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("source", "package", "version", "readAt", "hash", "tokens", "endpoint");

    /** Wraps a decoded object. */
    public ToolList(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * From the most to the least reliable: a remote endpoint answered, the published package
     * answered in a sandbox, a manifest lists them, the source code registers them, the README
     * lists them.
     */
    public String source() {
        return required("source", JsonObject::text);
    }

    /**
     * The published package whose archive was read, if source is `source`; null if the
     * repository was read, and for other sources.
     */
    public Optional<ToolPackage> packageValue() {
        return optional("package", object(ToolPackage::new));
    }

    /** The version of the server that has these tools. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /** Returns the member readAt. */
    public Optional<Instant> readAt() {
        return optional("readAt", JsonObject::instant);
    }

    /** Changes if and only if the hash of a tool changes. */
    public Optional<String> hash() {
        return optional("hash", JsonObject::text);
    }

    /** Sum over the tools. Sort by it with sort=toolTokens. */
    public OptionalLong tokens() {
        return optionalLong("tokens", JsonObject::integer);
    }

    /** URL of the endpoint that listed the tools, if one did. */
    public Optional<String> endpoint() {
        return optional("endpoint", JsonObject::text);
    }
}
