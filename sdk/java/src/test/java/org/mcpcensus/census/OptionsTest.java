package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mcpcensus.census.StubClient.KEY;
import static org.mcpcensus.census.StubClient.reply;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final Map<String, Object> CATEGORIES = Map.of("categories", List.of(), "total", 0);

    @ParameterizedTest
    @ValueSource(strings = {"https://registry.example", "https://registry.example/sub/", "http://127.0.0.1:8080",
        "http://127.9.9.9", "http://localhost:1", "http://LOCALHOST", "http://a.localhost", "http://[::1]:8080"})
    void keyIsSent(String url) {
        Census census = Census.builder().baseUrl(url).apiKey(KEY).build();
        assertFalse(census.baseUrl().endsWith("/"));
        census.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://registry.example", "http://127.0.0.1.example", "http://10.0.0.1",
        "http://[::2]", "http://localhost.example", "http://0.0.0.0"})
    void keyIsRefusedOverHttp(String url) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> Census.builder().baseUrl(url).apiKey(KEY).build());
        assertTrue(e.getMessage().startsWith("the API key is not sent to "), e.getMessage());
        Census.builder().baseUrl(url).apiKey("").build().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"registry.example", "ftp://a", "https://", "https://u:p@a", "https://a?b", "https://a#b",
        "https://a b", "https://my_host", "//a", "https:a"})
    void urls(String url) {
        assertThrows(IllegalArgumentException.class, () -> Census.builder().baseUrl(url).apiKey("").build());
    }

    @Test
    void otherSettings() {
        List<Census.Builder> wrong = List.of(Census.builder().timeout(Duration.ZERO),
                Census.builder().connectTimeout(Duration.ofSeconds(-1)), Census.builder().maxRetries(-1),
                Census.builder().header("a b", "c"), Census.builder().header("a", "b\nc"),
                Census.builder().header("Content-Length", "1"), Census.builder().apiKey(KEY + "\n" + KEY),
                Census.builder().apiKey("schlüssel"), Census.builder().httpClient(
                        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build()));
        for (Census.Builder b : wrong) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, b::build);
            assertFalse(e.getMessage().contains(KEY.substring(8)), e.getMessage());
        }
    }

    @Test
    void systemProperties() {
        System.setProperty("census.url", "http://127.0.0.1:3/x/");
        System.setProperty("census.apiKey", " " + KEY + "\n");
        try (Census census = Census.create()) {
            assertEquals("Census(http://127.0.0.1:3/x, mcp_x1y2...)", census.toString());
        } finally {
            System.clearProperty("census.url");
            System.clearProperty("census.apiKey");
        }
    }

    @Test
    void keyIsNeverPrinted() {
        List<String> printed = new ArrayList<>();
        Logger logger = Logger.getLogger("org.mcpcensus.census");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                printed.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.ALL);
        StubClient stub = new StubClient(new IOException("reset"), reply(500, null), reply(200, CATEGORIES));
        Census.Builder builder = stub.builder();
        Census census = builder.build();
        try {
            Response<?> response = census.withResponse(c -> c.directory().categories());
            printed.addAll(List.of(builder.toString(), census.toString(), census.async().toString(),
                    response.toString(), response.raw().toString(), stub.last().toString()));
        } finally {
            logger.removeHandler(handler);
            logger.setLevel(null);
            logger.setUseParentHandlers(true);
        }
        assertEquals("Bearer " + KEY, stub.last().headers().firstValue("Authorization").orElse(""));
        assertTrue(printed.size() > 8 && printed.stream().anyMatch(line -> line.contains("retry in 500 ms")));
        printed.forEach(line -> assertFalse(line.contains(KEY.substring(8)), line));
    }

    @Test
    void headers() {
        StubClient stub = new StubClient(reply(200, CATEGORIES));
        Census census = stub.builder().apiKey("").header("X-A", "1").header("X-B", "2").build();
        census.withOptions(RequestOptions.builder().header("x-b", "3").build()).directory().categories();
        HttpRequest request = stub.last();
        assertEquals(List.of("1", "3"), List.of(request.headers().firstValue("X-A").orElse(""),
                request.headers().firstValue("X-B").orElse("")));
        assertEquals(List.of("3"), request.headers().allValues("X-B"));
        assertEquals(Optional.empty(), request.headers().firstValue("Authorization"));
        assertEquals(Optional.of("application/json"), request.headers().firstValue("Accept"));
        assertTrue(request.headers().firstValue("User-Agent").orElse("").matches(
                "census-java/0\\.1\\.0 \\(Java .+; .+\\)"));
        assertEquals(Optional.of(Duration.ofSeconds(60)), request.timeout());
    }

    @Test
    void ids() {
        StubClient stub = new StubClient(reply(200, Map.of()));
        Census census = stub.census();
        Map<String, String> paths = Map.of("io.github.o/r", "io.github.o%2Fr",
                "größe 東", "gr%C3%B6%C3%9Fe%20%E6%9D%B1",
                "a?b#c%2F+", "a%3Fb%23c%252F%2B", "..a", "..a", "~-_.", "~-_.");
        paths.forEach((id, path) -> {
            census.servers().retrieve(id);
            assertEquals("http://127.0.0.1:1/v1/servers/" + path, stub.last().uri().toString());
        });
        for (String id : new String[] {"", ".", ".."}) {
            Exception e = assertThrows(IllegalArgumentException.class, () -> census.servers().retrieve(id));
            assertEquals("the ID or name must not be " + (id.isEmpty() ? "empty" : "\"" + id + "\""), e.getMessage());
        }
        assertThrows(NullPointerException.class, () -> census.servers().retrieve(null));
    }

    @Test
    void closed() {
        Census census = new StubClient(reply(200, CATEGORIES)).census();
        Census other = census.withOptions(RequestOptions.builder().maxRetries(0).build());
        other.directory().categories();
        census.close();
        assertDoesNotThrow(census::close);
        assertThrows(IllegalStateException.class, () -> other.directory().categories());
    }

    @Test
    void version() throws IOException {
        assertTrue(Files.readString(Path.of("pom.xml")).contains("<version>" + Version.TEXT + "</version>"));
        assertTrue(Files.readString(Path.of("README.md")).contains("census:" + Version.TEXT + "\""));
    }
}
