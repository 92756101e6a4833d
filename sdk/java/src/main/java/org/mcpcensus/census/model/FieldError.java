// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class FieldError extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("field", "message");

    /** Wraps a decoded object. */
    public FieldError(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member field. */
    public String field() {
        return required("field", JsonObject::text);
    }

    /** Returns the member message. */
    public String message() {
        return required("message", JsonObject::text);
    }
}
