// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** A list entry or, with the status deleted, a server that is no longer listed. */
public final class ServerChange extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "status", "category", "changedAt", "checkedAt", "copyOf", "copySince",
                    "description", "descriptionSource", "downloads", "effect", "effectGuessed",
                    "grade", "healthScore", "icon", "kind", "language", "license", "links",
                    "liveness", "lookAlikeOf", "name", "official", "officialReason",
                    "popularity", "qualityScore", "readOnly", "remotes", "repository", "risks",
                    "sdk", "secondCategory", "slug", "stars", "suspiciousRules", "tags",
                    "toolCount", "toolList", "toolTokens", "toolsKnown", "transports",
                    "updatedAt", "verified");

    /** Wraps a decoded object. */
    public ServerChange(Map<String, Object> members) {
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

    /** Best-matching category. */
    public Optional<String> category() {
        return optional("category", JsonObject::text);
    }

    /** When the server was removed. Only with the status deleted. */
    public Optional<Instant> changedAt() {
        return optional("changedAt", JsonObject::instant);
    }

    /**
     * When the repository was last read. The detail record has the dates of its facts, in
     * sources and beside them.
     */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /**
     * Slug of the original, if this server looks like a copy of an older server of another
     * owner; otherwise null.
     */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first set; null if neither is. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
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

    /** Grade of the health score; null without a score. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Same as qualityScore. */
    public OptionalLong healthScore() {
        return optionalLong("healthScore", JsonObject::integer);
    }

    /** URL of the icon; null if there is none. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** server or proxy. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Main programming language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** License, usually an SPDX identifier. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
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

    /** Returns the member remotes. */
    public Optional<List<Endpoint>> remotes() {
        return optional("remotes", list(object(Endpoint::new)));
    }

    /** Returns the member repository. */
    public Optional<Repository> repository() {
        return optional("repository", object(Repository::new));
    }

    /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
    public Optional<List<Risk>> risks() {
        return optional("risks", list(object(Risk::new)));
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

    /** Stars of the repository. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /**
     * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
     * match, each once. Matches are not verdicts. Null if the tools are unknown.
     */
    public Optional<List<String>> suspiciousRules() {
        return optional("suspiciousRules", list(JsonObject::text));
    }

    /** Returns the member tags. */
    public Optional<List<String>> tags() {
        return optional("tags", list(JsonObject::text));
    }

    /** Number of tools. */
    public OptionalLong toolCount() {
        return optionalLong("toolCount", JsonObject::integer);
    }

    /** Source of the tools; null if the tools are unknown. */
    public Optional<ToolsRead> toolList() {
        return optional("toolList", object(ToolsRead::new));
    }

    /**
     * Approximate number of tokens that the tool definitions use in a model's context
     * (o200k_base).
     */
    public OptionalLong toolTokens() {
        return optionalLong("toolTokens", JsonObject::integer);
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
}
