// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Parameters of {@code servers().list}. */
public final class ServersParams extends Params {
    private ServersParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ServersParams. */
    public static final class Builder extends Params.Builder<Builder, ServersParams> {
        private Builder() {}

        /** Page number. Default: 1. */
        public Builder page(int page) {
            return set("page", page);
        }

        /** Page size. 1 to 100. Default: 20. */
        public Builder limit(int limit) {
            return set("limit", limit);
        }

        /** Only servers in this category. */
        public Builder category(CategoryParam category) {
            return set("category", category);
        }

        /**
         * Only servers that use this SDK. Aliases: js, javascript, ts and node for typescript,
         * py for python, golang for go, c# and dotnet for csharp.
         */
        public Builder sdk(SdkParam sdk) {
            return set("sdk", sdk);
        }

        /**
         * Full-text search over names, descriptions and tags. Results can be paginated up to
         * the 10,000th.
         */
        public Builder search(String search) {
            return set("search", search);
        }

        /**
         * {@code all} returns only servers that match all meaningful words of the text; frequent
         * words beside rare ones are not meaningful. {@code some} returns these first, then servers
         * that match some. One of all, some. Default: some.
         */
        public Builder match(String match) {
            return set("match", match);
        }

        /** {@code true} returns only official servers, {@code false} only others. */
        public Builder official(boolean official) {
            return set("official", official);
        }

        /**
         * Continues after the page that returned this value as {@code nextCursor}. Items are neither
         * skipped nor repeated while data changes. The cursor includes the search; only
         * {@code limit} may differ. {@code page} must be 1 or omitted.
         */
        public Builder cursor(String cursor) {
            return set("cursor", cursor);
        }

        @Override
        public ServersParams build() {
            return new ServersParams(this);
        }
    }
}
