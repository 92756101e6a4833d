package org.mcpcensus.census.json;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * Base class of the types of the API. It stores the raw members, including unknown ones, and
 * converts a member on access. Optional members are empty if absent, {@code null} or of another
 * type. Objects are immutable, and equal if their classes and members are equal.
 */
public abstract class JsonObject {
    private final Map<String, Object> members;

    /**
     * Wraps a decoded object.
     *
     * @param members as {@link Json#read} returns them
     */
    protected JsonObject(Map<String, Object> members) {
        this.members = Collections.unmodifiableMap(members);
    }

    /**
     * Returns the names of the known members.
     *
     * @return names in the API
     */
    protected abstract Set<String> known();

    /**
     * Returns all members unchanged.
     *
     * @return an unmodifiable map, as of {@link Json#read}
     */
    public final Map<String, Object> toMap() {
        return members;
    }

    /**
     * Returns the unknown members.
     *
     * @return an unmodifiable map, as of {@link Json#read}
     */
    public final Map<String, Object> additionalProperties() {
        Map<String, Object> unknown = new LinkedHashMap<>(members);
        unknown.keySet().removeAll(known());
        return Collections.unmodifiableMap(unknown);
    }

    /**
     * Returns the object as JSON, including unknown members.
     *
     * @return a JSON text
     */
    public final String toJson() {
        return Json.write(members);
    }

    /** Returns the name of the class and the members, shortened to about 500 characters. */
    @Override
    public final String toString() {
        String json = toJson();
        return getClass().getSimpleName() + (json.length() <= 500 ? json : json.substring(0, 499) + "…");
    }

    @Override
    public final boolean equals(Object other) {
        return other != null && getClass() == other.getClass()
                && members.equals(((JsonObject) other).members);
    }

    @Override
    public final int hashCode() {
        return members.hashCode();
    }

    /**
     * Returns a required member.
     *
     * @param <T> its type
     * @param name its name in the API
     * @param decoder converts it; returns null if it is of another type
     * @return the member
     * @throws JsonException if it is absent or of another type
     */
    protected final <T> T required(String name, Function<Object, T> decoder) {
        T value = decode(name, decoder);
        if (value == null) {
            Object given = members.get(name);
            throw new JsonException(getClass().getSimpleName() + " has no valid member " + name + ": "
                    + (given == null ? "it is absent or null" : "got " + given.getClass().getSimpleName()));
        }
        return value;
    }

    /**
     * Returns an optional member.
     *
     * @param <T> its type
     * @param name its name in the API
     * @param decoder converts it; returns null if it is of another type
     * @return the member
     */
    protected final <T> Optional<T> optional(String name, Function<Object, T> decoder) {
        return Optional.ofNullable(decode(name, decoder));
    }

    /**
     * Returns an optional integer.
     *
     * @param name its name in the API
     * @param decoder converts it; returns null if it is of another type
     * @return the member
     */
    protected final OptionalLong optionalLong(String name, Function<Object, Long> decoder) {
        Long value = decode(name, decoder);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /**
     * Returns an optional number.
     *
     * @param name its name in the API
     * @param decoder converts it; returns null if it is of another type
     * @return the member
     */
    protected final OptionalDouble optionalDouble(String name, Function<Object, Double> decoder) {
        Double value = decode(name, decoder);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /**
     * Returns the members that are not in {@link #known}, without those of another type.
     *
     * @param <T> their type
     * @param decoder converts one; returns null if it is of another type
     * @return an unmodifiable map
     */
    protected final <T> Map<String, T> others(Function<Object, T> decoder) {
        return JsonObject.<T>map(decoder).apply(additionalProperties());
    }

    private <T> T decode(String name, Function<Object, T> decoder) {
        Object value = members.get(name);
        return value == null ? null : decoder.apply(value);
    }

    /**
     * Decodes a string.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static String text(Object value) {
        return value instanceof String ? (String) value : null;
    }

    /**
     * Decodes a time in RFC 3339.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static Instant instant(Object value) {
        try {
            return value instanceof String ? OffsetDateTime.parse((String) value).toInstant() : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * Decodes a day.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static LocalDate date(Object value) {
        try {
            return value instanceof String ? LocalDate.parse((String) value) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * Decodes an integer.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static Long integer(Object value) {
        if (value instanceof Double) { // such as 1e3
            double d = (Double) value;
            return d == Math.rint(d) && Math.abs(d) < 1L << 53 ? (Long) (long) d : null;
        }
        return value instanceof Long ? (Long) value : null;
    }

    /**
     * Decodes a number.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static Double number(Object value) {
        return value instanceof Number ? (Double) ((Number) value).doubleValue() : null;
    }

    /**
     * Decodes a Boolean.
     *
     * @param value a value of {@link Json#read}
     * @return null if it is of another type
     */
    protected static Boolean bool(Object value) {
        return value instanceof Boolean ? (Boolean) value : null;
    }

    /**
     * Decodes a list, without items of another type.
     *
     * @param <T> the type of the items
     * @param item decodes one
     * @return a decoder
     */
    protected static <T> Function<Object, List<T>> list(Function<Object, T> item) {
        return value -> {
            if (!(value instanceof List)) {
                return null;
            }
            List<T> items = new ArrayList<>(((List<?>) value).size());
            for (Object v : (List<?>) value) {
                T decoded = v == null ? null : item.apply(v);
                if (decoded != null) {
                    items.add(decoded);
                }
            }
            return Collections.unmodifiableList(items);
        };
    }

    /**
     * Decodes a map, without values of another type.
     *
     * @param <T> the type of the values
     * @param item decodes one
     * @return a decoder
     */
    protected static <T> Function<Object, Map<String, T>> map(Function<Object, T> item) {
        return value -> {
            Map<String, Object> raw = members(value);
            if (raw == null) {
                return null;
            }
            Map<String, T> decoded = new LinkedHashMap<>();
            raw.forEach((name, v) -> {
                T d = v == null ? null : item.apply(v);
                if (d != null) {
                    decoded.put(name, d);
                }
            });
            return Collections.unmodifiableMap(decoded);
        };
    }

    /**
     * Decodes an object.
     *
     * @param <T> its type
     * @param wrap creates it
     * @return a decoder
     */
    protected static <T> Function<Object, T> object(Function<Map<String, Object>, T> wrap) {
        return value -> {
            Map<String, Object> members = members(value);
            return members == null ? null : wrap.apply(members);
        };
    }

    /**
     * Decodes an object without a class.
     *
     * @param value a value of {@link Json#read}
     * @return its members, null if it is of another type
     */
    @SuppressWarnings("unchecked")
    protected static Map<String, Object> members(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : null;
    }
}
