// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** A remote endpoint, as in lists. */
public final class Endpoint extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "url", "liveness");

    /** Wraps a decoded object. */
    public Endpoint(Map<String, Object> members) {
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

    /** Returns the member url. */
    public String url() {
        return required("url", JsonObject::text);
    }

    /** Result of probing the endpoint; null if it was not probed. */
    public Optional<Liveness> liveness() {
        return optional("liveness", object(Liveness::new));
    }
}
