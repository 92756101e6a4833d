// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code servers().analytics}. */
public final class AnalyticsParams extends Params {
    private AnalyticsParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds AnalyticsParams. */
    public static final class Builder extends Params.Builder<Builder, AnalyticsParams> {
        private Builder() {}

        /** Length of the period. One of 7d, 30d, 90d, 1y. Default: 30d. */
        public Builder period(String period) {
            return set("period", period);
        }

        /** Interval of the series. One of day, week. Default: day. */
        public Builder interval(String interval) {
            return set("interval", interval);
        }

        @Override
        public AnalyticsParams build() {
            return new AnalyticsParams(this);
        }
    }
}
