// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolPage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("tools", "pagination", "warnings");

    /** Wraps a decoded object. */
    public ToolPage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member tools. */
    public List<ToolEntry> tools() {
        return required("tools", list(object(ToolEntry::new)));
    }

    /** Returns the member pagination. */
    public Pagination pagination() {
        return required("pagination", object(Pagination::new));
    }

    /**
     * Present while the search index is unavailable. The search then does not cover READMEs
     * and tool descriptions, so results may be missing.
     */
    public Optional<List<String>> warnings() {
        return optional("warnings", list(JsonObject::text));
    }
}
