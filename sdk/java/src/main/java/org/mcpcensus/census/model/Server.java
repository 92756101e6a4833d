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
            Set.of("id", "slug", "name", "description", "descriptionSource", "kind", "category",
                    "secondCategory", "tags", "sdk", "language", "license", "qualityScore",
                    "healthScore", "grade", "popularity", "stars", "downloads", "transports",
                    "remotes", "liveness", "toolCount", "toolsKnown", "toolTokens", "toolList",
                    "effect", "effectGuessed", "readOnly", "suspiciousRules", "risks",
                    "repository", "icon", "status", "official", "officialReason", "copyOf",
                    "lookAlikeOf", "copySince", "verified", "updatedAt", "checkedAt", "links");

    /** Wraps a decoded object. */
    public Server(Map<String, Object> members) {
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

    /** Main programming language. */
    public Optional<String> language() {
        return optional("language", JsonObject::text);
    }

    /** License, usually an SPDX identifier. */
    public Optional<String> license() {
        return optional("license", JsonObject::text);
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

    /** Stars of the repository. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Downloads of all packages in the last 30 days. */
    public OptionalLong downloads() {
        return optionalLong("downloads", JsonObject::integer);
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
     * Best state of any remote: alive (responds without a login), gated (requires a login,
     * credentials or a payment), down, or unknown. Null if the server has no remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** Number of tools. */
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
    public Optional<ToolsRead> toolList() {
        return optional("toolList", object(ToolsRead::new));
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
     * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
     * match, each once. Matches are not verdicts. Null if the tools are unknown.
     */
    public Optional<List<String>> suspiciousRules() {
        return optional("suspiciousRules", list(JsonObject::text));
    }

    /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
    public List<Risk> risks() {
        return required("risks", list(object(Risk::new)));
    }

    /** Returns the member repository. */
    public Repository repository() {
        return required("repository", object(Repository::new));
    }

    /** URL of the icon; null if there is none. */
    public Optional<String> icon() {
        return optional("icon", JsonObject::text);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
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

    /** When the record last changed. */
    public Optional<Instant> updatedAt() {
        return optional("updatedAt", JsonObject::instant);
    }

    /**
     * When the repository was last read. The detail record has the dates of its facts, in
     * sources and beside them.
     */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** URLs relative to the base URL. */
    public Links links() {
        return required("links", object(Links::new));
    }
}
