package org.mcpcensus.census.params;

/** Parameters of {@code discoverTools}. */
public final class DiscoverToolsParams extends Params {
    private DiscoverToolsParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds DiscoverToolsParams. */
    public static final class Builder extends Params.Builder<Builder, DiscoverToolsParams> {
        private Builder() {}

        /** "server": one entry per server; "tool": one per tool. */
        public Builder level(String level) {
            return set("level", level);
        }

        /** Only servers in this category; see {@link org.mcpcensus.census.model.Category}. */
        public Builder category(String category) {
            return set("category", category);
        }

        /** Full-text search over names, descriptions and tags. */
        public Builder search(String search) {
            return set("search", search);
        }

        /** True returns only official servers, false only others. */
        public Builder official(boolean official) {
            return set("official", official);
        }

        /** Minimum health score, 0 to 100. */
        public Builder minScore(double minScore) {
            return set("minScore", minScore);
        }

        /**
         * Sort order: qualityScore, stars or downloads. Default: qualityScore, or relevance with
         * {@link #search}.
         */
        public Builder sort(String sort) {
            return set("sort", sort);
        }

        /** Page size, 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Number of items to skip; not allowed with a cursor. */
        public Builder offset(int offset) {
            return set("offset", offset);
        }

        /** Continues after the page with this next cursor. */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        @Override
        public DiscoverToolsParams build() {
            return new DiscoverToolsParams(this);
        }
    }
}
