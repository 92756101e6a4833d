// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Evidence extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "ref", "url", "text");

    /** Wraps a decoded object. */
    public Evidence(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member type. */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** Returns the member ref. */
    public String ref() {
        return required("ref", JsonObject::text);
    }

    /** Returns the member url. */
    public Optional<String> url() {
        return optional("url", JsonObject::text);
    }

    /** Returns the member text. */
    public Optional<String> text() {
        return optional("text", JsonObject::text);
    }
}
