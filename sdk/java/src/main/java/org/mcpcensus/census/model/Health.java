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
            Set.of("server", "githubUrl", "subfolder", "indexed", "isMcpServer", "kind",
                    "official", "status", "score", "grade", "scoreLow", "scoreHigh", "coverage",
                    "confidence", "commitChance", "popularity", "scoreVersion", "commit",
                    "computedAt", "breakdown", "caps", "flags", "risks", "latestVersion",
                    "latestVersionSource", "suspiciousTexts", "inspections", "improve", "links",
                    "stale", "warnings", "members", "reason");

    /** Wraps a decoded object. */
    public Health(Map<String, Object> members) {
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

    /** URL of the repository. */
    public Optional<String> githubUrl() {
        return optional("githubUrl", JsonObject::text);
    }

    /** Folder of the server in the repository; null for the root. */
    public Optional<String> subfolder() {
        return optional("subfolder", JsonObject::text);
    }

    /** Whether the server is listed. */
    public boolean indexed() {
        return required("indexed", JsonObject::bool);
    }

    /** Null if the code host blocks the repository. */
    public Optional<Boolean> isMcpServer() {
        return optional("isMcpServer", JsonObject::bool);
    }

    /** What the repository contains; null if unknown. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Whether the vendor of the product publishes the server; null if there is no server. */
    public Optional<Boolean> official() {
        return optional("official", JsonObject::bool);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** Health score, 0 to 100; null if there is none. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** Grade of the health score; null without a score. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
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

    /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** Version of the score model. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Commit that was checked; null if unknown. */
    public Optional<String> commit() {
        return optional("commit", JsonObject::text);
    }

    /** When the score was computed. */
    public Optional<Instant> computedAt() {
        return optional("computedAt", JsonObject::instant);
    }

    /** Categories with their checks. */
    public List<HealthCategory> breakdown() {
        return required("breakdown", list(object(HealthCategory::new)));
    }

    /** Upper limits on the score. */
    public List<Cap> caps() {
        return required("caps", list(object(Cap::new)));
    }

    /** Flags of the report; see docs/scoring.md. */
    public List<String> flags() {
        return required("flags", list(JsonObject::text));
    }

    /** Returns the member risks. */
    public List<Risk> risks() {
        return required("risks", list(object(Risk::new)));
    }

    /**
     * Latest published or released version, otherwise the version in the manifest; null if
     * unknown.
     */
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

    /**
     * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
     * rules, not verdicts.
     */
    public List<SuspiciousText> suspiciousTexts() {
        return required("suspiciousTexts", list(object(SuspiciousText::new)));
    }

    /** Results of starting the packages in a sandbox; empty if none was started. */
    public List<PackageInspection> inspections() {
        return required("inspections", list(object(PackageInspection::new)));
    }

    /** Fixes that raise the score, largest gain first. */
    public List<Improvement> improve() {
        return required("improve", list(object(Improvement::new)));
    }

    /** Returns the member links. */
    public HealthLinks links() {
        return required("links", object(HealthLinks::new));
    }

    /** Whether the report is outdated because the repository could not be rechecked. */
    public boolean stale() {
        return required("stale", JsonObject::bool);
    }

    /** Problems with the request, such as ignored parameters. */
    public List<String> warnings() {
        return required("warnings", list(JsonObject::text));
    }

    /** Servers of the repository, if it has several and the URL does not select one. */
    public Optional<List<Member>> members() {
        return optional("members", list(object(Member::new)));
    }

    /** Why a repository that is not listed does or does not count as an MCP server. */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }
}
