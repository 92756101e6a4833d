// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class OwnAccountPlanFeatures extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("analytics", "bulk", "changes", "customEndpoints");

    /** Wraps a decoded object. */
    public OwnAccountPlanFeatures(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member analytics. */
    public boolean analytics() {
        return required("analytics", JsonObject::bool);
    }

    /** Returns the member bulk. */
    public boolean bulk() {
        return required("bulk", JsonObject::bool);
    }

    /** Returns the member changes. */
    public boolean changes() {
        return required("changes", JsonObject::bool);
    }

    /** Returns the member customEndpoints. */
    public boolean customEndpoints() {
        return required("customEndpoints", JsonObject::bool);
    }
}
