// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.json.UnknownObject;

/**
 * The body of a delivery, less than 20 kB. `data` depends on `type`; ignore unknown types,
 * because more may be added. Server events contain the server after the event, or before it
 * was removed. Long lists are truncated; `count` is the full number.
 */
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

    /** What happened. A newer registry may have other types. */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** When the event happened. */
    public Instant timestamp() {
        return required("timestamp", JsonObject::instant);
    }

    /** Returns what the event is about, in the class for the type, else an UnknownObject. */
    public JsonObject data() {
        switch (type()) {
            case "server.listed":
            case "server.gone":
                return required("data", object(WebhookServerData::new));
            case "server.updated":
                return required("data", object(WebhookUpdatedData::new));
            case "server.version":
                return required("data", object(WebhookVersionData::new));
            case "server.score_changed":
                return required("data", object(WebhookScoreData::new));
            case "server.deprecated":
            case "server.archived":
                return required("data", object(WebhookStatusData::new));
            case "server.advisory":
                return required("data", object(WebhookAdvisoryData::new));
            case "server.tools_changed":
                return required("data", object(WebhookToolsData::new));
            case "webhook.test":
                return required("data", object(WebhookTestData::new));
            default:
                return required("data", object(UnknownObject::new));
        }
    }
}
