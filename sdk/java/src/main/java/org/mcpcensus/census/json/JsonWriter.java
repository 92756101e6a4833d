package org.mcpcensus.census.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.Temporal;
import java.util.Map;

/** Writes values as JSON. */
final class JsonWriter {
    private JsonWriter() {}

    static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number) {
            number((Number) value, out);
        } else if (value instanceof CharSequence || value instanceof Temporal) {
            string(value.toString(), out);
        } else if (value instanceof JsonObject) {
            write(((JsonObject) value).toMap(), out);
        } else if (value instanceof Map) {
            object((Map<?, ?>) value, out);
        } else if (value instanceof Iterable) {
            array((Iterable<?>) value, out);
        } else {
            throw new IllegalArgumentException("JSON has no " + value.getClass().getName());
        }
    }

    private static void object(Map<?, ?> members, StringBuilder out) {
        char before = '{';
        for (Map.Entry<?, ?> member : members.entrySet()) {
            out.append(before);
            before = ',';
            string(String.valueOf(member.getKey()), out);
            out.append(':');
            write(member.getValue(), out);
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private static void array(Iterable<?> items, StringBuilder out) {
        char before = '[';
        for (Object item : items) {
            out.append(before);
            before = ',';
            write(item, out);
        }
        out.append(before == '[' ? "[]" : "]");
    }

    private static void number(Number n, StringBuilder out) {
        if (n instanceof Double || n instanceof Float) {
            double d = n.doubleValue();
            if (Double.isNaN(d) || Double.isInfinite(d)) {
                throw new IllegalArgumentException("JSON has no number " + d);
            }
        } else if (!(n instanceof Long || n instanceof Integer || n instanceof Short
                || n instanceof Byte || n instanceof BigInteger || n instanceof BigDecimal)) {
            throw new IllegalArgumentException("JSON has no " + n.getClass().getName());
        }
        out.append(n);
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"':
                case '\\':
                    out.append('\\').append(c);
                    break;
                case '\n':
                    out.append("\\n");
                    break;
                default:
                    if (c < ' ' || Character.isSurrogate(c) && !isPair(text, i)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
            }
        }
        out.append('"');
    }

    /** Reports whether the surrogate at i is half of a pair, and so can be encoded. */
    private static boolean isPair(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
