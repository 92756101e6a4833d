// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code registry().versions}. */
public final class VersionsParams extends Params {
    private VersionsParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds VersionsParams. */
    public static final class Builder extends Params.Builder<Builder, VersionsParams> {
        private Builder() {}

        /**
         * Whether to include servers that left the registry in the last 90 days, with the
         * status {@code deleted}.
         */
        public Builder includeDeleted(boolean includeDeleted) {
            return set("include_deleted", includeDeleted);
        }

        @Override
        public VersionsParams build() {
            return new VersionsParams(this);
        }
    }
}
