package org.mcpcensus.census.params;

/** Parameters of {@code directory().list}. */
public final class DirectoryParams extends Params {
    private DirectoryParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds DirectoryParams. */
    public static final class Builder extends Params.Builder<Builder, DirectoryParams> {
        private Builder() {}

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

        /**
         * Sort order: qualityScore, recommended, stars, downloads, name, updated or created.
         * Default: qualityScore, or relevance with {@link #search}.
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
        public DirectoryParams build() {
            return new DirectoryParams(this);
        }
    }
}
