package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mcpcensus.census.StubClient.reply;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.CheckPendingException;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.params.HealthParams;

class HealthTest {
    private static final StubClient.Reply DONE = reply(200, Map.of("status", "scored", "score", 71));

    private static StubClient.Reply pending(String... headers) {
        return reply(202, Map.of("status", "pending", "githubUrl", "https://github.com/o/r",
                "statusUrl", "https://evil.example/api/checks/A%2FB+"), headers);
    }

    @Test
    void waits() {
        StubClient stub = new StubClient(pending("Retry-After", "3"), pending(), pending("Retry-After", "0"), DONE);
        assertEquals(71, stub.census().health(HealthParams.ofGithubUrl("o/r")).score().orElseThrow());
        assertEquals(List.of(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(500)), stub.waits);
        assertEquals(List.of("http://127.0.0.1:1/api/health?githubUrl=o%2Fr",
                        "http://127.0.0.1:1/api/checks/A%2FB%2B", "http://127.0.0.1:1/api/checks/A%2FB%2B",
                        "http://127.0.0.1:1/api/checks/A%2FB%2B"),
                stub.requests.stream().map(r -> r.uri().toString()).collect(Collectors.toList()));
    }

    @Test
    void doesNotWait() {
        StubClient stub = new StubClient(pending("Retry-After", "3"));
        CheckPendingException e = assertThrows(CheckPendingException.class, () -> stub.census().health(
                HealthParams.builder().githubUrl("o/r").waitUntilDone(false).build()));
        assertEquals(List.of("A/B+", "https://github.com/o/r", Duration.ofSeconds(3)),
                List.of(e.checkId(), e.githubUrl(), e.retryAfter()));
        assertEquals(1, stub.requests.size());
    }

    @Test
    void repeatsACheckThatEndsWithoutAResult() {
        HealthParams params = HealthParams.ofGithubUrl("o/r");
        for (String code : List.of("check_failed", "check_not_found")) {
            StubClient.Reply failed = reply(code.equals("check_failed") ? 502 : 404, Map.of("code", code),
                    "X-Should-Retry", "false");
            StubClient stub = new StubClient(pending(), failed, pending(), DONE);
            assertEquals(71, stub.census().health(params).score().orElseThrow());
            assertEquals(List.of("/api/health", "/api/checks/A/B+", "/api/health", "/api/checks/A/B+"),
                    stub.requests.stream().map(r -> r.uri().getPath()).collect(Collectors.toList()));

            StubClient twice = new StubClient(pending(), failed, pending(), failed);
            ApiException e = assertThrows(ApiException.class, () -> twice.census().health(params));
            assertEquals(code, e.code().orElseThrow());
            assertEquals(4, twice.requests.size());

            StubClient busy = new StubClient(pending(), failed,
                    reply(503, Map.of("code", "unavailable"), "Retry-After", "3600"));
            e = assertThrows(InternalServerException.class, () -> busy.census().health(params));
            assertEquals("unavailable", e.code().orElseThrow());
        }
    }

    @Test
    void waitsNoLongerThanItMay() {
        StubClient stub = new StubClient(pending("Retry-After", "20"));
        assertThrows(CheckPendingException.class, () -> stub.census().health(
                HealthParams.builder().githubUrl("o/r").maxWait(Duration.ofSeconds(50)).build()));
        assertEquals(2, stub.waits.size());
    }

    @Test
    void check() {
        StubClient stub = new StubClient(DONE);
        for (String id : new String[] {"A/B+", "/api/checks/A%2FB+", "https://evil.example/api/checks/A%2FB+?x=1"}) {
            stub.census().check(id);
            assertEquals("http://127.0.0.1:1/api/checks/A%2FB%2B", stub.last().uri().toString());
        }
        assertThrows(CheckPendingException.class, () -> new StubClient(pending()).census().check("A"));
    }

    @Test
    void invalid() {
        for (Object body : List.of(Map.of(), List.of(), Map.of("statusUrl", "/api/checks/%", "githubUrl", "x"))) {
            assertThrows(InvalidResponseException.class, () ->
                    new StubClient(reply(202, body)).census().health(HealthParams.ofServer("a")));
        }
    }
}
