package org.mcpcensus.census;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Rate limit of the client or the account, from the response headers. */
public final class RateLimit {
    private final RawResponse response;

    RateLimit(RawResponse response) {
        this.response = response;
    }

    /** Returns the number of requests in the window; empty if there is no limit. */
    public OptionalLong limit() {
        return number("X-RateLimit-Limit");
    }

    /** Returns the number of remaining requests. */
    public OptionalLong remaining() {
        return number("X-RateLimit-Remaining");
    }

    /** Returns the end of the window. */
    public Optional<Instant> resetAt() {
        OptionalLong reset = number("X-RateLimit-Reset");
        try {
            return reset.isPresent() ? Optional.of(Instant.ofEpochSecond(reset.getAsLong())) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the plan of the key. */
    public Optional<String> plan() {
        return response.header("X-RateLimit-Plan");
    }

    @Override
    public String toString() {
        return "RateLimit(limit=" + limit() + ", remaining=" + remaining() + ", resetAt=" + resetAt() + ")";
    }

    private OptionalLong number(String name) {
        try {
            String text = response.header(name).orElse("");
            return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
