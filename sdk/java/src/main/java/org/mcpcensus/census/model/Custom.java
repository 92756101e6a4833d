// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Custom extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "q", "filters", "sort", "fields", "limit", "facets", "createdAt",
                    "updatedAt", "links");

    /** Wraps a decoded object. */
    public Custom(Map<String, Object> members) {
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

    /** Returns the member q. */
    public Optional<String> q() {
        return optional("q", JsonObject::text);
    }

    /**
     * Fields: category, sdk, language, framework, tags, license, transport, type (remote or
     * package), liveness (alive, gated, down, unknown), registryType, owner, source, risks
     * (kinds of risks), effect, readOnly, secrets (whether it accepts any), status, official,
     * verified, copy, archived, grade, qualityScore, minScore (qualityScore gte), popularity,
     * stars, downloads, toolCount, toolTokens, tools, updatedAt, createdAt. At most 16 kB, 40
     * conditions and 100 values per list. Numbers are at least 0.
     */
    public Map<String, Object> filters() {
        return required("filters", JsonObject::members);
    }

    /** Returns the member sort. */
    public Optional<String> sort() {
        return optional("sort", JsonObject::text);
    }

    /** Members of the records; null means those of a list entry. */
    public Optional<List<String>> fields() {
        return optional("fields", list(JsonObject::text));
    }

    /** Returns the member limit. */
    public long limit() {
        return required("limit", JsonObject::integer);
    }

    /** Returns the member facets. */
    public boolean facets() {
        return required("facets", JsonObject::bool);
    }

    /** Returns the member createdAt. */
    public Instant createdAt() {
        return required("createdAt", JsonObject::instant);
    }

    /** Returns the member updatedAt. */
    public Instant updatedAt() {
        return required("updatedAt", JsonObject::instant);
    }

    /** Returns the member links. */
    public CustomLinks links() {
        return required("links", object(CustomLinks::new));
    }
}
