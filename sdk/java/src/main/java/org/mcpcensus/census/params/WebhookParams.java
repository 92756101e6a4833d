// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.List;

/** Parameters of {@code webhooks().create}. */
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

        /** Purpose of the endpoint, at most 200 characters. */
        public Builder description(String description) {
            return set("description", description);
        }

        /** Default: true. */
        public Builder enabled(boolean enabled) {
            return set("enabled", enabled);
        }

        /** Types of events to send. All if absent, null or empty. */
        public Builder events(Collection<WebhookEventTypeParam> events) {
            return set("events", events);
        }

        /** Types of events to send. All if absent, null or empty. */
        public Builder events(WebhookEventTypeParam... events) {
            return events(List.of(events));
        }

        /**
         * Name of a custom endpoint without {@code q} (Enterprise plan), to send only events of
         * servers among its results after the change. Cannot be combined with {@code servers}.
         */
        public Builder search(String search) {
            return set("search", search);
        }

        /** IDs of servers. All if absent, null or empty. */
        public Builder servers(Collection<String> servers) {
            return set("servers", servers);
        }

        /** IDs of servers. All if absent, null or empty. */
        public Builder servers(String... servers) {
            return servers(List.of(servers));
        }

        /** https URL with a public host name, and port 443 or 1024 and above. */
        public Builder url(String url) {
            return set("url", url);
        }

        @Override
        public WebhookParams build() {
            return new WebhookParams(this);
        }
    }
}
