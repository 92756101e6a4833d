// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Owner extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("login", "type", "avatarUrl");

    /** Wraps a decoded object. */
    public Owner(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member login. */
    public String login() {
        return required("login", JsonObject::text);
    }

    /** Returns the member type. */
    public Optional<String> type() {
        return optional("type", JsonObject::text);
    }

    /** A copy of the avatar that this registry serves, or a picture of the first letter. */
    public Optional<String> avatarUrl() {
        return optional("avatarUrl", JsonObject::text);
    }
}
