// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolChange extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "kind", "fields", "before", "after");

    /** Wraps a decoded object. */
    public ToolChange(Map<String, Object> members) {
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

    /** Returns the member kind. */
    public String kind() {
        return required("kind", JsonObject::text);
    }

    /** Changed members. */
    public List<String> fields() {
        return required("fields", list(JsonObject::text));
    }

    /** Definition of a tool; null before the tool was added and after it was removed. */
    public Optional<ToolDefinition> before() {
        return optional("before", object(ToolDefinition::new));
    }

    /** Definition of a tool; null before the tool was added and after it was removed. */
    public Optional<ToolDefinition> after() {
        return optional("after", object(ToolDefinition::new));
    }
}
