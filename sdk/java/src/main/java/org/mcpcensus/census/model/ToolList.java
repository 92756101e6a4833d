// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Source of the tools; null if the tools are unknown. */
public final class ToolList extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("source", "package", "version", "readAt", "hash", "tokens", "complete",
                    "endpoint");

    /** Wraps a decoded object. */
    public ToolList(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * Most reliable first: `probe`, a remote endpoint; `run`, the published package, started
     * in a sandbox; `manifest`, a manifest; `source`, the source code; `readme`, the README.
     */
    public String source() {
        return required("source", JsonObject::text);
    }

    /**
     * Published package whose archive was read, if source is `source`; null if the repository
     * was read, and for other sources.
     */
    public Optional<ToolPackage> packageValue() {
        return optional("package", object(ToolPackage::new));
    }

    /** Server version that the tools belong to. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /** Returns the member readAt. */
    public Optional<Instant> readAt() {
        return optional("readAt", JsonObject::instant);
    }

    /** Hash of the list; changes if and only if the hash of a tool changes. Null if unknown. */
    public Optional<String> hash() {
        return optional("hash", JsonObject::text);
    }

    /** Total tokens of the tools of toolCount. `sort=toolTokens` sorts by it. */
    public OptionalLong tokens() {
        return optionalLong("tokens", JsonObject::integer);
    }

    /**
     * Whether the tools of a start with the default settings are known. Otherwise it may have
     * more or fewer than the list, and toolCount, toolTokens and tokens are null.
     */
    public boolean complete() {
        return required("complete", JsonObject::bool);
    }

    /** URL of the endpoint that listed the tools, if source is `probe`. */
    public Optional<String> endpoint() {
        return optional("endpoint", JsonObject::text);
    }
}
