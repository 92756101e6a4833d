// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class OwnAccountPlan extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "name", "priceUsd", "requestsPerDay", "requestsPerHour", "features",
                    "includes", "offered", "until", "next");

    /** Wraps a decoded object. */
    public OwnAccountPlan(Map<String, Object> members) {
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

    /** Price per month in US dollars. */
    public long priceUsd() {
        return required("priceUsd", JsonObject::integer);
    }

    /** Requests to /v1 per UTC day and account; null if unlimited. */
    public OptionalLong requestsPerDay() {
        return optionalLong("requestsPerDay", JsonObject::integer);
    }

    /** Requests to /api per UTC hour with a key of the account; null if unlimited. */
    public OptionalLong requestsPerHour() {
        return optionalLong("requestsPerHour", JsonObject::integer);
    }

    /** Returns the member features. */
    public OwnAccountPlanFeatures features() {
        return required("features", object(OwnAccountPlanFeatures::new));
    }

    /** Features of the plan, and promises of the operator. */
    public List<String> includes() {
        return required("includes", list(JsonObject::text));
    }

    /** Whether the plan is available: it is free, or the operator sells it. */
    public boolean offered() {
        return required("offered", JsonObject::bool);
    }

    /** When the plan ends; null if it renews or has no end. */
    public Optional<Instant> until() {
        return optional("until", JsonObject::instant);
    }

    /** Plan after `until`; null if unchanged. */
    public Optional<String> next() {
        return optional("next", JsonObject::text);
    }
}
