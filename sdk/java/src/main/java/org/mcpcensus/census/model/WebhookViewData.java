// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `view.changed`. The lists contain server IDs. */
public final class WebhookViewData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("view", "added", "removed", "count");

    /** Wraps a decoded object. */
    public WebhookViewData(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Name of the custom endpoint. */
    public String view() {
        return required("view", JsonObject::text);
    }

    /** Returns the member added. */
    public List<String> added() {
        return required("added", list(JsonObject::text));
    }

    /** Returns the member removed. */
    public List<String> removed() {
        return required("removed", list(JsonObject::text));
    }

    /** Full number, if the lists are truncated. */
    public long count() {
        return required("count", JsonObject::integer);
    }
}
