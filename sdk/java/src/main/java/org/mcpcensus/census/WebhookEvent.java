package org.mcpcensus.census;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** A verified webhook. */
public final class WebhookEvent extends JsonObject {
    private static final Set<String> KNOWN = Set.of("id", "type", "timestamp", "data");

    WebhookEvent(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** The same for each delivery of the event: use it to ignore repetitions. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** What happened, such as {@code server.updated}. */
    public Optional<String> type() {
        return optional("type", JsonObject::text);
    }

    /** When the event happened, or else when it was sent. */
    public Optional<Instant> timestamp() {
        return optional("timestamp", JsonObject::instant);
    }

    /** What the event is about. */
    public Optional<Map<String, Object>> data() {
        return optional("data", JsonObject::members);
    }
}
