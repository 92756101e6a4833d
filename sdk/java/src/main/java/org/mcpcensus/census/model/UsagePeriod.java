// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class UsagePeriod extends JsonObject {
    /** Wraps a decoded object. */
    public UsagePeriod(Map<String, Object> members) {
        super(members);
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
