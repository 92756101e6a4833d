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
     * What there is to know about a search: the index is unavailable, so that READMEs and tool
     * descriptions are not searched; a misspelled word was corrected; some servers match only
     * some words of the text.
     */
    public Optional<List<String>> warnings() {
        return optional("warnings", list(JsonObject::text));
    }
}
