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

    /**
     * URL of the avatar, served by this registry. A picture of the first letter if there is no
     * avatar.
     */
    public Optional<String> avatarUrl() {
        return optional("avatarUrl", JsonObject::text);
    }
}
