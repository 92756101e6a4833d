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
     * The published package whose archive was read, if source is `source`; null if the
     * repository was read, and for other sources.
     */
    public Optional<ToolPackage> packageValue() {
        return optional("package", object(ToolPackage::new));
    }

    /** Of the server that has these tools; null if unknown. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }

    /**
     * The source of the list before, if it is another one: then the change may be one of the
     * source only. It is `source` for both if one list is from the repository and the other
     * from the archive of a package.
     */
    public Optional<String> formerSource() {
        return optional("formerSource", JsonObject::text);
    }

    /**
     * The last version with the former list of the same source or, if there is none, with the
     * list of `formerSource`; null if unknown.
     */
    public Optional<String> formerVersion() {
        return optional("formerVersion", JsonObject::text);
    }

    /** The tools changed while the version stayed the same. */
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

    /** The tools that differ, by name; empty if there is no former list of the same source. */
    public List<ToolChange> tools() {
        return required("tools", list(object(ToolChange::new)));
    }
}
