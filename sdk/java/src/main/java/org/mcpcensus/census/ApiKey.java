package org.mcpcensus.census;

import java.nio.charset.StandardCharsets;

/** An API key. Its text only appears in request headers. */
final class ApiKey {
    private final String text;

    private ApiKey(String text) {
        this.text = text;
    }

    /** Returns a key, or null for an empty string. */
    static ApiKey of(String text) {
        String key = text.strip();
        if (!key.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("the API key contains invalid characters");
        }
        return key.isEmpty() ? null : new ApiKey(key);
    }

    String header() {
        return "Bearer " + text;
    }

    /** Returns a body with the key masked. */
    byte[] redact(byte[] body) {
        String latin = new String(body, StandardCharsets.ISO_8859_1); // one character for each byte
        return latin.contains(text)
                ? latin.replace(text, toString()).getBytes(StandardCharsets.ISO_8859_1)
                : body;
    }

    /** Returns the key with its secret part masked. */
    @Override
    public String toString() {
        return (text.length() < 24 ? "" : text.substring(0, 8)) + "...";
    }
}
