// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Improvement extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("check", "gain", "text");

    /** Wraps a decoded object. */
    public Improvement(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member check. */
    public String check() {
        return required("check", JsonObject::text);
    }

    /** Returns the member gain. */
    public double gain() {
        return required("gain", JsonObject::number);
    }

    /** Returns the member text. */
    public String text() {
        return required("text", JsonObject::text);
    }
}
