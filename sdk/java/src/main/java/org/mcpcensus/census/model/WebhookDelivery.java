// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookDelivery extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "eventId", "state", "attempts", "nextAttemptAt", "lastAttemptAt",
                    "responseStatus", "error", "durationMs", "deliveredAt", "createdAt",
                    "payload");

    /** Wraps a decoded object. */
    public WebhookDelivery(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public long id() {
        return required("id", JsonObject::integer);
    }

    /** ID of the event, sent as the header `webhook-id`. */
    public String eventId() {
        return required("eventId", JsonObject::text);
    }

    /** Returns the member state. */
    public String state() {
        return required("state", JsonObject::text);
    }

    /** Attempts since the delivery was created or resent. */
    public long attempts() {
        return required("attempts", JsonObject::integer);
    }

    /** Returns the member nextAttemptAt. */
    public Optional<Instant> nextAttemptAt() {
        return optional("nextAttemptAt", JsonObject::instant);
    }

    /** Returns the member lastAttemptAt. */
    public Optional<Instant> lastAttemptAt() {
        return optional("lastAttemptAt", JsonObject::instant);
    }

    /** HTTP status of the last response; null if there was none. */
    public OptionalLong responseStatus() {
        return optionalLong("responseStatus", JsonObject::integer);
    }

    /** Returns the member error. */
    public Optional<String> error() {
        return optional("error", JsonObject::text);
    }

    /** Returns the member durationMs. */
    public OptionalLong durationMs() {
        return optionalLong("durationMs", JsonObject::integer);
    }

    /** Returns the member deliveredAt. */
    public Optional<Instant> deliveredAt() {
        return optional("deliveredAt", JsonObject::instant);
    }

    /** Returns the member createdAt. */
    public Instant createdAt() {
        return required("createdAt", JsonObject::instant);
    }

    /**
     * The body of a delivery, less than 20 kB. `data` depends on `type`; ignore unknown types,
     * because more may be added. Server events contain the server after the event, or before
     * it was removed. Long lists are truncated; `count` is the full number.
     */
    public WebhookPayload payload() {
        return required("payload", object(WebhookPayload::new));
    }
}
