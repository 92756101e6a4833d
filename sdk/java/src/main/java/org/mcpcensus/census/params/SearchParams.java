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

        /** Full-text search. */
        public Builder q(String q) {
            return set("q", q);
        }

        /** Conditions; all must match. */
        public Builder filters(Filters filters) {
            return set("filters", filters == null ? null : filters.toMap());
        }

        /** Sort order: fields such as {@code -stars,name}, {@code stars:desc} or relevance. */
        public Builder sort(String sort) {
            return set("sort", sort);
        }

        /** Page number; not allowed with a cursor. */
        public Builder page(int page) {
            return set("page", page);
        }

        /** Page size, 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Continues after the page with this next cursor. */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        /** Whether to count the values over all results. Default: true. */
        public Builder facets(boolean facets) {
            return set("facets", facets);
        }

        @Override
        public SearchParams build() {
            return new SearchParams(this);
        }
    }
}
