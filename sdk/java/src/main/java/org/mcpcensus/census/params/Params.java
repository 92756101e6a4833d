package org.mcpcensus.census.params;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The parameters of a request. They are immutable. */
public abstract class Params {
    private final Map<String, Object> values;

    Params(Builder<?, ?> builder) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(builder.values));
    }

    /** Returns the parameters that are set, by their names in the API. */
    public final Map<String, Object> values() {
        return values;
    }

    /** Returns the name of the class and the parameters. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + values;
    }

    @Override
    public final boolean equals(Object other) {
        return other != null && getClass() == other.getClass()
                && values.equals(((Params) other).values);
    }

    @Override
    public final int hashCode() {
        return values.hashCode();
    }

    /**
     * Collects parameters. A parameter that is not set, or is set to null, is not sent.
     *
     * @param <B> the builder
     * @param <P> what it builds
     */
    public abstract static class Builder<B extends Builder<B, P>, P extends Params> {
        private final Map<String, Object> values = new LinkedHashMap<>();

        Builder() {}

        /**
         * Sets a parameter that this version has no method for.
         *
         * @param name its name in the API
         * @param value a value that {@code Json} writes; texts, numbers and Booleans in a query
         */
        public final B parameter(String name, Object value) {
            return set(Objects.requireNonNull(name, "name"), value);
        }

        /** Sets the parameters that others have. */
        @SuppressWarnings("unchecked")
        public final B parameters(P others) {
            values.putAll(others.values());
            return (B) this;
        }

        /** Returns the parameters. The builder can be reused. */
        public abstract P build();

        @SuppressWarnings("unchecked")
        final B set(String name, Object value) {
            if (value == null) {
                values.remove(name);
            } else {
                values.put(name, plain(value));
            }
            return (B) this;
        }

        /** Returns values separated by commas, as queries have them; null for null. */
        static String joined(Collection<?> all) {
            return all == null ? null : all.stream().map(String::valueOf).collect(Collectors.joining(","));
        }

        private static Object plain(Object value) {
            if (value instanceof Collection) {
                return ((Collection<?>) value).stream().map(Builder::plain)
                        .collect(Collectors.toUnmodifiableList());
            }
            return value instanceof Enum ? value.toString() : value;
        }
    }
}
