// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class SourceUse extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "evidence");

    /** Wraps a decoded object. */
    public SourceUse(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** A place such as `src/tools.ts:40`. */
    public String evidence() {
        return required("evidence", JsonObject::text);
    }
}
