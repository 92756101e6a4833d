// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Health extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "githubUrl", "subfolder", "indexed", "isMcpServer", "official",
                    "status", "score", "grade", "scoreLow", "scoreHigh", "coverage",
                    "confidence", "commitChance", "popularity", "scoreVersion", "commit",
                    "computedAt", "breakdown", "caps", "flags", "improve", "links", "stale",
                    "warnings", "members", "reason");

    /** Wraps a decoded object. */
    public Health(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member server. */
    public Optional<String> server() {
        return optional("server", JsonObject::text);
    }

    /** Returns the member githubUrl. */
    public Optional<String> githubUrl() {
        return optional("githubUrl", JsonObject::text);
    }

    /** Returns the member subfolder. */
    public Optional<String> subfolder() {
        return optional("subfolder", JsonObject::text);
    }

    /** Whether it is listed. */
    public boolean indexed() {
        return required("indexed", JsonObject::bool);
    }

    /** Null if the code host blocks the repository. */
    public Optional<Boolean> isMcpServer() {
        return optional("isMcpServer", JsonObject::bool);
    }

    /** The vendor of the product itself publishes the server. Null if there is no server. */
    public Optional<Boolean> official() {
        return optional("official", JsonObject::bool);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Returns the member score. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** A from 80, B from 65, C from 50, D from 30. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** The score if all unknown checks failed. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** The score if all unknown checks passed. */
    public OptionalLong scoreHigh() {
        return optionalLong("scoreHigh", JsonObject::integer);
    }

    /** Returns the member coverage. */
    public OptionalDouble coverage() {
        return optionalDouble("coverage", JsonObject::number);
    }

    /** Returns the member confidence. */
    public Optional<String> confidence() {
        return optional("confidence", JsonObject::text);
    }

    /**
     * Share of servers like this one that had a commit by a person in the next 90 days. Not
     * part of the score. `null` if it is not known or the repository is archived. See
     * docs/scoring.md.
     */
    public OptionalDouble commitChance() {
        return optionalDouble("commitChance", JsonObject::number);
    }

    /** Returns the member popularity. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Returns the member scoreVersion. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Returns the member commit. */
    public Optional<String> commit() {
        return optional("commit", JsonObject::text);
    }

    /** Returns the member computedAt. */
    public Optional<Instant> computedAt() {
        return optional("computedAt", JsonObject::instant);
    }

    /** Returns the member breakdown. */
    public List<HealthCategory> breakdown() {
        return required("breakdown", list(object(HealthCategory::new)));
    }

    /** Returns the member caps. */
    public List<Cap> caps() {
        return required("caps", list(object(Cap::new)));
    }

    /** Returns the member flags. */
    public List<String> flags() {
        return required("flags", list(JsonObject::text));
    }

    /** Returns the member improve. */
    public List<Improvement> improve() {
        return required("improve", list(object(Improvement::new)));
    }

    /** Returns the member links. */
    public HealthLinks links() {
        return required("links", object(HealthLinks::new));
    }

    /** Returns the member stale. */
    public boolean stale() {
        return required("stale", JsonObject::bool);
    }

    /** Returns the member warnings. */
    public List<String> warnings() {
        return required("warnings", list(JsonObject::text));
    }

    /** The servers of the repository, if it has several and the address names none of them. */
    public Optional<List<Member>> members() {
        return optional("members", list(object(Member::new)));
    }

    /** If the repository is not listed: why it does or does not count as a server. */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }
}
