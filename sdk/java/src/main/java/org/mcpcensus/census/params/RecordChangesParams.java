// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Parameters of {@code servers().changes}. */
public final class RecordChangesParams extends Params {
    private RecordChangesParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds RecordChangesParams. */
    public static final class Builder extends Params.Builder<Builder, RecordChangesParams> {
        private Builder() {}

        /**
         * {@code next} of the previous page, or 0 to start from the beginning. Numbers that this
         * registry has not reached return 400. Default: 0.
         */
        public Builder after(long after) {
            return set("after", after);
        }

        /** Page size. 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Comma-separated members of the records to return. Default: all. */
        public Builder fields(Collection<DetailMemberParam> fields) {
            return set("fields", joined(fields));
        }

        /** Comma-separated members of the records to return. Default: all. */
        public Builder fields(DetailMemberParam... fields) {
            return fields(List.of(fields));
        }

        @Override
        public RecordChangesParams build() {
            return new RecordChangesParams(this);
        }
    }
}
