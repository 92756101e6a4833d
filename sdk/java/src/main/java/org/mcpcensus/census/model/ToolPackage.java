// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/**
 * Published package whose archive was read, if source is `source`; null if the repository was
 * read, and for other sources.
 */
public final class ToolPackage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("registryType", "identifier");

    /** Wraps a decoded object. */
    public ToolPackage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member registryType. */
    public String registryType() {
        return required("registryType", JsonObject::text);
    }

    /** Returns the member identifier. */
    public String identifier() {
        return required("identifier", JsonObject::text);
    }
}
