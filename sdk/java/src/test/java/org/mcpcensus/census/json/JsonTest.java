package org.mcpcensus.census.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static final String SIGNS = "{}[],:\"\\0-e.u";

    @Test
    void values() {
        Map<String, Object> want = new LinkedHashMap<>();
        want.put("{}", Map.of());
        want.put("[]", List.of());
        want.put(" [1 ,\t-2,\r\n3.5] ", List.of(1L, -2L, 3.5));
        want.put("{\"a\":{\"b\":[true,null]}}", Map.of("a", Map.of("b", Arrays.asList(true, null))));
        want.put("{\"a\":1,\"a\":2}", Map.of("a", 2L));
        want.put("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", "\"\\/\b\f\n\r\té😀");
        want.put("\"\\ud800\"", "\ud800");
        want.put("\"größe 東 \u2028\"", "größe 東 \u2028");
        want.put("0", 0L);
        want.put("-0", 0L);
        want.put("1e3", 1000.0);
        want.put("-1.5E-2", -0.015);
        want.put("1e-999", 0.0);
        want.put("9223372036854775807", Long.MAX_VALUE);
        want.put("-9223372036854775808", Long.MIN_VALUE);
        want.put("9223372036854775808", new BigInteger("9223372036854775808"));
        want.put("\ufeff1", 1L);
        want.forEach((text, value) -> assertEquals(value, Json.read(text), text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
        "{a:1}", "{'a':1}", "[1 2]", "1 2", "nul", "nulll", "True", "01", "-", "-a", "+1", "1.", ".5", "1e", "1e+",
        "NaN", "Infinity", "1e999", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u１２３４\"",
        "\"\n\"",
        "\u0000", "[]]", "}", ",", "<html>", "１"})
    void malformed(String text) {
        assertThrows(JsonException.class, () -> Json.read(text));
    }

    @Test
    void limits() {
        assertEquals(1, ((List<?>) Json.read("[".repeat(500) + "]".repeat(500))).size());
        assertThrows(JsonException.class, () -> Json.read("[".repeat(501) + "]".repeat(501)));
        assertThrows(JsonException.class, () -> Json.read("{\"a\":".repeat(100_000)));
        assertThrows(JsonException.class, () -> Json.read("1".repeat(100_000)));
    }

    @Test
    void written() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("a", Arrays.asList(1, 2.5, null, true, "x"));
        object.put("t", Instant.EPOCH);
        assertEquals("{\"a\":[1,2.5,null,true,\"x\"],\"t\":\"1970-01-01T00:00:00Z\"}", Json.write(object));
        assertEquals("[{},[]]", Json.write(List.of(Map.of(), List.of())));
        assertEquals("\"\\u0000\\n\\u001f\\ud800 \\udc00\\\"\\\\😀é\"",
                Json.write("\u0000\n\u001f\ud800 \udc00\"\\😀é"));
        for (Object wrong : new Object[] {Double.NaN, Float.POSITIVE_INFINITY, new Object(), new int[0]}) {
            assertThrows(IllegalArgumentException.class, () -> Json.write(wrong));
        }
    }

    /** Random values survive being written and read. */
    @Test
    void roundTrip() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            Object value = randomValue(random, 4);
            assertEquals(value, Json.read(Json.write(value)));
        }
    }

    /** Changed texts are read, or refused with the declared exception. */
    @Test
    void changedTexts() throws IOException {
        Random random = new Random(2);
        List<String> seeds = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            seeds.add(Json.write(randomValue(random, 5)));
        }
        Path fixtures = Path.of("../fixtures");
        if (Files.isDirectory(fixtures)) {
            try (Stream<Path> files = Files.list(fixtures)) {
                for (Path file : files.sorted().collect(Collectors.toList())) {
                    String text = Files.readString(file);
                    seeds.add(text.substring(0, Math.min(text.length(), 2000)));
                }
            }
        }
        int accepted = 0;
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] text = seeds.get(random.nextInt(seeds.size())).getBytes(StandardCharsets.UTF_8);
            for (int n = random.nextInt(4); n >= 0 && text.length > 0; n--) {
                int at = random.nextInt(text.length);
                if (random.nextInt(8) == 0) {
                    text = Arrays.copyOf(text, at);
                } else {
                    text[at] = (byte) (random.nextBoolean() ? random.nextInt()
                            : SIGNS.charAt(random.nextInt(SIGNS.length())));
                }
            }
            try {
                Object value = Json.read(new String(text, StandardCharsets.UTF_8));
                assertEquals(value, Json.read(Json.write(value)));
                accepted++;
            } catch (JsonException e) {
                refused++;
            }
        }
        assertTrue(accepted > 1000 && refused > 1000, accepted + " accepted, " + refused + " refused");
    }

    private static Object randomValue(Random random, int depth) {
        switch (random.nextInt(depth > 0 ? 9 : 7)) {
            case 0:
                return null;
            case 1:
                return random.nextBoolean();
            case 2:
                return random.nextLong() >> random.nextInt(64);
            case 3:
                return random.nextGaussian() * Math.pow(10, random.nextInt(600) - 300);
            case 4:
                return new BigInteger(200, random).setBit(70).negate();
            case 5:
            case 6:
                return randomText(random);
            case 7:
                List<Object> items = new ArrayList<>();
                for (int n = random.nextInt(5); n > 0; n--) {
                    items.add(randomValue(random, depth - 1));
                }
                return items;
            default:
                Map<String, Object> members = new LinkedHashMap<>();
                for (int n = random.nextInt(5); n > 0; n--) {
                    members.put(randomText(random), randomValue(random, depth - 1));
                }
                return members;
        }
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(10); n > 0; n--) {
            text.append((char) (random.nextInt(3) == 0 ? random.nextInt(0x10000) : random.nextInt(128)));
        }
        return text.toString();
    }
}
