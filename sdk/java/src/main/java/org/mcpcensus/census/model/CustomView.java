// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class CustomView extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("url");

    /** Wraps a decoded object. */
    public CustomView(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member url. */
    public String url() {
        return required("url", JsonObject::text);
    }
}
