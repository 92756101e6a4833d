// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code search}. */
public final class SearchParams extends Params {
    private SearchParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds SearchParams. */
    public static final class Builder extends Params.Builder<Builder, SearchParams> {
        private Builder() {}

        /** Continues after the page that returned this value as {@code nextCursor}. */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        /** Whether to count values over all results. Default: true. */
        public Builder facets(boolean facets) {
            return set("facets", facets);
        }

        /** Conditions that must all match. */
        public Builder filters(Filters filters) {
            return set("filters", filters == null ? null : filters.toMap());
        }

        /** Page size. Default: 20. 1 to 100. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Which words of {@code q} must match; see GET /v1/search. Default: some. One of all, some. */
        public Builder match(String match) {
            return set("match", match);
        }

        /** Page number. With {@code cursor}, it must be 1 or absent. */
        public Builder page(int page) {
            return set("page", page);
        }

        /** Full-text search over names, descriptions, tags, tools, packages and READMEs. */
        public Builder q(String q) {
            return set("q", q);
        }

        /** Sort order, such as {@code -stars,name}; see GET /v1/search. */
        public Builder sort(String sort) {
            return set("sort", sort);
        }

        @Override
        public SearchParams build() {
            return new SearchParams(this);
        }
    }
}
