// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class UsageDay extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("date", "calls");

    /** Wraps a decoded object. */
    public UsageDay(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member date. */
    public LocalDate date() {
        return required("date", JsonObject::date);
    }

    /** Returns the member calls. */
    public long calls() {
        return required("calls", JsonObject::integer);
    }
}
