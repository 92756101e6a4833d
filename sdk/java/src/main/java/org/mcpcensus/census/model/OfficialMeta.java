// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Metadata of a version, in the format of the official registry. */
public final class OfficialMeta extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("status", "statusChangedAt", "publishedAt", "isLatest", "statusMessage",
                    "updatedAt");

    /** Wraps a decoded object. */
    public OfficialMeta(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Returns the member statusChangedAt. */
    public Instant statusChangedAt() {
        return required("statusChangedAt", JsonObject::instant);
    }

    /** When the version was published or, if unknown, when the server was first listed here. */
    public Instant publishedAt() {
        return required("publishedAt", JsonObject::instant);
    }

    /** Returns the member isLatest. */
    public boolean isLatest() {
        return required("isLatest", JsonObject::bool);
    }

    /** Returns the member statusMessage. */
    public Optional<String> statusMessage() {
        return optional("statusMessage", JsonObject::text);
    }

    /** When the record last changed in this registry. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }
}
