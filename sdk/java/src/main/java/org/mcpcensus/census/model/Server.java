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
public final class Server extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "slug", "name", "description", "category", "secondCategory", "tags",
                    "sdk", "language", "license", "qualityScore", "healthScore", "grade",
                    "popularity", "stars", "downloads", "downloadsAt", "transports", "remotes",
                    "liveness", "toolCount", "toolTokens", "toolList", "suspiciousRules",
                    "repository", "icon", "status", "official", "officialReason", "copyOf",
                    "lookAlikeOf", "copySince", "verified", "updatedAt", "lastCrawledAt",
                    "scoredAt", "links");

    /** Wraps a decoded object. */
    public Server(Map<String, Object> members) {
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

    /** The same as id. */
    public String slug() {
        return required("slug", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** The next category that fits, where the first is uncertain; null otherwise. */
    public Optional<String> secondCategory() {
        return optional("secondCategory", JsonObject::text);
    }

    /** Returns the member tags. */
    public List<String> tags() {
        return required("tags", list(JsonObject::text));
    }

    /** Read from dependency manifests. */
    public Optional<String> sdk() {
        return optional("sdk", JsonObject::text);
    }

    /** Returns the member language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** Returns the member license. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
    }

    /** Returns the member qualityScore. */
    public OptionalLong qualityScore() {
        return optionalLong("qualityScore", JsonObject::integer);
    }

    /** Returns the member healthScore. */
    public OptionalLong healthScore() {
        return optionalLong("healthScore", JsonObject::integer);
    }

    /** A from 80, B from 65, C from 50, D from 30. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Returns the member popularity. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member downloads. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** When the oldest of the counts of downloads was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Returns the member transports. */
    public List<String> transports() {
        return required("transports", list(JsonObject::text));
    }

    /** Returns the member remotes. */
    public List<Endpoint> remotes() {
        return required("remotes", list(object(Endpoint::new)));
    }

    /**
     * The best of the remotes: alive (answers without a login), gated (requires a login,
     * credentials or a payment), down, unknown. Null without remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** Returns the member toolCount. */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /** About how many tokens the tools take of a model's context (o200k_base). */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
    }

    /** Where the tools are from, and when they were read; null if they are unknown. */
    public Optional<ToolsRead> toolList() {
        return optional("toolList", object(ToolsRead::new));
    }

    /**
     * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
     * break, each once. Findings of rules, not verdicts; null if the tools are unknown.
     */
    public Optional<List<String>> suspiciousRules() {
        return optional("suspiciousRules", list(JsonObject::text));
    }

    /** Returns the member repository. */
    public Repository repository() {
        return required("repository", object(Repository::new));
    }

    /** Returns the member icon. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** The vendor of the product itself publishes the server. */
    public boolean official() {
        return required("official", JsonObject::bool);
    }

    /** Why it is official, as a sentence; null if it is not. */
    public Optional<String> officialReason() {
        return optional("officialReason", JsonObject::text);
    }

    /** Slug of an older server of another owner that this one looks like a copy of. */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** Slug of a better known server whose name or namespace this one imitates. */
    public Optional<String> lookAlikeOf() {
        return optional("lookAlikeOf", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first found. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /**
     * Linked: the package or registry entry and the repository name each other. Not a safety
     * review.
     */
    public boolean verified() {
        return required("verified", JsonObject::bool);
    }

    /** Returns the member updatedAt. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /** When the repository was read, which all facts without a date of their own are from. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** Returns the member scoredAt. */
    public Optional<Instant> scoredAt() {
        return optional("scoredAt", JsonObject::instant);
    }

    /** Relative to the base address. */
    public Links links() {
        return required("links", object(Links::new));
    }
}
