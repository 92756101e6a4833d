// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class OwnAccount extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("plan", "limits", "key");

    /** Wraps a decoded object. */
    public OwnAccount(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member plan. */
    public OwnAccountPlan plan() {
        return required("plan", object(OwnAccountPlan::new));
    }

    /** Returns the member limits. */
    public OwnAccountLimits limits() {
        return required("limits", object(OwnAccountLimits::new));
    }

    /** Returns the member key. */
    public OwnAccountKey key() {
        return required("key", object(OwnAccountKey::new));
    }
}
