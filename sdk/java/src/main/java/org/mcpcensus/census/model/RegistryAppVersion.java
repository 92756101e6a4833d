// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class RegistryAppVersion extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("version", "git_commit", "build_time");

    /** Wraps a decoded object. */
    public RegistryAppVersion(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member version. */
    public String version() {
        return required("version", JsonObject::text);
    }

    /** Returns the member git_commit. */
    public String gitCommit() {
        return required("git_commit", JsonObject::text);
    }

    /** Returns the member build_time. */
    public String buildTime() {
        return required("build_time", JsonObject::text);
    }
}
