// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class EntryTools extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("count", "tokens", "fingerprint", "source", "version", "readAt", "complete");

    /** Wraps a decoded object. */
    public EntryTools(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member count. */
    public OptionalLong count() {
        return optionalLong("count", JsonObject::integer);
    }

    /** Returns the member tokens. */
    public OptionalLong tokens() {
        return optionalLong("tokens", JsonObject::integer);
    }

    /** Returns the member fingerprint. */
    public Optional<String> fingerprint() {
        return optional("fingerprint", JsonObject::text);
    }

    /** Returns the member source. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** Server version that the tools belong to. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /** Returns the member readAt. */
    public Optional<Instant> readAt() {
        return optional("readAt", JsonObject::instant);
    }

    /** Whether all tools are known. */
    public Optional<Boolean> complete() {
        return optional("complete", JsonObject::bool);
    }
}
