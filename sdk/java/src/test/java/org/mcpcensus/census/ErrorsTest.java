package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mcpcensus.census.StubClient.KEY;
import static org.mcpcensus.census.StubClient.reply;
import static org.mcpcensus.census.StubClient.text;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.AuthenticationException;
import org.mcpcensus.census.errors.BadRequestException;
import org.mcpcensus.census.errors.GoneException;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.errors.NotFoundException;
import org.mcpcensus.census.errors.PermissionDeniedException;
import org.mcpcensus.census.errors.RateLimitException;
import org.mcpcensus.census.params.DiscoverParams;

class ErrorsTest {
    private static ApiException error(Object reply) {
        return assertThrows(ApiException.class,
                () -> new StubClient(reply).builder().maxRetries(0).build().directory().categories());
    }

    @Test
    void everyStatus() {
        Map<Integer, Class<?>> classes = Map.of(400, BadRequestException.class, 401, AuthenticationException.class,
                403, PermissionDeniedException.class, 404, NotFoundException.class, 410, GoneException.class,
                429, RateLimitException.class);
        for (int status = 300; status < 600; status++) {
            ApiException e = error(reply(status, Map.of("code", "c", "detail", "Wrong.")));
            Class<?> want = status >= 500 ? InternalServerException.class : ApiException.class;
            assertEquals(classes.getOrDefault(status, want), e.getClass());
            assertEquals(status + " c: Wrong.", e.getMessage());
        }
    }

    @Test
    void problem() {
        ApiException e = error(reply(404, Map.of("code", "server_not_found", "title", "T", "detail", "D",
                "requestId", "R", "candidates", List.of("a", "b"), "newer", 1,
                "errors", List.of(Map.of("field", "limit", "message", "M"))), "X-Request-Id", "H"));
        assertEquals(
                Arrays.asList(404, Optional.of("server_not_found"), Optional.of("T"), Optional.of("D"),
                        Optional.of("H"), List.of("a", "b"), "limit", Map.of("newer", 1L)),
                Arrays.asList(e.status(), e.code(), e.title(), e.detail(), e.requestId(),
                        ((NotFoundException) e).candidates(), e.errors().get(0).field(),
                        e.problem().additionalProperties()));
        assertEquals("404 server_not_found: D Did you mean a, b? (request H)", e.getMessage());
        PermissionDeniedException denied = (PermissionDeniedException)
                error(reply(403, Map.of("requiredPlans", List.of("professional"))));
        assertEquals(List.of("professional"), denied.requiredPlans());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"code\":\"x\",\"deta", "[]", "null", "\"x\"", "{\"code\":1,\"errors\":7,"
            + "\"candidates\":{},\"detail\":null}", "<html><h1>502", "\0\u00ff"})
    void otherDocuments(String body) {
        for (int status : new int[] {400, 403, 404, 429, 502}) {
            ApiException e = error(text(status, body, "Content-Type", "text/html"));
            assertEquals(Optional.empty(), e.code());
            assertEquals(List.of(), e.errors());
            assertEquals(body, e.response().text());
            assertEquals(status + ": error response without an explanation", e.getMessage());
        }
    }

    @Test
    void plainText() {
        ApiException e = error(text(503, "upstream\n\u0007is " + "x".repeat(500), "Content-Type", "text/plain"));
        assertTrue(e.getMessage().startsWith("503: upstream is xxx"), e.getMessage());
        assertTrue(e.getMessage().length() < 220);
        e = error(reply(302, null, "Location", "https://other.example/"));
        assertEquals("302: redirected to https://other.example/: set the base URL to that registry", e.getMessage());
    }

    @Test
    void largeErrors() {
        assertEquals(1 << 20, error(text(500, "x".repeat(3 << 20))).response().body().length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"categories\":[", "<html>", "\0\u00ff not JSON", "null"})
    void garbage(String body) {
        InvalidResponseException e = (InvalidResponseException) error(text(200, body, "Content-Type", "text/html"));
        assertTrue(e.getMessage().startsWith("the response is not a JSON object: http://127.0.0.1:1/api/categories "
                + "responded 200 with "), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"servers\":{},\"pagination\":{\"total\":1}}", "{\"servers\":[]}",
        "{\"servers\":[],\"pagination\":[]}", "{\"servers\":[],\"pagination\":{\"total\":\"1\"}}"})
    void otherPages(String body) {
        assertThrows(InvalidResponseException.class, () ->
                new StubClient(text(200, body)).census().discover(DiscoverParams.builder().build()));
    }

    @Test
    void keyInResponses() {
        ApiException e = error(reply(401, Map.of("detail", "The key " + KEY + " is unknown.")));
        assertEquals("401: The key mcp_x1y2... is unknown.", e.getMessage());
        assertFalse(e.response().text().contains(KEY));
    }

    @Test
    void missingKey() {
        assertTrue(error(reply(401, Map.of("code", "missing_api_key", "detail", "D."))).getMessage()
                .endsWith("D. Set CENSUS_API_KEY, or apiKey of the client."));
    }

    @Test
    void futures() {
        CompletionException e = assertThrows(CompletionException.class,
                () -> new StubClient(reply(410, null)).census().async().servers().retrieve("a").join());
        assertEquals(GoneException.class, e.getCause().getClass());
    }

    @Test
    void tooLarge() {
        StubClient stub = new StubClient(new StubClient.Reply(200, new byte[(64 << 20) + 1]));
        Throwable e = assertThrows(RuntimeException.class, () -> stub.census().directory().categories());
        assertEquals("the connection to http://127.0.0.1:1 failed: the response is larger than 67108864 bytes",
                e.getMessage());
        assertEquals(1, stub.requests.size());
    }
}
