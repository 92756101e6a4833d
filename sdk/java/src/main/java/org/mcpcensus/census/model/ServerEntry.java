// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ServerEntry extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "_meta");

    /** Wraps a decoded object. */
    public ServerEntry(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * A server.json: as its owner published it in the official registry, or made from what
     * this registry knows (schema 2025-12-11). See
     * https://github.com/modelcontextprotocol/registry.
     */
    public ServerJSON server() {
        return required("server", object(ServerJSON::new));
    }

    /**
     * `io.modelcontextprotocol.registry/official` is an OfficialMeta. The member of this
     * registry's namespace is a RegistryMeta.
     */
    public Map<String, Object> meta() {
        return required("_meta", JsonObject::members);
    }
}
