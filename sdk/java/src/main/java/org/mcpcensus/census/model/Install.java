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
            Set.of("command", "reason", "notes", "clients");

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

    /** Reason why there is no command; null if there is one. */
    public Optional<String> reason() {
        return optional("reason", JsonObject::text);
    }

    /**
     * Sentences: to which endpoints users sign in with OAuth, and what the documents say about
     * the start and the command leaves out.
     */
    public List<String> notes() {
        return required("notes", list(JsonObject::text));
    }

    /**
     * Configuration for each client. `mcpServers` is for most clients, with placeholders
     * (YOUR_NAME) for values to fill in; others only contain placeholders that their client
     * expands. `windows` has those that differ there.
     */
    public Map<String, Object> clients() {
        return required("clients", JsonObject::members);
    }
}
