// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Parameters of {@code servers().bulk}. */
public final class BulkParams extends Params {
    private BulkParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds BulkParams. */
    public static final class Builder extends Params.Builder<Builder, BulkParams> {
        private Builder() {}

        /** Members to return. Default: all. */
        public Builder fields(Collection<DetailMemberParam> fields) {
            return set("fields", fields);
        }

        /** Members to return. Default: all. */
        public Builder fields(DetailMemberParam... fields) {
            return fields(List.of(fields));
        }

        /** URLs of repositories. */
        public Builder githubUrls(Collection<String> githubUrls) {
            return set("githubUrls", githubUrls);
        }

        /** URLs of repositories. */
        public Builder githubUrls(String... githubUrls) {
            return githubUrls(List.of(githubUrls));
        }

        /** Slugs. */
        public Builder ids(Collection<String> ids) {
            return set("ids", ids);
        }

        /** Slugs. */
        public Builder ids(String... ids) {
            return ids(List.of(ids));
        }

        /** Names in the official registry. */
        public Builder names(Collection<String> names) {
            return set("names", names);
        }

        /** Names in the official registry. */
        public Builder names(String... names) {
            return names(List.of(names));
        }

        @Override
        public BulkParams build() {
            return new BulkParams(this);
        }
    }
}
