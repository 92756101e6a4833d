// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.time.Instant;

/** Parameters of {@code registry().list}. */
public final class EntriesParams extends Params {
    private EntriesParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds EntriesParams. */
    public static final class Builder extends Params.Builder<Builder, EntriesParams> {
        private Builder() {}

        /** Page size. 1 to 100. Default: 30. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Cursor for the next page (from {@code nextCursor}). */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        /** Full-text search over names, titles, descriptions, tags and tools. */
        public Builder search(String search) {
            return set("search", search);
        }

        /** {@code latest}, or an exact version. */
        public Builder version(String version) {
            return set("version", version);
        }

        /**
         * Only records that changed at or after this time, including those deleted in the last
         * 90 days.
         */
        public Builder updatedSince(Instant updatedSince) {
            return set("updated_since", updatedSince);
        }

        /**
         * Whether to include servers that left the registry in the last 90 days, with the
         * status {@code deleted}.
         */
        public Builder includeDeleted(boolean includeDeleted) {
            return set("include_deleted", includeDeleted);
        }

        @Override
        public EntriesParams build() {
            return new EntriesParams(this);
        }
    }
}
