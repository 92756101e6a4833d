// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolChanges extends JsonObject {
    /** Wraps a decoded object. */
    public ToolChanges(Map<String, Object> members) {
        super(members);
    }

    /** The slug. */
    public String server() {
        return required("server", JsonObject::text);
    }

    /** Newest first. */
    public List<ToolListChange> changes() {
        return required("changes", list(object(ToolListChange::new)));
    }
}
