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

/** A record or, with the status deleted, a server that is no longer listed. */
public final class RecordChange extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "status", "category", "categoryConfidence", "changedAt", "commitChance",
                    "confidence", "contributors", "copyOf", "copyReason", "copySince",
                    "coverage", "createdAt", "description", "downloads", "downloadsAt",
                    "downloadsBreakdown", "downloadsPeriod", "environmentVariables", "forks",
                    "framework", "grade", "healthScore", "homepage", "icon", "install",
                    "language", "lastCommitAt", "lastCrawledAt", "latestVersion", "license",
                    "links", "liveness", "lookAlikeOf", "name", "official", "officialReason",
                    "openIssues", "owner", "packages", "popularity", "qualityScore",
                    "registryName", "releasedAt", "remotes", "repository", "scoreHigh",
                    "scoreLow", "scoreVersion", "scoredAt", "sdk", "secondCategory", "slug",
                    "sources", "stars", "statusMessage", "successor", "suspiciousRules",
                    "suspiciousTexts", "tags", "title", "toolCount", "toolList", "toolTokens",
                    "tools", "transports", "updatedAt", "verified", "verifiedReason");

    /** Wraps a decoded object. */
    public RecordChange(Map<String, Object> members) {
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

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Returns the member category. */
    public Optional<String> category() {
        return optional("category", JsonObject::text);
    }

    /** Returns the member categoryConfidence. */
    public OptionalDouble categoryConfidence() {
        return optionalDouble("categoryConfidence", JsonObject::number);
    }

    /** When it was removed; only with the status deleted. */
    public Optional<Instant> changedAt() {
        return optional("changedAt", JsonObject::instant);
    }

    /**
     * Share of servers like this one that had a commit by a person in the next 90 days. Not
     * part of the score. `null` if it is not known or the repository is archived. See
     * docs/scoring.md.
     */
    public OptionalDouble commitChance() {
        return optionalDouble("commitChance", JsonObject::number);
    }

    /** Returns the member confidence. */
    public Optional<String> confidence() {
        return optional("confidence", JsonObject::text);
    }

    /** Returns the member contributors. */
    public OptionalLong contributors() {
        return optionalLong("contributors", JsonObject::integer);
    }

    /** Slug of an older server of another owner that this one looks like a copy of. */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** Why it looks like a copy or look-alike, in sentences. */
    public Optional<String> copyReason() {
        return optional("copyReason", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first found. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /** Returns the member coverage. */
    public OptionalDouble coverage() {
        return optionalDouble("coverage", JsonObject::number);
    }

    /** Returns the member createdAt. */
    public Optional<Instant> createdAt() {
        return optional("createdAt", JsonObject::instant);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Returns the member downloads. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** When the oldest of these counts was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** By registry type */
    public Optional<Map<String, Long>> downloadsBreakdown() {
        return optional("downloadsBreakdown", map(JsonObject::integer));
    }

    /** Returns the member downloadsPeriod. */
    public Optional<String> downloadsPeriod() {
        return optional("downloadsPeriod", JsonObject::text);
    }

    /** Returns the member environmentVariables. */
    public Optional<List<Variable>> environmentVariables() {
        return optional("environmentVariables", list(object(Variable::new)));
    }

    /** Returns the member forks. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Returns the member framework. */
    public Optional<String> framework() {
        return optional("framework", JsonObject::text);
    }

    /** A from 80, B from 65, C from 50, D from 30. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Returns the member healthScore. */
    public OptionalLong healthScore() {
        return optionalLong("healthScore", JsonObject::integer);
    }

    /** Returns the member homepage. */
    public Optional<String> homepage() {
        return optional("homepage", JsonObject::text);
    }

    /** Returns the member icon. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** Returns the member install. */
    public Optional<Install> install() {
        return optional("install", object(Install::new));
    }

    /** Returns the member language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** Returns the member lastCommitAt. */
    public Optional<Instant> lastCommitAt() {
        return optional("lastCommitAt", JsonObject::instant);
    }

    /** Returns the member lastCrawledAt. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** Returns the member latestVersion. */
    public Optional<String> latestVersion() {
        return optional("latestVersion", JsonObject::text);
    }

    /** Returns the member license. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
    }

    /** Relative to the base address. */
    public Optional<Links> links() {
        return optional("links", object(Links::new));
    }

    /**
     * The best of the remotes: alive (answers without a login), gated (requires a login,
     * credentials or a payment), down, unknown. Null without remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** Slug of a better known server whose name or namespace this one imitates. */
    public Optional<String> lookAlikeOf() {
        return optional("lookAlikeOf", JsonObject::text);
    }

    /** Returns the member name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** The vendor of the product itself publishes the server. */
    public Optional<Boolean> official() {
        return optional("official", JsonObject::bool);
    }

    /** Why it is official, as a sentence; null if it is not. */
    public Optional<String> officialReason() {
        return optional("officialReason", JsonObject::text);
    }

    /** Returns the member openIssues. */
    public OptionalLong openIssues() {
        return optionalLong("openIssues", JsonObject::integer);
    }

    /** Returns the member owner. */
    public Optional<Owner> owner() {
        return optional("owner", object(Owner::new));
    }

    /** As in the official server.json, schema 2025-12-11. */
    public Optional<List<Package>> packages() {
        return optional("packages", list(object(Package::new)));
    }

    /** Returns the member popularity. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Returns the member qualityScore. */
    public OptionalLong qualityScore() {
        return optionalLong("qualityScore", JsonObject::integer);
    }

    /** Returns the member registryName. */
    public Optional<String> registryName() {
        return optional("registryName", JsonObject::text);
    }

    /** Returns the member releasedAt. */
    public Optional<Instant> releasedAt() {
        return optional("releasedAt", JsonObject::instant);
    }

    /** Returns the member remotes. */
    public Optional<List<Remote>> remotes() {
        return optional("remotes", list(object(Remote::new)));
    }

    /** Returns the member repository. */
    public Optional<RepositoryDetail> repository() {
        return optional("repository", object(RepositoryDetail::new));
    }

    /** Returns the member scoreHigh. */
    public OptionalLong scoreHigh() {
        return optionalLong("scoreHigh", JsonObject::integer);
    }

    /** Returns the member scoreLow. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** Returns the member scoreVersion. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Returns the member scoredAt. */
    public Optional<Instant> scoredAt() {
        return optional("scoredAt", JsonObject::instant);
    }

    /** Read from dependency manifests. */
    public Optional<String> sdk() {
        return optional("sdk", JsonObject::text);
    }

    /** The next category that fits, where the first is uncertain; null otherwise. */
    public Optional<String> secondCategory() {
        return optional("secondCategory", JsonObject::text);
    }

    /** The same as id. */
    public Optional<String> slug() {
        return optional("slug", JsonObject::text);
    }

    /** Returns the member sources. */
    public Optional<List<Source>> sources() {
        return optional("sources", list(object(Source::new)));
    }

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member statusMessage. */
    public Optional<String> statusMessage() {
        return optional("statusMessage", JsonObject::text);
    }

    /** The replacement that the owner of a deprecated or archived server links. */
    public Optional<String> successor() {
        return optional("successor", JsonObject::text);
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
    public Optional<List<SuspiciousText>> suspiciousTexts() {
        return optional("suspiciousTexts", list(object(SuspiciousText::new)));
    }

    /** Returns the member tags. */
    public Optional<List<String>> tags() {
        return optional("tags", list(JsonObject::text));
    }

    /** Returns the member title. */
    public Optional<String> title() {
        return optional("title", JsonObject::text);
    }

    /** Returns the member toolCount. */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /** Where the tools are from; null if they are unknown. */
    public Optional<ToolList> toolList() {
        return optional("toolList", object(ToolList::new));
    }

    /** About how many tokens the tools take of a model's context (o200k_base). */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
    }

    /** Null if unknown. */
    public Optional<List<Tool>> tools() {
        return optional("tools", list(object(Tool::new)));
    }

    /** Returns the member transports. */
    public Optional<List<String>> transports() {
        return optional("transports", list(JsonObject::text));
    }

    /** Returns the member updatedAt. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /**
     * Linked: the package or registry entry and the repository name each other. Not a safety
     * review.
     */
    public Optional<Boolean> verified() {
        return optional("verified", JsonObject::bool);
    }

    /** Which name each other, as a sentence; null if not verified. */
    public Optional<String> verifiedReason() {
        return optional("verifiedReason", JsonObject::text);
    }
}
