// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.score_changed`. */
public final class WebhookScoreData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "before", "after");

    /** Wraps a decoded object. */
    public WebhookScoreData(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member server. */
    public WebhookServer server() {
        return required("server", object(WebhookServer::new));
    }

    /** Returns the member before. */
    public WebhookRating before() {
        return required("before", object(WebhookRating::new));
    }

    /** Returns the member after. */
    public WebhookRating after() {
        return required("after", object(WebhookRating::new));
    }
}
