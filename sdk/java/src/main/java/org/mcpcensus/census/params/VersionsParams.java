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

        /** Whether to include servers that were removed in the last 90 days. */
        public Builder includeDeleted(boolean includeDeleted) {
            return set("include_deleted", includeDeleted);
        }

        @Override
        public VersionsParams build() {
            return new VersionsParams(this);
        }
    }
}
