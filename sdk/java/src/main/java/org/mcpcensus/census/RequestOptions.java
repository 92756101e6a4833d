package org.mcpcensus.census;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Settings that differ for some calls; see {@link Census#withOptions}. */
public final class RequestOptions {
    private final Duration timeout;
    private final Integer maxRetries;
    private final Map<String, String> headers;

    private RequestOptions(Builder builder) {
        this.timeout = builder.timeout;
        this.maxRetries = builder.maxRetries;
        Map<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        copy.putAll(builder.headers);
        this.headers = Collections.unmodifiableMap(copy);
    }

    /** Returns a builder that changes nothing. */
    public static Builder builder() {
        return new Builder();
    }

    Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    Optional<Integer> maxRetries() {
        return Optional.ofNullable(maxRetries);
    }

    Map<String, String> headers() {
        return headers;
    }

    /** Builds RequestOptions. */
    public static final class Builder {
        private Duration timeout;
        private Integer maxRetries;
        private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

        private Builder() {}

        /** The timeout of each attempt, including the body of the response. */
        public Builder timeout(Duration timeout) {
            this.timeout = Objects.requireNonNull(timeout, "timeout");
            return this;
        }

        /** Maximum number of retries. */
        public Builder maxRetries(int maxRetries) {
            this.maxRetries = maxRetries;
            return this;
        }

        /** A header of each request; it replaces one of the client. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** Returns the options. */
        public RequestOptions build() {
            return new RequestOptions(this);
        }
    }
}
