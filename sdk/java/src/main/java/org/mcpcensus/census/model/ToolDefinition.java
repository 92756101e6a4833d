// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Definition of a tool; null before the tool was added and after it was removed. */
public final class ToolDefinition extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("description", "annotations", "hash");

    /** Wraps a decoded object. */
    public ToolDefinition(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Returns the member annotations. */
    public Optional<Map<String, Object>> annotations() {
        return optional("annotations", JsonObject::members);
    }

    /** Returns the member hash. */
    public Optional<String> hash() {
        return optional("hash", JsonObject::text);
    }
}
