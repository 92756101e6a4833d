package org.mcpcensus.census.json;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A recursive descent parser of RFC 8259. */
final class JsonReader {
    private static final int MAX_DEPTH = 500;

    /** Maximum length of integers, because conversion takes quadratic time. */
    private static final int MAX_DIGITS = 1000;

    private final String text;
    private int at;
    private int depth;

    JsonReader(String text) {
        this.text = text;
        this.at = text.startsWith("\uFEFF") ? 1 : 0;
    }

    Object document() {
        Object value = value();
        if (peek() >= 0) {
            throw error("text after the value");
        }
        return value;
    }

    private Object value() {
        int c = peek();
        switch (c) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                return literal("true", Boolean.TRUE);
            case 'f':
                return literal("false", Boolean.FALSE);
            case 'n':
                return literal("null", null);
            default:
                if (c == '-' || isDigit(c)) {
                    return number();
                }
                throw error(c < 0 ? "the text ends too early" : "unexpected character");
        }
    }

    private Map<String, Object> object() {
        enter();
        Map<String, Object> members = new LinkedHashMap<>();
        for (boolean more = peek() != '}'; more; more = more('}')) {
            if (peek() != '"') {
                throw error("expected the name of a member");
            }
            String name = string();
            if (peek() != ':') {
                throw error("expected ':'");
            }
            at++;
            members.put(name, value());
        }
        leave();
        return Collections.unmodifiableMap(members);
    }

    private List<Object> array() {
        enter();
        List<Object> items = new ArrayList<>();
        for (boolean more = peek() != ']'; more; more = more(']')) {
            items.add(value());
        }
        leave();
        return Collections.unmodifiableList(items);
    }

    private void enter() {
        if (++depth > MAX_DEPTH) {
            throw error("nested more than " + MAX_DEPTH + " levels deep");
        }
        at++;
    }

    private void leave() {
        depth--;
        at++;
    }

    /** Consumes a comma and returns true, or returns false before the end of the group. */
    private boolean more(char end) {
        int c = peek();
        if (c == ',') {
            at++;
            return true;
        }
        if (c == end) {
            return false;
        }
        throw error(c < 0 ? "the text ends too early" : "expected ',' or '" + end + "'");
    }

    private Object literal(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw error("unexpected character");
        }
        at += word.length();
        return value;
    }

    private String string() {
        int start = ++at;
        StringBuilder built = null;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                String part = text.substring(start, at - 1);
                return built == null ? part : built.append(part).toString();
            }
            if (c < ' ') {
                at--;
                throw error("control character in a string");
            }
            if (c == '\\') {
                built = built == null ? new StringBuilder() : built;
                built.append(text, start, at - 1).append(escaped());
                start = at;
            }
        }
        throw error("the text ends too early");
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : 0;
        switch (c) {
            case '"':
            case '\\':
            case '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                int code = 0;
                for (int end = at + 4; at < end; at++) {
                    int digit = at < text.length() ? hex(text.charAt(at)) : -1;
                    if (digit < 0) {
                        throw error("expected four hexadecimal digits");
                    }
                    code = code * 16 + digit;
                }
                return (char) code;
            default:
                throw error("unknown escape sequence");
        }
    }

    /** Like Character.digit, but for ASCII digits only. */
    private static int hex(char c) {
        return c < 128 ? Character.digit(c, 16) : -1;
    }

    private Number number() {
        int start = at;
        if (text.charAt(at) == '-') {
            at++;
        }
        int first = at;
        int digits = digits();
        if (digits > 1 && text.charAt(first) == '0') {
            at = first;
            throw error("a number begins with 0");
        }
        boolean whole = true;
        if (at < text.length() && text.charAt(at) == '.') {
            whole = false;
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            whole = false;
            at++;
            if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                at++;
            }
            digits();
        }
        String number = text.substring(start, at);
        if (whole && digits <= 18) {
            return Long.valueOf(number);
        }
        return whole ? integer(number, digits) : real(number);
    }

    private Number integer(String number, int digits) {
        if (digits > MAX_DIGITS) {
            throw error("a number has more than " + MAX_DIGITS + " digits");
        }
        BigInteger value = new BigInteger(number);
        return value.bitLength() < Long.SIZE ? (Number) value.longValue() : value;
    }

    private Number real(String number) {
        double value = Double.parseDouble(number);
        if (Double.isInfinite(value)) {
            throw error("a number is too large");
        }
        return value;
    }

    /** Consumes digits and returns their number, at least 1. */
    private int digits() {
        int start = at;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        if (at == start) {
            throw error("expected a digit");
        }
        return at - start;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** Skips white space and returns the next character, -1 at the end. */
    private int peek() {
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return c;
            }
        }
        return -1;
    }

    private JsonException error(String what) {
        return new JsonException("not JSON: " + what + ", at character " + at);
    }
}
