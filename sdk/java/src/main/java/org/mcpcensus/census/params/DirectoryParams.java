// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
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

        /** Only servers in this category. */
        public Builder category(CategoryParam category) {
            return set("category", category);
        }

        /**
         * Full-text search over names, descriptions and tags. Results can be paginated up to
         * the 10,000th.
         */
        public Builder search(String search) {
            return set("search", search);
        }

        /**
         * {@code all} returns only servers that match all meaningful words of the text; frequent
         * words beside rare ones are not meaningful. {@code some} returns these first, then servers
         * that match some. One of all, some. Default: some.
         */
        public Builder match(String match) {
            return set("match", match);
        }

        /** {@code true} returns only official servers, {@code false} only others. */
        public Builder official(boolean official) {
            return set("official", official);
        }

        /**
         * Sort order, descending for numbers and times, ascending for names. Unknown values
         * are last. Default: qualityScore.
         */
        public Builder sort(DirectorySort sort) {
            return set("sort", sort);
        }

        /** Page size. 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Number of entries to skip. With {@code cursor}, it must be 0 or omitted. Default: 0. */
        public Builder offset(int offset) {
            return set("offset", offset);
        }

        /**
         * Continues after the page that returned this value as {@code nextCursor}. Items are neither
         * skipped nor repeated while data changes. The cursor includes the filters and sort
         * order; only {@code limit} and {@code format} may differ. It is valid only for the endpoint that
         * returned it.
         */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        @Override
        public DirectoryParams build() {
            return new DirectoryParams(this);
        }
    }
}
