// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Repository extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("url", "owner", "name", "subfolder", "archived");

    /** Wraps a decoded object. */
    public Repository(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member url. */
    public Optional<String> url() {
        return optional("url", JsonObject::text);
    }

    /** Returns the member owner. */
    public Optional<String> owner() {
        return optional("owner", JsonObject::text);
    }

    /** Returns the member name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** Returns the member subfolder. */
    public Optional<String> subfolder() {
        return optional("subfolder", JsonObject::text);
    }

    /** Null if unknown. */
    public Optional<Boolean> archived() {
        return optional("archived", JsonObject::bool);
    }
}
