package org.mcpcensus.census.params;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A condition on a field. Values are strings, numbers, Booleans or {@link Instant}s. Unknown values
 * only match {@link #not} and {@code exists(false)}.
 */
public final class Condition {
    private final Object value;

    private Condition(Object value) {
        this.value = value;
    }

    /** Equal to a value. */
    public static Condition is(Object value) {
        return new Condition(checked(value));
    }

    /** Not equal to a value. */
    public static Condition not(Object value) {
        return operator("ne", checked(value));
    }

    /** Equal to one of the values. */
    public static Condition oneOf(Object... values) {
        return oneOf(Arrays.asList(values));
    }

    /** Equal to one of the values. */
    public static Condition oneOf(Collection<?> values) {
        values.forEach(Condition::checked);
        return operator("in", List.copyOf(values));
    }

    /** Greater than or equal to a number or time. */
    public static Condition atLeast(Object value) {
        return operator("gte", checked(value));
    }

    /** Less than or equal to a number or time. */
    public static Condition atMost(Object value) {
        return operator("lte", checked(value));
    }

    /** Greater than a number or time. */
    public static Condition above(Object value) {
        return operator("gt", checked(value));
    }

    /** Less than a number or time. */
    public static Condition below(Object value) {
        return operator("lt", checked(value));
    }

    /** Between two numbers or times, inclusive. */
    public static Condition between(Object low, Object high) {
        return new Condition(Map.of("gte", checked(low), "lte", checked(high)));
    }

    /** Known, or unknown with false. */
    public static Condition exists(boolean known) {
        return operator("exists", known);
    }

    /** A condition in the format of the API, such as {@code Map.of("gte", 50)}. */
    public static Condition of(Object form) {
        return new Condition(Objects.requireNonNull(form, "form"));
    }

    /** Returns the condition in the format of the API. */
    public Object value() {
        return value;
    }

    /** Returns the format of the API. */
    @Override
    public String toString() {
        return "Condition(" + value + ")";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition && value.equals(((Condition) other).value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    private static Condition operator(String name, Object value) {
        return new Condition(Map.of(name, value));
    }

    private static Object checked(Object value) {
        if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean
                || value instanceof Instant) {
            return value;
        }
        throw new IllegalArgumentException("a condition compares with a text, number, Boolean or "
                + "Instant, got " + (value == null ? null : value.getClass().getName()));
    }
}
