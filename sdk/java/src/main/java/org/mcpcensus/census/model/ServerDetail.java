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
            Set.of("id", "slug", "name", "registryName", "title", "description",
                    "descriptionSource", "kind", "category", "categoryConfidence",
                    "secondCategory", "tags", "sdk", "framework", "language", "license",
                    "licenseSource", "qualityScore", "healthScore", "grade", "popularity",
                    "scoreVersion", "scoreLow", "scoreHigh", "coverage", "confidence",
                    "commitChance", "stars", "forks", "openIssues", "contributors", "downloads",
                    "downloadsPeriod", "downloadsBreakdown", "downloadsAt", "repository",
                    "homepage", "icon", "owner", "transports", "packages", "remotes", "liveness",
                    "livenessAt", "environmentVariables", "tools", "toolCount", "toolsKnown",
                    "toolTokens", "toolList", "effect", "effectGuessed", "readOnly",
                    "capabilities", "suspiciousRules", "suspiciousTexts", "risks", "install",
                    "status", "statusMessage", "successor", "official", "officialReason",
                    "copyOf", "lookAlikeOf", "copyReason", "copySince", "verified",
                    "verifiedReason", "latestVersion", "latestVersionSource", "releasedAt",
                    "sources", "createdAt", "updatedAt", "checkedAt", "lastCommitAt",
                    "lastCrawledAt", "scoredAt", "links");

    /** Wraps a decoded object. */
    public ServerDetail(Map<String, Object> members) {
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

    /** Same as id. */
    public String slug() {
        return required("slug", JsonObject::text);
    }

    /** Display name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Name in the official registry; null if there is none. */
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

    /** composed if made of the name and the tools. */
    public Optional<String> descriptionSource() {
        return optional("descriptionSource", JsonObject::text);
    }

    /** server or proxy. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Best-matching category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Confidence in category, 0 to 1. */
    public double categoryConfidence() {
        return required("categoryConfidence", JsonObject::number);
    }

    /** Second-best category if the first is uncertain. */
    public Optional<String> secondCategory() {
        return optional("secondCategory", JsonObject::text);
    }

    /** Returns the member tags. */
    public List<String> tags() {
        return required("tags", list(JsonObject::text));
    }

    /** MCP SDK, from the dependency manifests; null if unknown. */
    public Optional<String> sdk() {
        return optional("sdk", JsonObject::text);
    }

    /** Server framework. */
    public Optional<String> framework() {
        return optional("framework", JsonObject::text);
    }

    /** Main programming language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** License, usually an SPDX identifier. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
    }

    /** Code host that read the license file, such as github, or manifest. */
    public Optional<String> licenseSource() {
        return optional("licenseSource", JsonObject::text);
    }

    /** Health score, 0 to 100; null if the server has none. */
    public OptionalLong qualityScore() {
        return optionalLong("qualityScore", JsonObject::integer);
    }

    /** Same as qualityScore. */
    public OptionalLong healthScore() {
        return optionalLong("healthScore", JsonObject::integer);
    }

    /** Grade of the health score; null without a score. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Version of the score model. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Score if all unknown checks failed. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** Score if all unknown checks passed. */
    public OptionalLong scoreHigh() {
        return optionalLong("scoreHigh", JsonObject::integer);
    }

    /** Share of the weight of the checks that was measured, 0 to 1. */
    public OptionalDouble coverage() {
        return optionalDouble("coverage", JsonObject::number);
    }

    /** Returns the member confidence. */
    public Optional<String> confidence() {
        return optional("confidence", JsonObject::text);
    }

    /**
     * Estimated probability of a commit by a person in the next 90 days: the share of similar
     * servers that had one. Not part of the score. Null if unknown or if the repository is
     * archived. See docs/scoring.md.
     */
    public OptionalDouble commitChance() {
        return optionalDouble("commitChance", JsonObject::number);
    }

    /** Stars of the repository. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Forks of the repository. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Open issues, without pull requests. */
    public OptionalLong openIssues() {
        return optionalLong("openIssues", JsonObject::integer);
    }

    /** Number of people with a commit on the default branch in the last 26 weeks. */
    public OptionalLong contributors() {
        return optionalLong("contributors", JsonObject::integer);
    }

    /** Downloads of all packages in the last 30 days. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
    }

    /** Returns the member downloadsPeriod. */
    public String downloadsPeriod() {
        return required("downloadsPeriod", JsonObject::text);
    }

    /** Downloads by registry type. */
    public Map<String, Long> downloadsBreakdown() {
        return required("downloadsBreakdown", map(JsonObject::integer));
    }

    /** When the oldest of the download counts was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Returns the member repository. */
    public RepositoryDetail repository() {
        return required("repository", object(RepositoryDetail::new));
    }

    /** URL of the website. */
    public Optional<String> homepage() {
        return optional("homepage", JsonObject::text);
    }

    /** URL of the icon; null if there is none. */
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

    /** Published packages, as in the official server.json (schema 2025-12-11). */
    public List<Package> packages() {
        return required("packages", list(object(Package::new)));
    }

    /** Returns the member remotes. */
    public List<Remote> remotes() {
        return required("remotes", list(object(Remote::new)));
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

    /** Environment variables of all packages. */
    public List<Variable> environmentVariables() {
        return required("environmentVariables", list(object(Variable::new)));
    }

    /** Tools of the server. */
    public Optional<List<Tool>> tools() {
        return optional("tools", list(object(Tool::new)));
    }

    /**
     * Number of tools that a start with the default settings registers; null if unknown, as of
     * an incomplete list.
     */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /**
     * Number of tools that the detail record lists, also where their list is not complete.
     * Null if the tools are unknown.
     */
    public OptionalLong toolsKnown() {
        return optionalLong("toolsKnown", JsonObject::integer);
    }

    /**
     * Approximate number of tokens that the tool definitions use in a model's context
     * (o200k_base).
     */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
    }

    /** Source of the tools; null if the tools are unknown. */
    public Optional<ToolList> toolList() {
        return optional("toolList", object(ToolList::new));
    }

    /**
     * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add
     * or send something (`write`), change, overwrite or delete something that exists
     * (`destructive`, as in MCP), or run commands or code of its caller.
     */
    public String effect() {
        return required("effect", JsonObject::text);
    }

    /** Whether the effect follows only from names, descriptions and parameters. */
    public boolean effectGuessed() {
        return required("effectGuessed", JsonObject::bool);
    }

    /**
     * Whether it can be used read-only: it only reads, or has a switch for that. Null if
     * unknown.
     */
    public Optional<Boolean> readOnly() {
        return optional("readOnly", JsonObject::bool);
    }

    /**
     * What the server can do when it is started with its default settings. Absent members are
     * not known to be used.
     */
    public Capabilities capabilities() {
        return required("capabilities", object(Capabilities::new));
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
    public List<SuspiciousText> suspiciousTexts() {
        return required("suspiciousTexts", list(object(SuspiciousText::new)));
    }

    /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
    public List<Risk> risks() {
        return required("risks", list(object(Risk::new)));
    }

    /** Returns the member install. */
    public Install install() {
        return required("install", object(Install::new));
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Message from the owner about the status; null if there is none. */
    public Optional<String> statusMessage() {
        return optional("statusMessage", JsonObject::text);
    }

    /** URL of the replacement that the owner of a deprecated or archived server links to. */
    public Optional<String> successor() {
        return optional("successor", JsonObject::text);
    }

    /** Whether the vendor of the product publishes the server. */
    public boolean official() {
        return required("official", JsonObject::bool);
    }

    /** Evidence that the server is official, as a sentence; null if it is not. */
    public Optional<String> officialReason() {
        return optional("officialReason", JsonObject::text);
    }

    /**
     * Slug of the original, if this server looks like a copy of an older server of another
     * owner; otherwise null.
     */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /**
     * Slug of the better-known server whose name or namespace this one imitates; otherwise
     * null.
     */
    public Optional<String> lookAlikeOf() {
        return optional("lookAlikeOf", JsonObject::text);
    }

    /** Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set. */
    public Optional<String> copyReason() {
        return optional("copyReason", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first set; null if neither is. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /**
     * Whether the package or registry entry and the repository link to each other. Not a
     * safety review.
     */
    public boolean verified() {
        return required("verified", JsonObject::bool);
    }

    /** Evidence for verified, as a sentence; null if not verified. */
    public Optional<String> verifiedReason() {
        return optional("verifiedReason", JsonObject::text);
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

    /** When the latest version was released. */
    public Optional<Instant> releasedAt() {
        return optional("releasedAt", JsonObject::instant);
    }

    /** Sources that list the server. */
    public List<Source> sources() {
        return required("sources", list(object(Source::new)));
    }

    /** When the repository was created. */
    public Optional<Instant> createdAt() {
        return optional("createdAt", JsonObject::instant);
    }

    /** When the record last changed. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /** Same as lastCrawledAt, as in lists. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** When a person last committed. */
    public Optional<Instant> lastCommitAt() {
        return optional("lastCommitAt", JsonObject::instant);
    }

    /** When the repository was last crawled; null if it was not. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** When the score was computed; null without a score. */
    public Optional<Instant> scoredAt() {
        return optional("scoredAt", JsonObject::instant);
    }

    /** URLs relative to the base URL. */
    public Links links() {
        return required("links", object(Links::new));
    }
}
