// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** The body of a delivery, less than 20 kB. */
public final class WebhookPayload extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "timestamp", "data");

    /** Wraps a decoded object. */
    public WebhookPayload(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** One of WebhookEventType, or `webhook.test`. There may be more in future. */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** When the event happened. */
    public Instant timestamp() {
        return required("timestamp", JsonObject::instant);
    }

    /**
     * Events of servers have `server` with `id`, `name`, `repository`, `status`, `score`,
     * `grade` and `version`, as it is after the event. In addition `server.updated` has
     * `changed` (names of members), `server.version` and `server.score_changed` have `before`
     * and `after`, `server.deprecated` and `server.archived` have `message` and
     * `successorUrl`, `server.advisory` has `advisories`, `server.tools_changed` has `added`,
     * `removed` and `changed` (names of tools), and `view.changed` has `view`, `added` and
     * `removed` (ids of servers). Long lists are shortened; `count` is the number of all.
     */
    public Map<String, Object> data() {
        return required("data", JsonObject::members);
    }
}
