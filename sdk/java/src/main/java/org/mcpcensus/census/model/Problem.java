// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** RFC 9457, with additional members. */
public final class Problem extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "title", "status", "detail", "code", "error", "requestId", "candidates",
                    "errors", "instance", "requiredPlans", "requiredScopes");

    /** Wraps a decoded object. */
    public Problem(Map<String, Object> members) {
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

    /** Returns the member title. */
    public String title() {
        return required("title", JsonObject::text);
    }

    /** Returns the member status. */
    public long status() {
        return required("status", JsonObject::integer);
    }

    /** Returns the member detail. */
    public String detail() {
        return required("detail", JsonObject::text);
    }

    /** Returns the member code. */
    public String code() {
        return required("code", JsonObject::text);
    }

    /** Same as title. */
    public String error() {
        return required("error", JsonObject::text);
    }

    /** Returns the member requestId. */
    public String requestId() {
        return required("requestId", JsonObject::text);
    }

    /** With `server_not_found`: similar slugs, best match first. */
    public Optional<List<String>> candidates() {
        return optional("candidates", list(JsonObject::text));
    }

    /** Returns the member errors. */
    public Optional<List<FieldError>> errors() {
        return optional("errors", list(object(FieldError::new)));
    }

    /** Returns the member instance. */
    public Optional<String> instance() {
        return optional("instance", JsonObject::text);
    }

    /** With `plan_upgrade_required`: the plans that include the feature, cheapest first. */
    public Optional<List<String>> requiredPlans() {
        return optional("requiredPlans", list(JsonObject::text));
    }

    /** With `scope_required`: the missing scopes. */
    public Optional<List<String>> requiredScopes() {
        return optional("requiredScopes", list(JsonObject::text));
    }
}
