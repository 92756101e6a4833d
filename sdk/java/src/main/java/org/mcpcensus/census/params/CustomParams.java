// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Parameters of {@code custom().put}. */
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

        /** Whether to count values over all results. Default: false. */
        public Builder facets(boolean facets) {
            return set("facets", facets);
        }

        /** Members of the results. Default: those of a list entry. */
        public Builder fields(Collection<DetailMemberParam> fields) {
            return set("fields", fields);
        }

        /** Members of the results. Default: those of a list entry. */
        public Builder fields(DetailMemberParam... fields) {
            return fields(List.of(fields));
        }

        /** Conditions that must all match. */
        public Builder filters(Filters filters) {
            return set("filters", filters == null ? null : filters.toMap());
        }

        /** Page size. Default: 20. 1 to 100. */
        public Builder limit(int limit) {
            return set("limit", limit);
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
        public CustomParams build() {
            return new CustomParams(this);
        }
    }
}
