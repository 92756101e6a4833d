package org.mcpcensus.census.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.mcpcensus.census.model.AnalyticsTotalsDownloads;
import org.mcpcensus.census.model.Health;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.Tool;

class JsonObjectTest {
    private static Server server(String json) {
        return new Server(Json.readObject(json));
    }

    @Test
    void members() {
        Server s = server("{\"id\":\"a\",\"stars\":3,\"popularity\":null,\"updatedAt\":\"2026-01-02T03:04:05.6+02:00\","
                + "\"tags\":[\"x\",null,1],\"grade\":\"S\",\"newer\":{\"a\":[1]},\"healthScore\":71.0}");
        assertEquals("a", s.id());
        assertEquals(OptionalLong.of(3), s.stars());
        assertEquals(OptionalLong.of(71), s.healthScore());
        assertEquals(OptionalLong.empty(), s.popularity());
        assertEquals(Optional.of(Instant.parse("2026-01-02T01:04:05.600Z")), s.updatedAt());
        assertEquals(List.of("x"), s.tags());
        assertEquals(Optional.of("S"), s.grade()); // a value that this version does not know
        assertEquals(Map.of("newer", Map.of("a", List.of(1L))), s.additionalProperties());
        assertTrue(s.toJson().contains("\"newer\":{\"a\":[1]}"));
        assertThrows(UnsupportedOperationException.class, () -> s.toMap().clear());
        assertThrows(UnsupportedOperationException.class, () -> s.tags().clear());
    }

    @Test
    void unexpectedTypes() {
        Server s = server("{\"id\":1,\"stars\":\"3\",\"healthScore\":1.5,\"updatedAt\":\"yesterday\",\"icon\":{},"
                + "\"repository\":\"x\"}");
        assertEquals(OptionalLong.empty(), s.stars());
        assertEquals(OptionalLong.empty(), s.healthScore());
        assertEquals(Optional.empty(), s.updatedAt());
        assertEquals(Optional.empty(), s.icon());
        JsonException wrong = assertThrows(JsonException.class, s::id);
        assertEquals("Server has no valid member id: got Long", wrong.getMessage());
        assertThrows(JsonException.class, s::repository);
        JsonException absent = assertThrows(JsonException.class, s::tags);
        assertEquals("Server has no valid member tags: it is absent or null", absent.getMessage());
    }

    @Test
    void openObjects() {
        AnalyticsTotalsDownloads d = new AnalyticsTotalsDownloads(
                Json.readObject("{\"total\":3,\"npm\":1,\"nuget\":2}"));
        assertEquals(OptionalLong.of(3), d.total());
        assertEquals(OptionalLong.of(1), d.npm());
        assertEquals(Map.of("nuget", 2L), d.others());
        Tool t = new Tool(Json.readObject("{\"inputSchema\":{\"default\":null}}"));
        assertTrue(t.inputSchema().orElseThrow().containsKey("default"));
    }

    @Test
    void equality() {
        assertEquals(server("{\"id\":\"a\"}"), server("{ \"id\" : \"a\" }"));
        assertEquals(server("{\"id\":\"a\"}").hashCode(), server("{\"id\":\"a\"}").hashCode());
        assertNotEquals(server("{\"id\":\"a\"}"), server("{\"id\":\"b\"}"));
        assertFalse(server("{}").equals(new Health(Map.of())));
    }

    @Test
    void text() {
        assertEquals("Server{\"id\":\"a\"}", server("{\"id\":\"a\"}").toString());
        assertTrue(server("{\"id\":\"" + "x".repeat(1000) + "\"}").toString().length() < 520);
    }
}
