// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class PackageTransport extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "headers", "url");

    /** Wraps a decoded object. */
    public PackageTransport(Map<String, Object> members) {
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

    /** Returns the member headers. */
    public Optional<List<Variable>> headers() {
        return optional("headers", list(object(Variable::new)));
    }

    /** Returns the member url. */
    public Optional<String> url() {
        return optional("url", JsonObject::text);
    }
}
