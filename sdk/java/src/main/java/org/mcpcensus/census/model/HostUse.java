// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class HostUse extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("host", "evidence", "seen");

    /** Wraps a decoded object. */
    public HostUse(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member host. */
    public String host() {
        return required("host", JsonObject::text);
    }

    /** A place in the source code. */
    public Optional<String> evidence() {
        return optional("evidence", JsonObject::text);
    }

    /** Whether the server looked it up in the sandbox. */
    public Optional<Boolean> seen() {
        return optional("seen", JsonObject::bool);
    }
}
