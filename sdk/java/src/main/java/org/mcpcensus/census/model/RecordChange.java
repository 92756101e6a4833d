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
            Set.of("id", "status", "capabilities", "category", "categoryConfidence", "changedAt",
                    "checkedAt", "commitChance", "confidence", "contributors", "copyOf",
                    "copyReason", "copySince", "coverage", "createdAt", "description",
                    "descriptionSource", "downloads", "downloadsAt", "downloadsBreakdown",
                    "downloadsPeriod", "effect", "effectGuessed", "environmentVariables",
                    "forks", "framework", "grade", "healthScore", "homepage", "icon", "install",
                    "kind", "language", "lastCommitAt", "lastCrawledAt", "latestVersion",
                    "latestVersionSource", "license", "licenseSource", "links", "liveness",
                    "livenessAt", "lookAlikeOf", "name", "official", "officialReason",
                    "openIssues", "owner", "packages", "popularity", "qualityScore", "readOnly",
                    "registryName", "releasedAt", "remotes", "repository", "risks", "scoreHigh",
                    "scoreLow", "scoreVersion", "scoredAt", "sdk", "secondCategory", "slug",
                    "sources", "stars", "statusMessage", "successor", "suspiciousRules",
                    "suspiciousTexts", "tags", "title", "toolCount", "toolList", "toolTokens",
                    "tools", "toolsKnown", "transports", "updatedAt", "verified",
                    "verifiedReason");

    /** Wraps a decoded object. */
    public RecordChange(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Slug of the server, unique in this registry. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /**
     * What the server can do when it is started with its default settings. Absent members are
     * not known to be used.
     */
    public Optional<Capabilities> capabilities() {
        return optional("capabilities", object(Capabilities::new));
    }

    /** Best-matching category. */
    public Optional<String> category() {
        return optional("category", JsonObject::text);
    }

    /** Confidence in category, 0 to 1. */
    public OptionalDouble categoryConfidence() {
        return optionalDouble("categoryConfidence", JsonObject::number);
    }

    /** When the server was removed. Only with the status deleted. */
    public Optional<Instant> changedAt() {
        return optional("changedAt", JsonObject::instant);
    }

    /** Same as lastCrawledAt, as in lists. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /**
     * Estimated probability of a commit by a person in the next 90 days: the share of similar
     * servers that had one. Not part of the score. Null if unknown or if the repository is
     * archived. See docs/scoring.md.
     */
    public OptionalDouble commitChance() {
        return optionalDouble("commitChance", JsonObject::number);
    }

    /** Returns the member confidence. */
    public Optional<String> confidence() {
        return optional("confidence", JsonObject::text);
    }

    /** Number of people with a commit on the default branch in the last 26 weeks. */
    public OptionalLong contributors() {
        return optionalLong("contributors", JsonObject::integer);
    }

    /**
     * Slug of the original, if this server looks like a copy of an older server of another
     * owner; otherwise null.
     */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set. */
    public Optional<String> copyReason() {
        return optional("copyReason", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first set; null if neither is. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /** Share of the weight of the checks that was measured, 0 to 1. */
    public OptionalDouble coverage() {
        return optionalDouble("coverage", JsonObject::number);
    }

    /** When the repository was created. */
    public Optional<Instant> createdAt() {
        return optional("createdAt", JsonObject::instant);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** composed if made of the name and the tools. */
    public Optional<String> descriptionSource() {
        return optional("descriptionSource", JsonObject::text);
    }

    /** Downloads of all packages in the last 30 days. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** When the oldest of the download counts was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Downloads by registry type. */
    public Optional<Map<String, Long>> downloadsBreakdown() {
        return optional("downloadsBreakdown", map(JsonObject::integer));
    }

    /** Returns the member downloadsPeriod. */
    public Optional<String> downloadsPeriod() {
        return optional("downloadsPeriod", JsonObject::text);
    }

    /**
     * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add
     * or send something (`write`), change, overwrite or delete something that exists
     * (`destructive`, as in MCP), or run commands or code of its caller.
     */
    public Optional<String> effect() {
        return optional("effect", JsonObject::text);
    }

    /** Whether the effect follows only from names, descriptions and parameters. */
    public Optional<Boolean> effectGuessed() {
        return optional("effectGuessed", JsonObject::bool);
    }

    /** Environment variables of all packages. */
    public Optional<List<Variable>> environmentVariables() {
        return optional("environmentVariables", list(object(Variable::new)));
    }

    /** Forks of the repository. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Server framework. */
    public Optional<String> framework() {
        return optional("framework", JsonObject::text);
    }

    /** Grade of the health score; null without a score. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Same as qualityScore. */
    public OptionalLong healthScore() {
        return optionalLong("healthScore", JsonObject::integer);
    }

    /** URL of the website. */
    public Optional<String> homepage() {
        return optional("homepage", JsonObject::text);
    }

    /** URL of the icon; null if there is none. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** Returns the member install. */
    public Optional<Install> install() {
        return optional("install", object(Install::new));
    }

    /** server or proxy. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Main programming language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** When a person last committed. */
    public Optional<Instant> lastCommitAt() {
        return optional("lastCommitAt", JsonObject::instant);
    }

    /** When the repository was last crawled; null if it was not. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** Latest published or released version, otherwise the version in the manifest. */
    public Optional<String> latestVersion() {
        return optional("latestVersion", JsonObject::text);
    }

    /**
     * Source of the latest version and when it was read. The source is the registry type of a
     * package, such as npm, or release or tag (of the repository), official-registry (the
     * entry) or manifest (in the repository).
     */
    public Optional<VersionSource> latestVersionSource() {
        return optional("latestVersionSource", object(VersionSource::new));
    }

    /** License, usually an SPDX identifier. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
    }

    /** Code host that read the license file, such as github, or manifest. */
    public Optional<String> licenseSource() {
        return optional("licenseSource", JsonObject::text);
    }

    /** URLs relative to the base URL. */
    public Optional<Links> links() {
        return optional("links", object(Links::new));
    }

    /**
     * Best state of any remote: alive (responds without a login), gated (requires a login,
     * credentials or a payment), down, or unknown. Null if the server has no remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** When that endpoint was last probed. */
    public Optional<Instant> livenessAt() {
        return optional("livenessAt", JsonObject::instant);
    }

    /**
     * Slug of the better-known server whose name or namespace this one imitates; otherwise
     * null.
     */
    public Optional<String> lookAlikeOf() {
        return optional("lookAlikeOf", JsonObject::text);
    }

    /** Display name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** Whether the vendor of the product publishes the server. */
    public Optional<Boolean> official() {
        return optional("official", JsonObject::bool);
    }

    /** Evidence that the server is official, as a sentence; null if it is not. */
    public Optional<String> officialReason() {
        return optional("officialReason", JsonObject::text);
    }

    /** Open issues, without pull requests. */
    public OptionalLong openIssues() {
        return optionalLong("openIssues", JsonObject::integer);
    }

    /** Returns the member owner. */
    public Optional<Owner> owner() {
        return optional("owner", object(Owner::new));
    }

    /** Published packages, as in the official server.json (schema 2025-12-11). */
    public Optional<List<Package>> packages() {
        return optional("packages", list(object(Package::new)));
    }

    /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Health score, 0 to 100; null if the server has none. */
    public OptionalLong qualityScore() {
        return optionalLong("qualityScore", JsonObject::integer);
    }

    /**
     * Whether it can be used read-only: it only reads, or has a switch for that. Null if
     * unknown.
     */
    public Optional<Boolean> readOnly() {
        return optional("readOnly", JsonObject::bool);
    }

    /** Name in the official registry; null if there is none. */
    public Optional<String> registryName() {
        return optional("registryName", JsonObject::text);
    }

    /** When the latest version was released. */
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

    /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
    public Optional<List<Risk>> risks() {
        return optional("risks", list(object(Risk::new)));
    }

    /** Score if all unknown checks passed. */
    public OptionalLong scoreHigh() {
        return optionalLong("scoreHigh", JsonObject::integer);
    }

    /** Score if all unknown checks failed. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** Version of the score model. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** When the score was computed; null without a score. */
    public Optional<Instant> scoredAt() {
        return optional("scoredAt", JsonObject::instant);
    }

    /** MCP SDK, from the dependency manifests; null if unknown. */
    public Optional<String> sdk() {
        return optional("sdk", JsonObject::text);
    }

    /** Second-best category if the first is uncertain. */
    public Optional<String> secondCategory() {
        return optional("secondCategory", JsonObject::text);
    }

    /** Same as id. */
    public Optional<String> slug() {
        return optional("slug", JsonObject::text);
    }

    /** Sources that list the server. */
    public Optional<List<Source>> sources() {
        return optional("sources", list(object(Source::new)));
    }

    /** Stars of the repository. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Message from the owner about the status; null if there is none. */
    public Optional<String> statusMessage() {
        return optional("statusMessage", JsonObject::text);
    }

    /** URL of the replacement that the owner of a deprecated or archived server links to. */
    public Optional<String> successor() {
        return optional("successor", JsonObject::text);
    }

    /**
     * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
     * match, each once. Matches are not verdicts. Null if the tools are unknown.
     */
    public Optional<List<String>> suspiciousRules() {
        return optional("suspiciousRules", list(JsonObject::text));
    }

    /**
     * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
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

    /**
     * Number of tools that a start with the default settings registers; null if unknown, as of
     * an incomplete list.
     */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /** Source of the tools; null if the tools are unknown. */
    public Optional<ToolList> toolList() {
        return optional("toolList", object(ToolList::new));
    }

    /**
     * Approximate number of tokens that the tool definitions use in a model's context
     * (o200k_base).
     */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
    }

    /** Tools of the server. */
    public Optional<List<Tool>> tools() {
        return optional("tools", list(object(Tool::new)));
    }

    /**
     * Number of tools that the detail record lists, also where their list is not complete.
     * Null if the tools are unknown.
     */
    public OptionalLong toolsKnown() {
        return optionalLong("toolsKnown", JsonObject::integer);
    }

    /** Returns the member transports. */
    public Optional<List<String>> transports() {
        return optional("transports", list(JsonObject::text));
    }

    /** When the record last changed. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /**
     * Whether the package or registry entry and the repository link to each other. Not a
     * safety review.
     */
    public Optional<Boolean> verified() {
        return optional("verified", JsonObject::bool);
    }

    /** Evidence for verified, as a sentence; null if not verified. */
    public Optional<String> verifiedReason() {
        return optional("verifiedReason", JsonObject::text);
    }
}
