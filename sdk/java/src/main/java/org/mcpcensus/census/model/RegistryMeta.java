// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** This registry's data about a server. Unknown values are null. Absent for deleted servers. */
public final class RegistryMeta extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "score", "scoreLow", "scoreHigh", "grade", "scoreVersion", "computedAt",
                    "popularity", "descriptionSource", "kind", "category", "tags", "synthesized",
                    "repaired", "omittedPackages", "official", "verified", "stars",
                    "downloads30d", "lastCrawledAt", "downloadsAt", "tools", "liveness", "flags",
                    "risks", "copyOf", "lookAlikeOf", "copySince", "command", "links");

    /** Wraps a decoded object. */
    public RegistryMeta(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Slug of the server, as in /v1/servers/{id}. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Returns the member score. */
    public OptionalLong score() {
        return optionalLong("score", JsonObject::integer);
    }

    /** Returns the member scoreLow. */
    public OptionalLong scoreLow() {
        return optionalLong("scoreLow", JsonObject::integer);
    }

    /** Returns the member scoreHigh. */
    public OptionalLong scoreHigh() {
        return optionalLong("scoreHigh", JsonObject::integer);
    }

    /** Returns the member grade. */
    public Optional<String> grade() {
        return optional("grade", JsonObject::text);
    }

    /** Returns the member scoreVersion. */
    public Optional<String> scoreVersion() {
        return optional("scoreVersion", JsonObject::text);
    }

    /** Returns the member computedAt. */
    public Optional<Instant> computedAt() {
        return optional("computedAt", JsonObject::instant);
    }

    /** Returns the member popularity. */
    public OptionalLong popularity() {
        return optionalLong("popularity", JsonObject::integer);
    }

    /** composed if made of the name and the tools. */
    public Optional<String> descriptionSource() {
        return optional("descriptionSource", JsonObject::text);
    }

    /** server or proxy. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Returns the member tags. */
    public List<String> tags() {
        return required("tags", list(JsonObject::text));
    }

    /** Whether this registry generated the document because its owner has not published one. */
    public boolean synthesized() {
        return required("synthesized", JsonObject::bool);
    }

    /**
     * Paths in a published document that this registry changed because clients misread the
     * original: versions of tagged images, missing descriptions of variables, and `-y` for
     * npx. `packages` and `remotes` are reduced to the one of the install command, because
     * clients might start another one, such as an older version.
     */
    public List<String> repaired() {
        return required("repaired", list(JsonObject::text));
    }

    /**
     * Packages that the document lacks because it cannot name the program to start, such as
     * `npm weather-mcp`. `command` has their command.
     */
    public List<String> omittedPackages() {
        return required("omittedPackages", list(JsonObject::text));
    }

    /** Returns the member official. */
    public boolean official() {
        return required("official", JsonObject::bool);
    }

    /** Returns the member verified. */
    public boolean verified() {
        return required("verified", JsonObject::bool);
    }

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member downloads30d. */
    public OptionalLong downloads30d() {
        return optionalLong("downloads30d", JsonObject::integer);
    }

    /** When the repository was last crawled. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** When the oldest of the download counts was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Returns the member tools. */
    public Optional<EntryTools> tools() {
        return optional("tools", object(EntryTools::new));
    }

    /** Best state of any remote, with the time and uptime of the first remote in that state. */
    public Optional<EntryLiveness> liveness() {
        return optional("liveness", object(EntryLiveness::new));
    }

    /** Flags of the report; see docs/scoring.md. */
    public List<String> flags() {
        return required("flags", list(JsonObject::text));
    }

    /** Returns the member risks. */
    public List<Risk> risks() {
        return required("risks", list(object(Risk::new)));
    }

    /** Slug of the server that this one copies. */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** Slug of the better known server that this one imitates. */
    public Optional<String> lookAlikeOf() {
        return optional("lookAlikeOf", JsonObject::text);
    }

    /** When copyOf or lookAlikeOf was first set. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /** Install command generated by this registry. */
    public Optional<String> command() {
        return optional("command", JsonObject::text);
    }

    /** Returns the member links. */
    public EntryLinks links() {
        return required("links", object(EntryLinks::new));
    }
}
