// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Condition under which the source code registers the tool; absent if there is none. */
public final class ToolCondition extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("setting", "default");

    /** Wraps a decoded object. */
    public ToolCondition(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Setting that the tool depends on, such as `FEATURE_X=true` or `--feature-x`. */
    public Optional<String> setting() {
        return optional("setting", JsonObject::text);
    }

    /**
     * False if a start with the default settings does not register the tool; null if that is
     * unknown.
     */
    public Optional<Boolean> defaultValue() {
        return optional("default", JsonObject::bool);
    }
}
