// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class View extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "title", "description", "url", "max");

    /** Wraps a decoded object. */
    public View(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member title. */
    public String title() {
        return required("title", JsonObject::text);
    }

    /** Returns the member description. */
    public String description() {
        return required("description", JsonObject::text);
    }

    /** Base URL for clients. */
    public String url() {
        return required("url", JsonObject::text);
    }

    /** Maximum number of servers in the view. */
    public long max() {
        return required("max", JsonObject::integer);
    }
}
