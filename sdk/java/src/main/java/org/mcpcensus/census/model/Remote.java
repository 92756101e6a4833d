// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Remote extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "url", "headers", "liveness", "variables");

    /** Wraps a decoded object. */
    public Remote(Map<String, Object> members) {
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

    /** Returns the member headers. */
    public List<Variable> headers() {
        return required("headers", list(object(Variable::new)));
    }

    /** Result of probing the endpoint; null if it was not probed. */
    public Optional<Liveness> liveness() {
        return optional("liveness", object(Liveness::new));
    }

    /** Returns the member variables. */
    public Optional<Map<String, Variable>> variables() {
        return optional("variables", map(object(Variable::new)));
    }
}
