// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class CustomPage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("servers", "pagination", "name", "query", "sort", "facets", "tookMs",
                    "warnings");

    /** Wraps a decoded object. */
    public CustomPage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** List entries, or the members listed in the definition. */
    public List<PartialServer> servers() {
        return required("servers", list(object(PartialServer::new)));
    }

    /** Returns the member pagination. */
    public PageNumbers pagination() {
        return required("pagination", object(PageNumbers::new));
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member query. */
    public Optional<String> query() {
        return optional("query", JsonObject::text);
    }

    /** Returns the member sort. */
    public String sort() {
        return required("sort", JsonObject::text);
    }

    /** Number of results by value. Null if not requested. */
    public Optional<Facets> facets() {
        return optional("facets", object(Facets::new));
    }

    /** Returns the member tookMs. */
    public double tookMs() {
        return required("tookMs", JsonObject::number);
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
