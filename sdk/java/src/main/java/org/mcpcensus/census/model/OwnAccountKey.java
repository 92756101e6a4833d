// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class OwnAccountKey extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "prefix", "expiresAt", "scopes", "addresses");

    /** Wraps a decoded object. */
    public OwnAccountKey(Map<String, Object> members) {
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

    /** Returns the member expiresAt. */
    public Optional<Instant> expiresAt() {
        return optional("expiresAt", JsonObject::instant);
    }

    /** Permissions of the key. */
    public List<String> scopes() {
        return required("scopes", list(JsonObject::text));
    }

    /** IP addresses and networks that may use the key. Empty means all. */
    public List<String> addresses() {
        return required("addresses", list(JsonObject::text));
    }
}
