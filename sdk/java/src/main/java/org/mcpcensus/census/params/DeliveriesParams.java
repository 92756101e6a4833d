// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code webhooks().deliveries}. */
public final class DeliveriesParams extends Params {
    private DeliveriesParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds DeliveriesParams. */
    public static final class Builder extends Params.Builder<Builder, DeliveriesParams> {
        private Builder() {}

        /** Page size. 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Continues after the page that returned this value as {@code before}. */
        public Builder before(long before) {
            return set("before", before);
        }

        @Override
        public DeliveriesParams build() {
            return new DeliveriesParams(this);
        }
    }
}
