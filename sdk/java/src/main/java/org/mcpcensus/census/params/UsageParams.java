// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.time.LocalDate;

/** Parameters of {@code account().usage}. */
public final class UsageParams extends Params {
    private UsageParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds UsageParams. */
    public static final class Builder extends Params.Builder<Builder, UsageParams> {
        private Builder() {}

        /**
         * First day, in UTC. Default: 29 days before {@code to}. The range can span at most 366
         * days.
         */
        public Builder from(LocalDate from) {
            return set("from", from);
        }

        /** Last day, in UTC. Default: today. */
        public Builder to(LocalDate to) {
            return set("to", to);
        }

        @Override
        public UsageParams build() {
            return new UsageParams(this);
        }
    }
}
