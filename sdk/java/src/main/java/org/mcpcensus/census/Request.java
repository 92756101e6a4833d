package org.mcpcensus.census;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.mcpcensus.census.json.Json;

/** A request. Its path is encoded and below the base URL. */
final class Request {
    private static final List<String> FORM = List.of("limit", "facets", "format");
    private static final String HEX = "0123456789ABCDEF";
    private static final String UNRESERVED =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    final String method;
    final String path;
    final boolean once;
    private final Map<String, Object> query;
    private final Map<String, Object> body;

    private Request(String method, String path, Map<String, Object> query, Map<String, Object> body) {
        this(method, path, query, body, false);
    }

    private Request(String method, String path, Map<String, Object> query, Map<String, Object> body,
            boolean once) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.body = body;
        this.once = once;
    }

    static Request get(String path, Map<String, Object> query) {
        return new Request("GET", path, query, null);
    }

    static Request get(String path) {
        return get(path, Map.of());
    }

    static Request withBody(String method, String path, Map<String, Object> body) {
        return new Request(method, path, Map.of(), body);
    }

    static Request post(String path) {
        return new Request("POST", path, Map.of(), null);
    }

    /** Returns the request, to be retried only after 429, because it creates or sends something. */
    Request once() {
        return new Request(method, path, query, body, true);
    }

    static Request delete(String path) {
        return new Request("DELETE", path, Map.of(), null);
    }

    /** Joins segments of a path, which begins with a slash. Values are encoded. */
    static String path(String... segments) {
        StringBuilder path = new StringBuilder();
        for (String segment : segments) {
            Objects.requireNonNull(segment, "the ID or name");
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                throw new IllegalArgumentException(segment.isEmpty()
                        ? "the ID or name must not be empty"
                        : "the ID or name must not be \"" + segment + "\"");
            }
            path.append('/').append(encode(segment));
        }
        return path.toString();
    }

    /** Returns the URL at a registry. */
    String url(String base) {
        StringBuilder url = new StringBuilder(base).append(path);
        char before = '?';
        for (Map.Entry<String, Object> parameter : query.entrySet()) {
            url.append(before).append(encode(parameter.getKey())).append('=')
                    .append(encode(text(parameter.getValue())));
            before = '&';
        }
        return url.toString();
    }

    /** Returns the body as JSON, or null. */
    byte[] content() {
        return body == null ? null : Json.write(body).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the request of the page at a cursor, which is sent as a parameter. Cursors include
     * the filters and sort order, so only parameters for the format of the page are repeated.
     */
    Request after(Object cursor, String parameter) {
        if (!parameter.equals("cursor")) {
            Map<String, Object> all = new LinkedHashMap<>(query);
            all.put(parameter, cursor);
            return new Request(method, path, all, null);
        }
        Map<String, Object> form = new LinkedHashMap<>(body == null ? query : body);
        form.keySet().retainAll(FORM);
        form.put("cursor", cursor);
        return body == null
                ? new Request(method, path, form, null)
                : new Request(method, path, query, form);
    }

    /** Returns a parameter, or null. */
    Object parameter(String name) {
        return (body == null ? query : body).get(name);
    }

    private static String text(Object value) {
        if (value instanceof Double || value instanceof Float) {
            double d = ((Number) value).doubleValue();
            if (Double.isNaN(d) || Double.isInfinite(d)) {
                throw new IllegalArgumentException("a parameter must not be " + d);
            }
            return BigDecimal.valueOf(d).stripTrailingZeros().toPlainString();
        }
        return value.toString();
    }

    private static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (UNRESERVED.indexOf(b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.charAt(b >> 4 & 15)).append(HEX.charAt(b & 15));
            }
        }
        return encoded.toString();
    }
}
