// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolChanges extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "changes");

    /** Wraps a decoded object. */
    public ToolChanges(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Slug of the server. */
    public String server() {
        return required("server", JsonObject::text);
    }

    /** Newest first. */
    public List<ToolListChange> changes() {
        return required("changes", list(object(ToolListChange::new)));
    }
}
