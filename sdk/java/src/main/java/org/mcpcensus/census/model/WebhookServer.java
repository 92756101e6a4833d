// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookServer extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "repository", "status", "score", "grade", "version");

    /** Wraps a decoded object. */
    public WebhookServer(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** URL of the repository. */
    public String repository() {
        return required("repository", JsonObject::text);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Returns the member score. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** Absent if there is no score. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Latest version; absent if unknown. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }
}
