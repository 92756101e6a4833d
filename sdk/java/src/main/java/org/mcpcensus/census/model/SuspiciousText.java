// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class SuspiciousText extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("rule", "tool", "field", "quote", "readAt", "source");

    /** Wraps a decoded object. */
    public SuspiciousText(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** R1 to R8; see docs/tools.md */
    public String rule() {
        return required("rule", JsonObject::text);
    }

    /** Returns the member tool. */
    public String tool() {
        return required("tool", JsonObject::text);
    }

    /** Returns the member field. */
    public String field() {
        return required("field", JsonObject::text);
    }

    /** Matching text. Invisible characters are shown as code points. */
    public String quote() {
        return required("quote", JsonObject::text);
    }

    /** When that list was read. */
    public Optional<Instant> readAt() {
        return optional("readAt", JsonObject::instant);
    }

    /** Source of the list with the tool. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }
}
