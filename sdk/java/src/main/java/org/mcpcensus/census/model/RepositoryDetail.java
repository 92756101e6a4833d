// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class RepositoryDetail extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("url", "source", "id", "owner", "name", "subfolder", "defaultBranch",
                    "archived", "fork", "pushedAt", "commit");

    /** Wraps a decoded object. */
    public RepositoryDetail(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member url. */
    public Optional<String> url() {
        return optional("url", JsonObject::text);
    }

    /** Returns the member source. */
    public Optional<String> source() {
        return optional("source", JsonObject::text);
    }

    /** Numeric ID on the code host. */
    public Optional<String> id() {
        return optional("id", JsonObject::text);
    }

    /** Returns the member owner. */
    public Optional<String> owner() {
        return optional("owner", JsonObject::text);
    }

    /** Returns the member name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** Returns the member subfolder. */
    public Optional<String> subfolder() {
        return optional("subfolder", JsonObject::text);
    }

    /** Returns the member defaultBranch. */
    public Optional<String> defaultBranch() {
        return optional("defaultBranch", JsonObject::text);
    }

    /** Returns the member archived. */
    public Optional<Boolean> archived() {
        return optional("archived", JsonObject::bool);
    }

    /** Returns the member fork. */
    public Optional<Boolean> fork() {
        return optional("fork", JsonObject::bool);
    }

    /** Returns the member pushedAt. */
    public Optional<Instant> pushedAt() {
        return optional("pushedAt", JsonObject::instant);
    }

    /** Returns the member commit. */
    public Optional<String> commit() {
        return optional("commit", JsonObject::text);
    }
}
