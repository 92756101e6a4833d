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
public final class ServerDetail extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "slug", "name", "registryName", "title", "description", "category",
                    "categoryConfidence", "secondCategory", "tags", "sdk", "framework",
                    "language", "license", "qualityScore", "healthScore", "grade", "popularity",
                    "scoreVersion", "scoreLow", "scoreHigh", "coverage", "confidence",
                    "commitChance", "stars", "forks", "openIssues", "contributors", "downloads",
                    "downloadsPeriod", "downloadsBreakdown", "downloadsAt", "repository",
                    "homepage", "icon", "owner", "transports", "packages", "remotes", "liveness",
                    "environmentVariables", "tools", "toolCount", "toolTokens", "toolList",
                    "suspiciousRules", "suspiciousTexts", "install", "status", "statusMessage",
                    "successor", "official", "officialReason", "copyOf", "lookAlikeOf",
                    "copyReason", "copySince", "verified", "verifiedReason", "latestVersion",
                    "releasedAt", "sources", "createdAt", "updatedAt", "lastCommitAt",
                    "lastCrawledAt", "scoredAt", "links");

    /** Wraps a decoded object. */
    public ServerDetail(Map<String, Object> members) {
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

    /** Returns the member registryName. */
    public Optional<String> registryName() {
        return optional("registryName", JsonObject::text);
    }

    /** Returns the member title. */
    public Optional<String> title() {
        return optional("title", JsonObject::text);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Returns the member categoryConfidence. */
    public double categoryConfidence() {
        return required("categoryConfidence", JsonObject::number);
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

    /** Returns the member framework. */
    public Optional<String> framework() {
        return optional("framework", JsonObject::text);
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

    /** Returns the member scoreVersion. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Returns the member scoreLow. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** Returns the member scoreHigh. */
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

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member forks. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Returns the member openIssues. */
    public OptionalLong openIssues() {
        return optionalLong("openIssues", JsonObject::integer);
    }

    /** Returns the member contributors. */
    public OptionalLong contributors() {
        return optionalLong("contributors", JsonObject::integer);
    }

    /** Returns the member downloads. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** Returns the member downloadsPeriod. */
    public String downloadsPeriod() {
        return required("downloadsPeriod", JsonObject::text);
    }

    /** By registry type */
    public Map<String, Long> downloadsBreakdown() {
        return required("downloadsBreakdown", map(JsonObject::integer));
    }

    /** When the oldest of these counts was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Returns the member repository. */
    public RepositoryDetail repository() {
        return required("repository", object(RepositoryDetail::new));
    }

    /** Returns the member homepage. */
    public Optional<String> homepage() {
        return optional("homepage", JsonObject::text);
    }

    /** Returns the member icon. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** Returns the member owner. */
    public Optional<Owner> owner() {
        return optional("owner", object(Owner::new));
    }

    /** Returns the member transports. */
    public List<String> transports() {
        return required("transports", list(JsonObject::text));
    }

    /** As in the official server.json, schema 2025-12-11. */
    public List<Package> packages() {
        return required("packages", list(object(Package::new)));
    }

    /** Returns the member remotes. */
    public List<Remote> remotes() {
        return required("remotes", list(object(Remote::new)));
    }

    /**
     * The best of the remotes: alive (answers without a login), gated (requires a login,
     * credentials or a payment), down, unknown. Null without remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** Returns the member environmentVariables. */
    public List<Variable> environmentVariables() {
        return required("environmentVariables", list(object(Variable::new)));
    }

    /** Null if unknown. */
    public Optional<List<Tool>> tools() {
        return optional("tools", list(object(Tool::new)));
    }

    /** Returns the member toolCount. */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /** About how many tokens the tools take of a model's context (o200k_base). */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
    }

    /** Where the tools are from; null if they are unknown. */
    public Optional<ToolList> toolList() {
        return optional("toolList", object(ToolList::new));
    }

    /**
     * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
     * break, each once. Findings of rules, not verdicts; null if the tools are unknown.
     */
    public Optional<List<String>> suspiciousRules() {
        return optional("suspiciousRules", list(JsonObject::text));
    }

    /**
     * Parts of the tools' texts that may hide something or manipulate a model. Findings of
     * rules, not verdicts.
     */
    public List<SuspiciousText> suspiciousTexts() {
        return required("suspiciousTexts", list(object(SuspiciousText::new)));
    }

    /** Returns the member install. */
    public Install install() {
        return required("install", object(Install::new));
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Returns the member statusMessage. */
    public Optional<String> statusMessage() {
        return optional("statusMessage", JsonObject::text);
    }

    /** The replacement that the owner of a deprecated or archived server links. */
    public Optional<String> successor() {
        return optional("successor", JsonObject::text);
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

    /** Why it looks like a copy or look-alike, in sentences. */
    public Optional<String> copyReason() {
        return optional("copyReason", JsonObject::text);
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

    /** Which name each other, as a sentence; null if not verified. */
    public Optional<String> verifiedReason() {
        return optional("verifiedReason", JsonObject::text);
    }

    /** Returns the member latestVersion. */
    public Optional<String> latestVersion() {
        return optional("latestVersion", JsonObject::text);
    }

    /** Returns the member releasedAt. */
    public Optional<Instant> releasedAt() {
        return optional("releasedAt", JsonObject::instant);
    }

    /** Returns the member sources. */
    public List<Source> sources() {
        return required("sources", list(object(Source::new)));
    }

    /** Returns the member createdAt. */
    public Optional<Instant> createdAt() {
        return optional("createdAt", JsonObject::instant);
    }

    /** Returns the member updatedAt. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /** Returns the member lastCommitAt. */
    public Optional<Instant> lastCommitAt() {
        return optional("lastCommitAt", JsonObject::instant);
    }

    /** Returns the member lastCrawledAt. */
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
