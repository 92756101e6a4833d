// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolEffect extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("effect", "basis", "evidence");

    /** Wraps a decoded object. */
    public ToolEffect(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add
     * or send something (`write`), change, overwrite or delete something that exists
     * (`destructive`, as in MCP), or run commands or code of its caller.
     */
    public String effect() {
        return required("effect", JsonObject::text);
    }

    /**
     * How it is known: from the annotations, the code of the tool, its parameters, or a verb
     * of its name or description.
     */
    public Optional<String> basis() {
        return optional("basis", JsonObject::text);
    }

    /** A place such as `src/tools.ts:40`, a parameter, or a word. */
    public Optional<String> evidence() {
        return optional("evidence", JsonObject::text);
    }
}
