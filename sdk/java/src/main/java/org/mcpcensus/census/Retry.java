package org.mcpcensus.census;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Retries and delays. */
final class Retry {
    /** Longer waits are errors. */
    static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private static final double YEAR = 366 * 86_400_000.0;

    private Retry() {}

    /** Reports whether another attempt may succeed. */
    static boolean isRetryable(RawResponse response) {
        Optional<String> should = response.header("X-Should-Retry");
        if (should.isPresent() && should.get().strip().equalsIgnoreCase("false")) {
            return false;
        }
        int status = response.status();
        return status == 408 || status == 409 || status == 429 || status >= 500;
    }

    /**
     * Returns the wait that headers request, or null. Dates are compared with the date of the response, not with the
     * local clock.
     */
    static Duration after(HttpHeaders headers, long millis) {
        Duration wait = number(headers.firstValue("Retry-After-Ms"), 1);
        Optional<String> text = headers.firstValue("Retry-After");
        if (wait == null) {
            wait = number(text, 1000);
        }
        Instant at = wait == null ? date(text) : null;
        if (at == null) {
            return wait;
        }
        Instant sent = date(headers.firstValue("Date"));
        wait = Duration.between(sent == null ? Instant.ofEpochMilli(millis) : sent, at);
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    /** Returns the wait after an attempt (0 is the first) without Retry-After. */
    static Duration backoff(int attempt, double random) {
        double seconds = Math.min(0.5 * Math.pow(2, Math.min(attempt, 10)), 8);
        return Duration.ofMillis((long) (1000 * seconds * (1 - 0.25 * random)));
    }

    private static Duration number(Optional<String> text, double unit) {
        try {
            double n = Double.parseDouble(text.orElse("").strip());
            return n >= 0 ? Duration.ofMillis((long) Math.ceil(Math.min(n * unit, YEAR))) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static Instant date(Optional<String> text) {
        try {
            String date = text.orElse("").strip();
            return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
