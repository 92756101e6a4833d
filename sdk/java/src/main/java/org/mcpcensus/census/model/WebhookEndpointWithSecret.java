// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class WebhookEndpointWithSecret extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "url", "description", "events", "servers", "search", "enabled",
                    "disabledAt", "disabledReason", "failingSince", "createdAt", "updatedAt",
                    "links", "secret");

    /** Wraps a decoded object. */
    public WebhookEndpointWithSecret(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public long id() {
        return required("id", JsonObject::integer);
    }

    /** Returns the member url. */
    public String url() {
        return required("url", JsonObject::text);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Null means all. */
    public Optional<List<String>> events() {
        return optional("events", list(JsonObject::text));
    }

    /** Null means all. */
    public Optional<List<String>> servers() {
        return optional("servers", list(JsonObject::text));
    }

    /** Returns the member search. */
    public Optional<String> search() {
        return optional("search", JsonObject::text);
    }

    /** Returns the member enabled. */
    public boolean enabled() {
        return required("enabled", JsonObject::bool);
    }

    /** Returns the member disabledAt. */
    public Optional<Instant> disabledAt() {
        return optional("disabledAt", JsonObject::instant);
    }

    /**
     * `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries
     * failed for five days. `search`: its custom endpoint was deleted. `events`: the events
     * that it had chosen no longer exist.
     */
    public Optional<String> disabledReason() {
        return optional("disabledReason", JsonObject::text);
    }

    /** Time of the first failure since the last success; null if the last attempt succeeded. */
    public Optional<Instant> failingSince() {
        return optional("failingSince", JsonObject::instant);
    }

    /** Returns the member createdAt. */
    public Instant createdAt() {
        return required("createdAt", JsonObject::instant);
    }

    /** Returns the member updatedAt. */
    public Instant updatedAt() {
        return required("updatedAt", JsonObject::instant);
    }

    /** Returns the member links. */
    public WebhookEndpointLinks links() {
        return required("links", object(WebhookEndpointLinks::new));
    }

    /** Secret that deliveries are signed with: `whsec_` and base64. */
    public String secret() {
        return required("secret", JsonObject::text);
    }
}
