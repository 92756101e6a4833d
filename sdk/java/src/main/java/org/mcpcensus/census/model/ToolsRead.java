// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Source of the tools; null if the tools are unknown. */
public final class ToolsRead extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("source", "version", "complete");

    /** Wraps a decoded object. */
    public ToolsRead(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member source. */
    public String source() {
        return required("source", JsonObject::text);
    }

    /** Server version that the tools belong to. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /** Whether all tools are known. Otherwise the number and tokens of the tools are null. */
    public boolean complete() {
        return required("complete", JsonObject::bool);
    }
}
