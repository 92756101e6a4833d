// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class OwnAccountLimits extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("limit", "used", "remaining", "resetAt", "reset");

    /** Wraps a decoded object. */
    public OwnAccountLimits(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Requests per UTC day; null if unlimited. */
    public OptionalLong limit() {
        return optionalLong("limit", JsonObject::integer);
    }

    /** Requests made today, including this one. */
    public OptionalLong used() {
        return optionalLong("used", JsonObject::integer);
    }

    /** Returns the member remaining. */
    public OptionalLong remaining() {
        return optionalLong("remaining", JsonObject::integer);
    }

    /** Returns the member resetAt. */
    public Instant resetAt() {
        return required("resetAt", JsonObject::instant);
    }

    /** `resetAt` as a Unix timestamp in seconds, as in X-RateLimit-Reset. */
    public long reset() {
        return required("reset", JsonObject::integer);
    }
}
