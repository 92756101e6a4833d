// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** What this registry knows of a server. Unknown values are null. Absent for deleted servers. */
public final class RegistryMeta extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "score", "scoreLow", "scoreHigh", "grade", "scoreVersion", "computedAt",
                    "popularity", "category", "tags", "synthesized", "repaired", "official",
                    "verified", "stars", "downloads30d", "lastCrawledAt", "downloadsAt", "tools",
                    "liveness", "flags", "copyOf", "copySince", "command", "links");

    /** Wraps a decoded object. */
    public RegistryMeta(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** The slug, as in /v1/servers/{id}. */
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

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Returns the member tags. */
    public List<String> tags() {
        return required("tags", list(JsonObject::text));
    }

    /** The document was made by this registry; its owner has not published it. */
    public boolean synthesized() {
        return required("synthesized", JsonObject::bool);
    }

    /**
     * Paths in a published document that were changed because clients misread them: versions
     * of images that have a tag, missing descriptions of variables, and `-y` for npx.
     * `packages` and `remotes` are those of the install command, because clients would start
     * another one of the document, such as an older version.
     */
    public List<String> repaired() {
        return required("repaired", list(JsonObject::text));
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

    /** When the repository was read. */
    public Optional<Instant> lastCrawledAt() {
        return optional("lastCrawledAt", JsonObject::instant);
    }

    /** When the oldest of the counts of downloads was read. */
    public Optional<Instant> downloadsAt() {
        return optional("downloadsAt", JsonObject::instant);
    }

    /** Returns the member tools. */
    public Optional<EntryTools> tools() {
        return optional("tools", object(EntryTools::new));
    }

    /** The best state of the remotes, with the date and uptime of the first one that has it. */
    public Optional<EntryLiveness> liveness() {
        return optional("liveness", object(EntryLiveness::new));
    }

    /** Returns the member flags. */
    public List<String> flags() {
        return required("flags", list(JsonObject::text));
    }

    /** Returns the member copyOf. */
    public Optional<String> copyOf() {
        return optional("copyOf", JsonObject::text);
    }

    /** When copyOf was first found. */
    public Optional<Instant> copySince() {
        return optional("copySince", JsonObject::instant);
    }

    /** The install command of this registry. */
    public Optional<String> command() {
        return optional("command", JsonObject::text);
    }

    /** Returns the member links. */
    public EntryLinks links() {
        return required("links", object(EntryLinks::new));
    }
}
