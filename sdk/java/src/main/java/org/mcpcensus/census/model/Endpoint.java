// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import org.mcpcensus.census.json.JsonObject;

/** A remote in lists. */
public final class Endpoint extends JsonObject {
    /** Wraps a decoded object. */
    public Endpoint(Map<String, Object> members) {
        super(members);
    }

    /** Returns the member type. */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** Returns the member url. */
    public String url() {
        return required("url", JsonObject::text);
    }

    /** Whether the endpoint answers our probes; null if it was not probed. */
    public Optional<Liveness> liveness() {
        return optional("liveness", object(Liveness::new));
    }
}
