package org.mcpcensus.census;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.json.UnknownObject;
import org.mcpcensus.census.model.WebhookPayload;

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

    /** ID of the event, the same for each delivery. Use it to ignore duplicates. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Type of the event, such as {@code server.updated}. */
    public Optional<String> type() {
        return optional("type", JsonObject::text);
    }

    /** When the event happened or, if unknown, when it was sent. */
    public Optional<Instant> timestamp() {
        return optional("timestamp", JsonObject::instant);
    }

    /**
     * Data of the event, in the class for its type: a {@code WebhookVersionData} for {@code
     * server.version}, and an {@link UnknownObject} for unknown types.
     */
    public Optional<JsonObject> data() {
        return type().isPresent() && optional("data", JsonObject::members).isPresent()
                ? Optional.of(new WebhookPayload(toMap()).data())
                : Optional.empty();
    }
}
