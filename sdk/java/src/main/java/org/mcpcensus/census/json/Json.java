package org.mcpcensus.census.json;

import java.util.Map;

/**
 * Converts JSON. Objects are maps in the order of their members, arrays are lists, and both are
 * unmodifiable. Integers are {@code Long}, or {@code BigInteger} if they are larger; other numbers
 * are {@code Double}. Other values are {@code String}, {@code Boolean} and {@code null}.
 */
public final class Json {
    private Json() {}

    /**
     * Reads a JSON text. If a name is repeated, the last member is used.
     *
     * @param text a JSON text
     * @return its value
     * @throws JsonException if it is not JSON, is nested more than 500 levels deep, or has a number
     *     that no {@code double} is close to
     */
    public static Object read(String text) {
        return new JsonReader(text).document();
    }

    /**
     * Writes a value as JSON without white space. In addition to the values of {@link #read}, it
     * accepts {@link JsonObject}s, any {@code Map}, {@code Iterable}, {@code Number}, or times of
     * {@code java.time}, which are encoded as ISO 8601.
     *
     * @param value a value
     * @return its JSON text
     * @throws IllegalArgumentException if a value is not finite or has another type
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        JsonWriter.write(value, out);
        return out.toString();
    }

    /**
     * Reads a JSON object.
     *
     * @param text a JSON text
     * @return its members
     * @throws JsonException if it is not a JSON object
     */
    public static Map<String, Object> readObject(String text) {
        Map<String, Object> members = JsonObject.members(read(text));
        if (members == null) {
            throw new JsonException("not a JSON object");
        }
        return members;
    }
}
