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

    /**
     * What the event is about, in the class for the type: a {@code WebhookVersionData} for
     * {@code server.version}. Data of a type that this version does not know is an
     * {@link UnknownObject}.
     */
    public Optional<JsonObject> data() {
        return type().isPresent() && optional("data", JsonObject::members).isPresent()
                ? Optional.of(new WebhookPayload(toMap()).data())
                : Optional.empty();
    }
}
