// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Exactly one of `serverUrl` and `serverCommand` is present. */
public final class AllowedServer extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("serverCommand", "serverUrl");

    /** Wraps a decoded object. */
    public AllowedServer(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member serverCommand. */
    public Optional<List<String>> serverCommand() {
        return optional("serverCommand", list(JsonObject::text));
    }

    /** Returns the member serverUrl. */
    public Optional<String> serverUrl() {
        return optional("serverUrl", JsonObject::text);
    }
}
