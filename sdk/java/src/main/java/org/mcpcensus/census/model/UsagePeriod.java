// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class UsagePeriod extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("from", "to");

    /** Wraps a decoded object. */
    public UsagePeriod(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member from. */
    public LocalDate from() {
        return required("from", JsonObject::date);
    }

    /** Returns the member to. */
    public LocalDate to() {
        return required("to", JsonObject::date);
    }
}
