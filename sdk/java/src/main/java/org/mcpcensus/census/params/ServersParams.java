package org.mcpcensus.census.params;

/** Parameters of {@code servers().list}. */
public final class ServersParams extends Params {
    private ServersParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ServersParams. */
    public static final class Builder extends Params.Builder<Builder, ServersParams> {
        private Builder() {}

        /** Only servers in this category; see {@link org.mcpcensus.census.model.Category}. */
        public Builder category(String category) {
            return set("category", category);
        }

        /** Only servers with this SDK; see {@link org.mcpcensus.census.model.Sdk}. */
        public Builder sdk(String sdk) {
            return set("sdk", sdk);
        }

        /** Full-text search over names, descriptions and tags. */
        public Builder search(String search) {
            return set("search", search);
        }

        /** True returns only official servers, false only others. */
        public Builder official(boolean official) {
            return set("official", official);
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

        @Override
        public ServersParams build() {
            return new ServersParams(this);
        }
    }
}
