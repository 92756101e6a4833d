// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/**
 * A server.json: as its owner published it in the official registry, or made from what this
 * registry knows (schema 2025-12-11). See https://github.com/modelcontextprotocol/registry.
 */
public final class ServerJSON extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "description", "version");

    /** Wraps a decoded object. */
    public ServerJSON(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member description. */
    public String description() {
        return required("description", JsonObject::text);
    }

    /** Returns the member version. */
    public String version() {
        return required("version", JsonObject::text);
    }

    /** Returns the members without a method, by their names. */
    public Map<String, Object> others() {
        return others(v -> v);
    }
}
