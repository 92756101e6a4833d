package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mcpcensus.census.StubClient.reply;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mcpcensus.census.errors.ApiConnectionException;
import org.mcpcensus.census.errors.ApiTimeoutException;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.errors.RateLimitException;
import org.mcpcensus.census.params.SearchParams;

class RetryTest {
    private static final Map<String, Object> CATEGORIES = Map.of("categories", List.of(), "total", 0);

    private static List<Long> millis(StubClient stub) {
        return stub.waits.stream().map(Duration::toMillis).collect(Collectors.toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 502, 503, 504, 599})
    void retriedStatuses(int status) {
        StubClient stub = new StubClient(reply(status, null), reply(status, null), reply(200, CATEGORIES));
        Response<?> response = stub.census().withResponse(c -> c.directory().categories());
        assertEquals(2, response.raw().retries());
        assertEquals(List.of(500L, 1000L), millis(stub));
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 304, 400, 401, 403, 404, 410, 418, 422, 451})
    void otherStatuses(int status) {
        StubClient stub = new StubClient(reply(status, null));
        assertThrows(RuntimeException.class, () -> stub.census().directory().categories());
        assertEquals(1, stub.requests.size());
    }

    @Test
    void backoff() {
        StubClient stub = new StubClient(reply(500, null));
        assertThrows(InternalServerException.class,
                () -> stub.builder().maxRetries(7).build().directory().categories());
        assertEquals(List.of(500L, 1000L, 2000L, 4000L, 8000L, 8000L, 8000L), millis(stub));
        assertEquals(Duration.ofMillis(375), Retry.backoff(0, 1));
    }

    @Test
    void searchesAreRetried() {
        StubClient stub = new StubClient(new IOException("reset"), reply(200,
                Map.of("servers", List.of(), "pagination", Map.of("total", 0))));
        assertEquals(0, stub.census().search(SearchParams.builder().q("x").build()).total());
        assertEquals(List.of("{\"q\":\"x\"}", "{\"q\":\"x\"}"),
                stub.requests.stream().map(StubClient::bodyOf).collect(Collectors.toList()));
    }

    @Test
    void connectionErrors() {
        IOException cause = new IOException("reset");
        StubClient stub = new StubClient(cause);
        ApiConnectionException e = assertThrows(ApiConnectionException.class,
                () -> stub.census().directory().categories());
        assertSame(cause, e.getCause());
        assertEquals("the connection to http://127.0.0.1:1 failed: reset", e.getMessage());
        assertEquals(3, stub.requests.size());

        StubClient refused = new StubClient(new ConnectException());
        e = assertThrows(ApiConnectionException.class, () -> refused.census().directory().categories());
        assertEquals("cannot connect to http://127.0.0.1:1: ConnectException. Is that your registry? "
                + "Set CENSUS_URL, or baseUrl of the client.", e.getMessage());

        StubClient slow = new StubClient(new HttpTimeoutException("slow"));
        e = assertThrows(ApiTimeoutException.class, () -> slow.census().directory().categories());
        assertEquals("no response from http://127.0.0.1:1 within 60 s", e.getMessage());

        StubClient silent = new StubClient(new HttpConnectTimeoutException("slow"));
        e = assertThrows(ApiTimeoutException.class, () -> silent.census().directory().categories());
        assertEquals("no connection to http://127.0.0.1:1 within 10 s", e.getMessage());
    }

    @Test
    void stackTraceOfTheCaller() {
        StubClient stub = new StubClient(reply(404, null));
        Throwable e = assertThrows(RuntimeException.class, () -> stub.census().directory().categories());
        assertEquals(true, List.of(e.getStackTrace()).stream()
                .anyMatch(f -> f.getClassName().equals(RetryTest.class.getName())));
    }

    @ParameterizedTest
    @CsvSource({"1,1000", "0,0", "1.5,1500", "60,60000"})
    void retryAfter(String header, long wait) {
        StubClient stub = new StubClient(reply(503, null, "Retry-After", header), reply(200, CATEGORIES));
        stub.census().directory().categories();
        assertEquals(List.of(wait), millis(stub));
    }

    @Test
    void longWaitsAreReportedAtOnce() {
        StubClient stub = new StubClient(reply(429, null, "Retry-After", "3600", "X-RateLimit-Limit", "100",
                "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1700003600"));
        RateLimitException e = assertThrows(RateLimitException.class,
                () -> stub.census().directory().categories());
        assertEquals(1, stub.requests.size());
        assertEquals(Optional.of(Duration.ofHours(1)), e.retryAfter());
        assertEquals(100, e.limit().orElseThrow());
        assertEquals(0, e.remaining().orElseThrow());
        assertEquals(1_700_003_600, e.resetAt().orElseThrow().getEpochSecond());
        assertEquals("429: error response without an explanation (retry after 3600 s)", e.getMessage());
    }

    @Test
    void shouldRetry() {
        StubClient stub = new StubClient(reply(500, null, "X-Should-Retry", "False"));
        assertInstanceOf(InternalServerException.class, assertThrows(RuntimeException.class,
                () -> stub.census().directory().categories()));
        assertEquals(1, stub.requests.size());
    }

    @Test
    void headers() {
        Map<Map<String, String>, Duration> want = new HashMap<>();
        want.put(Map.of("Retry-After-Ms", "1500", "Retry-After", "9"), Duration.ofMillis(1500));
        want.put(Map.of("Retry-After-Ms", "soon", "Retry-After", "9"), Duration.ofSeconds(9));
        want.put(Map.of("Retry-After", "1e300"), Duration.ofDays(366));
        want.put(Map.of("Retry-After", "-1"), null);
        want.put(Map.of("Retry-After", "NaN"), null);
        want.put(Map.of("Retry-After", ""), null);
        want.put(Map.of("Retry-After", "tomorrow"), null);
        want.put(Map.of(), null);
        want.put(Map.of("Retry-After", "Thu, 01 Jan 1970 00:01:00 GMT"), Duration.ofSeconds(60));
        want.put(Map.of("Retry-After", "Thu, 01 Jan 1970 00:01:00 GMT", "Date", "Thu, 01 Jan 1970 00:00:30 GMT"),
                Duration.ofSeconds(30));
        want.put(Map.of("Retry-After", "Wed, 31 Dec 1969 00:00:00 GMT"), Duration.ZERO);
        want.forEach((headers, wait) -> {
            Map<String, List<String>> lists = new HashMap<>();
            headers.forEach((name, value) -> lists.put(name, List.of(value)));
            Duration got = Retry.after(HttpHeaders.of(lists, (n, v) -> true), 0);
            assertEquals(wait, got, headers.toString());
        });
        assertNull(want.get(Map.of()));
    }
}
