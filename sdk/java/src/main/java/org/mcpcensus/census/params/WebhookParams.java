package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Settings of a webhook endpoint. */
public final class WebhookParams extends Params {
    private WebhookParams(Builder builder) {
        super(builder);
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds WebhookParams. */
    public static final class Builder extends Params.Builder<Builder, WebhookParams> {
        private Builder() {}

        /** https URL with a public host name. */
        public Builder url(String url) {
            return set("url", url);
        }

        /** Description, at most 200 characters. */
        public Builder description(String description) {
            return set("description", description);
        }

        /** Event types; see {@link org.mcpcensus.census.model.WebhookEventType}. Default: all. */
        public Builder events(Collection<String> events) {
            return set("events", events);
        }

        /** Event types; see {@link org.mcpcensus.census.model.WebhookEventType}. Default: all. */
        public Builder events(String... events) {
            return events(List.of(events));
        }

        /** IDs of servers. Default: all. */
        public Builder servers(Collection<String> servers) {
            return set("servers", servers);
        }

        /** IDs of servers. Default: all. */
        public Builder servers(String... servers) {
            return servers(List.of(servers));
        }

        /** Custom endpoint, for events of its servers only. Not together with servers. */
        public Builder search(String search) {
            return set("search", search);
        }

        /** Default: true. */
        public Builder enabled(boolean enabled) {
            return set("enabled", enabled);
        }

        @Override
        public WebhookParams build() {
            return new WebhookParams(this);
        }
    }
}
