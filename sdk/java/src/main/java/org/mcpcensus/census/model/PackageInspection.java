// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class PackageInspection extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("registryType", "identifier", "inspection");

    /** Wraps a decoded object. */
    public PackageInspection(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member registryType. */
    public String registryType() {
        return required("registryType", JsonObject::text);
    }

    /** Returns the member identifier. */
    public String identifier() {
        return required("identifier", JsonObject::text);
    }

    /**
     * Result of starting a package in a sandbox, without network access and with made-up
     * values. The check starts of the score uses it. Absent from a package that was not
     * started.
     */
    public Inspection inspection() {
        return required("inspection", object(Inspection::new));
    }
}
