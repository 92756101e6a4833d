package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Parameters of {@code servers().bulk}: together 1 to 100 entries. */
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

        /** Slugs. */
        public Builder ids(Collection<String> ids) {
            return set("ids", ids);
        }

        /** Slugs. */
        public Builder ids(String... ids) {
            return ids(List.of(ids));
        }

        /** URLs of repositories. */
        public Builder githubUrls(Collection<String> githubUrls) {
            return set("githubUrls", githubUrls);
        }

        /** URLs of repositories. */
        public Builder githubUrls(String... githubUrls) {
            return githubUrls(List.of(githubUrls));
        }

        /** Names in the official registry. */
        public Builder names(Collection<String> names) {
            return set("names", names);
        }

        /** Names in the official registry. */
        public Builder names(String... names) {
            return names(List.of(names));
        }

        /**
         * Members to return; see {@link org.mcpcensus.census.model.DetailMember}. Default: all.
         */
        public Builder fields(Collection<String> fields) {
            return set("fields", fields);
        }

        /**
         * Members to return; see {@link org.mcpcensus.census.model.DetailMember}. Default: all.
         */
        public Builder fields(String... fields) {
            return fields(List.of(fields));
        }

        @Override
        public BulkParams build() {
            return new BulkParams(this);
        }
    }
}
