package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mcpcensus.census.errors.WebhookVerificationException;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.model.WebhookAdvisoryData;
import org.mcpcensus.census.model.WebhookScoreData;
import org.mcpcensus.census.model.WebhookServerData;
import org.mcpcensus.census.model.WebhookStatusData;
import org.mcpcensus.census.model.WebhookTestData;
import org.mcpcensus.census.model.WebhookToolsData;
import org.mcpcensus.census.model.WebhookUpdatedData;
import org.mcpcensus.census.model.WebhookVersionData;

class WebhooksTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = "whsec_YW5vdGhlciBzZWNyZXQgb2YgMjQgYi4u";
    private static final Instant NOW = Instant.ofEpochSecond(1614265330);
    private static final String BODY = "{\"test\": 2432232314}";

    private static Map<String, List<String>> headers(String id, String at, String signature) {
        Map<String, List<String>> headers = new HashMap<>();
        headers.put("webhook-id", List.of(id));
        headers.put("Webhook-Timestamp", List.of(at));
        headers.put("WEBHOOK-SIGNATURE", List.of(signature));
        return headers;
    }

    private static String sign(String body, String at) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(SECRET.substring(6)), "HmacSHA256"));
        byte[] sum = mac.doFinal(("m." + at + "." + body).getBytes(StandardCharsets.UTF_8));
        return "v1," + Base64.getEncoder().encodeToString(sum);
    }

    private static WebhookEvent unwrap(String body, Map<String, List<String>> headers, String... secrets) {
        Map<String, String> given = new HashMap<>();
        headers.forEach((name, values) -> given.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return Webhooks.unwrap(body.getBytes(StandardCharsets.UTF_8),
                name -> given.get(name.toLowerCase(Locale.ROOT)), List.of(secrets), NOW);
    }

    private static WebhookEvent signed(String body, String at) throws Exception {
        return unwrap(body, headers("m", at, sign(body, at)), SECRET);
    }

    @Test
    void exampleOfTheSpecification() {
        WebhookEvent event = unwrap(BODY, headers("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), SECRET);
        assertEquals("msg_p5jXN8AQM9LWM0D4loKWxJek", event.id());
        assertEquals(Map.of("test", 2432232314L), event.additionalProperties());
        assertEquals(Optional.of(NOW), event.timestamp());
    }

    /** The public methods use the clock of the system. */
    @Test
    void publicMethods() throws Exception {
        String at = String.valueOf(Instant.now().getEpochSecond());
        Map<String, List<String>> headers = headers("m", at, sign(BODY, at));
        headers.put(null, List.of("x")); // the status line, in HttpURLConnection
        byte[] body = BODY.getBytes(StandardCharsets.UTF_8);
        assertEquals("m", Webhooks.unwrap(body, headers, OTHER, SECRET).id());
        assertEquals("m", Webhooks.unwrap(body, name -> {
            return headers.get(name.equals("Webhook-Id") ? "webhook-id"
                    : name.equals("Webhook-Signature") ? "WEBHOOK-SIGNATURE" : name).get(0);
        }, SECRET).id());
        assertThrows(IllegalArgumentException.class, () -> Webhooks.unwrap(body, headers, (String) null));
        assertThrows(WebhookVerificationException.class, () -> Webhooks.unwrap(body, name -> null, SECRET));
    }

    @Test
    void event() throws Exception {
        WebhookEvent event = signed("{\"id\":\"x\",\"type\":\"server.later\",\"timestamp\":\"2021-02-25T15:00:00Z\","
                + "\"data\":{\"id\":\"ü\"}}", "1614265330");
        assertEquals("m", event.id());
        assertEquals(Optional.of("server.later"), event.type());
        assertEquals(Map.of("id", "ü"), event.data().get().toMap());
        assertEquals(Optional.of(Instant.parse("2021-02-25T15:00:00Z")), event.timestamp());
    }

    @Test
    void dataOfEachType() throws Exception {
        String text = Files.readString(Path.of("../fixtures/webhook_events.json"));
        List<Object> got = new ArrayList<>();
        for (Object sent : (List<?>) Json.read(text)) {
            WebhookEvent event = signed(Json.write(sent), "1614265330");
            JsonObject data = event.data().get();
            assertEquals(Map.of(), data.additionalProperties());
            if (data instanceof WebhookVersionData) {
                WebhookVersionData version = (WebhookVersionData) data;
                got.add(List.of(version.server().version().get(), version.before(), version.after()));
            } else if (data instanceof WebhookScoreData) {
                WebhookScoreData score = (WebhookScoreData) data;
                got.add(List.of(score.before().score(), score.after().grade()));
            } else if (data instanceof WebhookStatusData) {
                got.add(((WebhookStatusData) data).message().orElse(""));
            } else if (data instanceof WebhookAdvisoryData) {
                got.add(((WebhookAdvisoryData) data).advisories().get(0).severity());
            } else if (data instanceof WebhookToolsData) {
                got.add(((WebhookToolsData) data).added());
            } else if (data instanceof WebhookTestData) {
                got.add(((WebhookTestData) data).message());
            } else {
                assertTrue(data instanceof WebhookServerData || data instanceof WebhookUpdatedData);
            }
        }
        assertEquals(List.of(List.of("1.1.0", "1.0.0", "1.1.0"), List.of(70L, "A"), "", "high", List.of("c"),
                "Use the other one.", "This is a test."), got);
    }

    @Test
    void rotation() throws Exception {
        String good = sign(BODY, "1614265330");
        for (String signatures : new String[] {good, "v1,AAAA " + good, "v1a,x v1,!! v1 " + good + " v2,x"}) {
            unwrap(BODY, headers("m", "1614265330", signatures), OTHER, SECRET);
            unwrap(BODY, headers("m", "1614265330", signatures), SECRET.substring(6));
        }
        assertThrows(WebhookVerificationException.class, () -> unwrap(BODY, headers("m", "1614265330", good), OTHER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1,", "v1,ü", "v1", "v1a,g0hM9SsE", "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    void forged(String signature) {
        WebhookVerificationException e = assertThrows(WebhookVerificationException.class,
                () -> unwrap(BODY, headers("m", "1614265330", signature), SECRET));
        assertEquals("no signature matches the secret", e.getMessage());
    }

    @Test
    void changed() throws Exception {
        String good = sign(BODY, "1614265330");
        assertThrows(WebhookVerificationException.class,
                () -> unwrap(BODY + " ", headers("m", "1614265330", good), SECRET));
        assertThrows(WebhookVerificationException.class,
                () -> unwrap(BODY, headers("n", "1614265330", good), SECRET));
        assertThrows(WebhookVerificationException.class,
                () -> unwrap(BODY, headers("m", "1614265331", good), SECRET));
        assertThrows(WebhookVerificationException.class, () -> unwrap(BODY, Map.of(), SECRET));
    }

    @ParameterizedTest
    @CsvSource({"300,", "-300,", "301,301 s ago", "-301,in 301 s"})
    void tolerance(long age, String message) throws Exception {
        String at = String.valueOf(NOW.getEpochSecond() - age);
        if (message == null) {
            signed(BODY, at);
            return;
        }
        String text = assertThrows(WebhookVerificationException.class, () -> signed(BODY, at)).getMessage();
        assertTrue(text.contains(message), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-5", "1e9", "٣", "99999999999999999999", " 1"})
    void timestamps(String at) {
        assertThrows(WebhookVerificationException.class, () -> signed(BODY, at));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "null"})
    void bodies(String body) {
        assertThrows(WebhookVerificationException.class, () -> signed(body, "1614265330"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "whsec_", "whsec_!", "ü"})
    void secrets(String secret) {
        assertThrows(IllegalArgumentException.class, () -> unwrap(BODY, headers("m", "1", "v1,x"), secret));
        assertThrows(IllegalArgumentException.class, () -> unwrap(BODY, headers("m", "1", "v1,x")));
    }
}
