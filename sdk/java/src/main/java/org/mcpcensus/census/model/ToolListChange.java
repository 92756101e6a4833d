// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolListChange extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("at", "source", "package", "version", "formerSource", "formerVersion",
                    "withoutNewVersion", "toolCount", "hash", "tools");

    /** Wraps a decoded object. */
    public ToolListChange(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** When the list was first seen. */
    public Instant at() {
        return required("at", JsonObject::instant);
    }

    /** Returns the member source. */
    public String source() {
        return required("source", JsonObject::text);
    }

    /**
     * Published package whose archive was read, if source is `source`; null if the repository
     * was read, and for other sources.
     */
    public Optional<ToolPackage> packageValue() {
        return optional("package", object(ToolPackage::new));
    }

    /** Server version that the tools belong to. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /**
     * Source of the previous list, if it is a different one; differences may then result from
     * the source alone. Null otherwise. Both are `source` if one list is from the repository
     * and the other from a package archive.
     */
    public Optional<String> formerSource() {
        return optional("formerSource", JsonObject::text);
    }

    /** Last version with the previous list of the same source, or else of `formerSource`. */
    public Optional<String> formerVersion() {
        return optional("formerVersion", JsonObject::text);
    }

    /** Whether the tools changed while the version stayed the same. */
    public boolean withoutNewVersion() {
        return required("withoutNewVersion", JsonObject::bool);
    }

    /** Returns the member toolCount. */
    public long toolCount() {
        return required("toolCount", JsonObject::integer);
    }

    /** Hash of the new list. */
    public Optional<String> hash() {
        return optional("hash", JsonObject::text);
    }

    /** Tools that differ, by name; empty if there is no previous list of the same source. */
    public List<ToolChange> tools() {
        return required("tools", list(object(ToolChange::new)));
    }
}
