// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookAdvisoryItem extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "severity", "fixedIn", "package", "title", "url");

    /** Wraps a decoded object. */
    public WebhookAdvisoryItem(Map<String, Object> members) {
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

    /** Returns the member severity. */
    public String severity() {
        return required("severity", JsonObject::text);
    }

    /** First version without the vulnerability. */
    public Optional<String> fixedIn() {
        return optional("fixedIn", JsonObject::text);
    }

    /** Returns the member package. */
    public Optional<String> packageValue() {
        return optional("package", JsonObject::text);
    }

    /** Returns the member title. */
    public Optional<String> title() {
        return optional("title", JsonObject::text);
    }

    /** Returns the member url. */
    public Optional<String> url() {
        return optional("url", JsonObject::text);
    }
}
