package org.mcpcensus.census.params;

/** Parameters of {@code custom().run}. */
public final class CustomRunParams extends Params {
    private CustomRunParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds CustomRunParams. */
    public static final class Builder extends Params.Builder<Builder, CustomRunParams> {
        private Builder() {}

        /** Page number; not allowed with a cursor. */
        public Builder page(int page) {
            return set("page", page);
        }

        /** Page size, 1 to 100. Default: the limit of the definition. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Continues after the page with this next cursor. */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        @Override
        public CustomRunParams build() {
            return new CustomRunParams(this);
        }
    }
}
