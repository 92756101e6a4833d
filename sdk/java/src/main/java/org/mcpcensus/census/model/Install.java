// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Install extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("command", "reason", "notes", "clients", "access", "alternative");

    /** Wraps a decoded object. */
    public Install(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Command that starts the server. */
    public Optional<String> command() {
        return optional("command", JsonObject::text);
    }

    /** Why there is no command. */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }

    /**
     * Sentences: endpoints where users sign in with OAuth, and what documents say that the
     * command leaves out.
     */
    public List<String> notes() {
        return required("notes", list(JsonObject::text));
    }

    /**
     * Configuration by client. `mcpServers` is for most, with placeholders (YOUR_NAME) for
     * values to fill in; others only have ones that their client expands. `windows` has those
     * that differ there.
     */
    public Map<String, Object> clients() {
        return required("clients", JsonObject::members);
    }

    /** `read-only` or `full`, of the command or else of the endpoint; null if unknown. */
    public Optional<String> access() {
        return optional("access", JsonObject::text);
    }

    /** `command` and `clients` with the other access. */
    public Optional<Map<String, Object>> alternative() {
        return optional("alternative", JsonObject::members);
    }
}
