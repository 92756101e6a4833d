package org.mcpcensus.census;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.mcpcensus.census.errors.WebhookVerificationException;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.json.JsonException;

/**
 * Verifies and parses webhooks as specified by Standard Webhooks. Requires neither a key nor the
 * registry.
 */
public final class Webhooks {
    /** Maximum deviation of the timestamp. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    private static final int MAX_SIGNATURES = 100;

    private Webhooks() {}

    /**
     * Verifies a webhook and returns its event.
     *
     * @param body the raw body of the request
     * @param headers the headers of the request; only the first value of each is used
     * @param secrets {@code whsec_} and base64; pass both secrets during a rotation
     * @throws WebhookVerificationException if the signature is invalid, or the webhook is more than five minutes old or
     *     new, or not a JSON object
     * @throws IllegalArgumentException if there is no secret, or one is malformed
     */
    public static WebhookEvent unwrap(byte[] body, Map<String, List<String>> headers, String... secrets) {
        Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> {
            if (name != null && values != null && !values.isEmpty() && values.get(0) != null) {
                given.put(name, values.get(0));
            }
        });
        return unwrap(body, given::get, secrets);
    }

    /**
     * Verifies a webhook and returns its event.
     *
     * @param body the raw body of the request
     * @param header returns a header of the request by case-insensitive name, or null;
     *     such as {@code request::getHeader} of a servlet
     * @param secrets {@code whsec_} and base64; pass both secrets during a rotation
     * @throws WebhookVerificationException if the signature is invalid, or the webhook is more than five minutes old or
     *     new, or not a JSON object
     * @throws IllegalArgumentException if there is no secret, or one is malformed
     */
    public static WebhookEvent unwrap(byte[] body, UnaryOperator<String> header, String... secrets) {
        return unwrap(body, header, Arrays.asList(secrets), Instant.now());
    }

    static WebhookEvent unwrap(
            byte[] body, UnaryOperator<String> header, Collection<String> secrets, Instant now) {
        String id = header(header, "Webhook-Id");
        String sent = header(header, "Webhook-Timestamp");
        String signatures = header(header, "Webhook-Signature");
        if (secrets.isEmpty() || secrets.stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException("a secret is required");
        }
        List<byte[]> expected = new ArrayList<>();
        for (String secret : secrets) {
            expected.add(signature(secret, (id + "." + sent + ".").getBytes(StandardCharsets.UTF_8), body));
        }
        if (!matches(signatures, expected)) {
            throw new WebhookVerificationException("no signature matches the secret");
        }
        return event(id, fresh(sent, now), body);
    }

    private static String header(UnaryOperator<String> header, String name) {
        String value = header.apply(name);
        if (value == null || value.isEmpty()) {
            throw new WebhookVerificationException("the header " + name + " is missing");
        }
        return value;
    }

    private static byte[] signature(String secret, byte[] prefix, byte[] body) {
        String text = secret.strip();
        byte[] key = new byte[0];
        try {
            key = Base64.getDecoder().decode(text.startsWith("whsec_") ? text.substring(6) : text);
        } catch (IllegalArgumentException e) {
            // The message of the cause would contain parts of the secret.
        }
        if (key.length == 0) {
            throw new IllegalArgumentException("the secret must be whsec_ followed by base64");
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(prefix);
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is not available", e);
        }
    }

    private static boolean matches(String signatures, List<byte[]> expected) {
        boolean found = false;
        String[] all = signatures.strip().split("\\s+", MAX_SIGNATURES);
        for (String signature : all) {
            if (!signature.startsWith("v1,")) {
                continue;
            }
            try {
                byte[] given = Base64.getDecoder().decode(signature.substring(3));
                for (byte[] e : expected) {
                    found |= MessageDigest.isEqual(given, e);
                }
            } catch (IllegalArgumentException e) {
                // Not base64: does not match.
            }
        }
        return found;
    }

    /** Returns when the webhook was sent. */
    private static Instant fresh(String sent, Instant now) {
        if (!sent.matches("[0-9]{1,11}")) {
            throw new WebhookVerificationException("webhook-timestamp is not a number of seconds");
        }
        Instant at = Instant.ofEpochSecond(Long.parseLong(sent));
        Duration age = Duration.between(at, now);
        if (age.abs().compareTo(TOLERANCE) > 0) {
            String when = age.isNegative()
                    ? "in " + age.negated().toSeconds() + " s" : age.toSeconds() + " s ago";
            throw new WebhookVerificationException("the webhook was sent " + when + "; accepted are "
                    + TOLERANCE.toSeconds() + " s. Check the clock.");
        }
        return at;
    }

    private static WebhookEvent event(String id, Instant sent, byte[] body) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("timestamp", sent.toString());
        try {
            members.putAll(Json.readObject(new String(body, StandardCharsets.UTF_8)));
        } catch (JsonException e) {
            throw new WebhookVerificationException("the body is not a JSON object");
        }
        members.put("id", id);
        return new WebhookEvent(members);
    }
}
