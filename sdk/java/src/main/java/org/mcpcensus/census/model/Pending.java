// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Pending extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("status", "githubUrl", "statusUrl");

    /** Wraps a decoded object. */
    public Pending(Map<String, Object> members) {
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

    /** Returns the member githubUrl. */
    public String githubUrl() {
        return required("githubUrl", JsonObject::text);
    }

    /** Returns the member statusUrl. */
    public String statusUrl() {
        return required("statusUrl", JsonObject::text);
    }
}
