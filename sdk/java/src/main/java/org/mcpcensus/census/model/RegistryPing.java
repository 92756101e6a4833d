// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class RegistryPing extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("pong");

    /** Wraps a decoded object. */
    public RegistryPing(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member pong. */
    public boolean pong() {
        return required("pong", JsonObject::bool);
    }
}
