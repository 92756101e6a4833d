// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolEntryMetaInstall extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("command", "args", "env");

    /** Wraps a decoded object. */
    public ToolEntryMetaInstall(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member command. */
    public String command() {
        return required("command", JsonObject::text);
    }

    /** Returns the member args. */
    public List<String> args() {
        return required("args", list(JsonObject::text));
    }

    /** Returns the member env. */
    public Map<String, String> env() {
        return required("env", map(JsonObject::text));
    }
}
