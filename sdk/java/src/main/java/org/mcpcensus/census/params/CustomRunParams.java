// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
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

        /** Page number. Default: 1. */
        public Builder page(int page) {
            return set("page", page);
        }

        /** Page size. Default: {@code limit} of the definition. 1 to 100. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /**
         * Continues after the page that returned this value as {@code nextCursor}. Items are neither
         * skipped nor repeated while data changes. The cursor includes the search; only
         * {@code limit} may differ. {@code page} must be 1 or omitted.
         */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        @Override
        public CustomRunParams build() {
            return new CustomRunParams(this);
        }
    }
}
