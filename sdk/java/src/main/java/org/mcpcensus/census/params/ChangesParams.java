// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code directory().changes}. */
public final class ChangesParams extends Params {
    private ChangesParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ChangesParams. */
    public static final class Builder extends Params.Builder<Builder, ChangesParams> {
        private Builder() {}

        /**
         * {@code next} of the previous page, or 0 to start from the beginning. Numbers that this
         * registry has not reached return 400. Default: 0.
         */
        public Builder after(long after) {
            return set("after", after);
        }

        /** Page size. 1 to 50. Default: 50. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        @Override
        public ChangesParams build() {
            return new ChangesParams(this);
        }
    }
}
