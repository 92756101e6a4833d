package org.mcpcensus.census.errors;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.mcpcensus.census.RawResponse;

/** Status 429: the hourly or daily limit is reached. */
public class RateLimitException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public RateLimitException(RawResponse response) {
        super(response);
    }

    /**
     * Returns the number of requests in the window.
     *
     * @return empty if unknown
     */
    public OptionalLong limit() {
        return response().rateLimit().limit();
    }

    /**
     * Returns the number of remaining requests.
     *
     * @return empty if unknown
     */
    public OptionalLong remaining() {
        return response().rateLimit().remaining();
    }

    /**
     * Returns the end of the window.
     *
     * @return empty if unknown
     */
    public Optional<Instant> resetAt() {
        return response().rateLimit().resetAt();
    }
}
