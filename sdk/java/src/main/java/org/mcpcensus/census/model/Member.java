// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Member extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "name", "subfolder", "score", "grade", "computedAt", "health");

    /** Wraps a decoded object. */
    public Member(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Slug; null if the server is not listed. */
    public Optional<String> server() {
        return optional("server", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member subfolder. */
    public Optional<String> subfolder() {
        return optional("subfolder", JsonObject::text);
    }

    /** Returns the member score. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** When the score was computed. */
    public Optional<Instant> computedAt() {
        return optional("computedAt", JsonObject::instant);
    }

    /** URL of the server's health report. */
    public Optional<String> health() {
        return optional("health", JsonObject::text);
    }
}
