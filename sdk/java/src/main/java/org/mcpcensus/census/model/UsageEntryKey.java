// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Key of the calls. The name and prefix of a deleted key are null. */
public final class UsageEntryKey extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "prefix");

    /** Wraps a decoded object. */
    public UsageEntryKey(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public long id() {
        return required("id", JsonObject::integer);
    }

    /** Returns the member name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** Returns the member prefix. */
    public Optional<String> prefix() {
        return optional("prefix", JsonObject::text);
    }
}
