// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class BulkAnswer extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("servers", "notFound", "count");

    /** Wraps a decoded object. */
    public BulkAnswer(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member servers. */
    public List<PartialServer> servers() {
        return required("servers", list(object(PartialServer::new)));
    }

    /** Returns the member notFound. */
    public List<String> notFound() {
        return required("notFound", list(JsonObject::text));
    }

    /** Returns the member count. */
    public long count() {
        return required("count", JsonObject::integer);
    }
}
