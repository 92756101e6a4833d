// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.advisory`. */
public final class WebhookAdvisoryData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "advisories", "count");

    /** Wraps a decoded object. */
    public WebhookAdvisoryData(Map<String, Object> members) {
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

    /** Returns the member advisories. */
    public List<WebhookAdvisoryItem> advisories() {
        return required("advisories", list(object(WebhookAdvisoryItem::new)));
    }

    /** Full number, if the lists are truncated. */
    public long count() {
        return required("count", JsonObject::integer);
    }
}
