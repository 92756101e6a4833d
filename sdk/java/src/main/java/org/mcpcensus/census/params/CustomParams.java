package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** The definition of a custom endpoint. */
public final class CustomParams extends Params {
    private CustomParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds CustomParams. */
    public static final class Builder extends Params.Builder<Builder, CustomParams> {
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

        /**
         * Members of the results; see {@link org.mcpcensus.census.model.DetailMember}. Default:
         * list entries.
         */
        public Builder fields(Collection<String> fields) {
            return set("fields", fields);
        }

        /**
         * Members of the results; see {@link org.mcpcensus.census.model.DetailMember}. Default:
         * list entries.
         */
        public Builder fields(String... fields) {
            return fields(List.of(fields));
        }

        /** Page size, 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Whether to count the values over all results. Default: false. */
        public Builder facets(boolean facets) {
            return set("facets", facets);
        }

        @Override
        public CustomParams build() {
            return new CustomParams(this);
        }
    }
}
