// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Of the last 30 days. Other registry types that the server publishes to are members too. */
public final class AnalyticsTotalsDownloads extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("total", "npm", "pypi", "oci");

    /** Wraps a decoded object. */
    public AnalyticsTotalsDownloads(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Of all packages. */
    public OptionalLong total() {
        return optionalLong("total", JsonObject::integer);
    }

    /** Returns the member npm. */
    public OptionalLong npm() {
        return optionalLong("npm", JsonObject::integer);
    }

    /** Returns the member pypi. */
    public OptionalLong pypi() {
        return optionalLong("pypi", JsonObject::integer);
    }

    /** Returns the member oci. */
    public OptionalLong oci() {
        return optionalLong("oci", JsonObject::integer);
    }

    /** Returns the members without a method, by their names. */
    public Map<String, Object> others() {
        return others(v -> v);
    }
}
