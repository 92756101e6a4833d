// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class UsageEntry extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("date", "endpoint", "key", "calls");

    /** Wraps a decoded object. */
    public UsageEntry(Map<String, Object> members) {
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

    /** Returns the member endpoint. */
    public String endpoint() {
        return required("endpoint", JsonObject::text);
    }

    /** Key of the calls. The name and prefix of a deleted key are null. */
    public UsageEntryKey key() {
        return required("key", object(UsageEntryKey::new));
    }

    /** Returns the member calls. */
    public long calls() {
        return required("calls", JsonObject::integer);
    }
}
