// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code registry().retrieve}. */
public final class EntryParams extends Params {
    private EntryParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds EntryParams. */
    public static final class Builder extends Params.Builder<Builder, EntryParams> {
        private Builder() {}

        /** {@code latest}, or a version. */
        public Builder version(String version) {
            return set("version", version);
        }

        /**
         * Whether to include servers that left the registry in the last 90 days, with the
         * status {@code deleted}.
         */
        public Builder includeDeleted(boolean includeDeleted) {
            return set("include_deleted", includeDeleted);
        }

        @Override
        public EntryParams build() {
            return new EntryParams(this);
        }
    }
}
