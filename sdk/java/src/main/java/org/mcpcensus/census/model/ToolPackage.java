// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/**
 * The published package whose archive was read, if source is `source`; null if the repository
 * was read, and for other sources.
 */
public final class ToolPackage extends JsonObject {
    /** Wraps a decoded object. */
    public ToolPackage(Map<String, Object> members) {
        super(members);
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
