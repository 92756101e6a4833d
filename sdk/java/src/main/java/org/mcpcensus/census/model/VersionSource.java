// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/**
 * Source of the latest version and when it was read. The source is the registry type of a
 * package, such as npm, or release or tag (of the repository), official-registry (the entry)
 * or manifest (in the repository).
 */
public final class VersionSource extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("source", "readAt");

    /** Wraps a decoded object. */
    public VersionSource(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member source. */
    public String source() {
        return required("source", JsonObject::text);
    }

    /** Returns the member readAt. */
    public Optional<Instant> readAt() {
        return optional("readAt", JsonObject::instant);
    }
}
