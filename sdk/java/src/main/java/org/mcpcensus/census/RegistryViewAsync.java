package org.mcpcensus.census;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.ManagedSettings;
import org.mcpcensus.census.model.ServerJSON;

/** The servers of a view: the best results of a stored query. */
public final class RegistryViewAsync extends EntriesServiceAsync {
    private final String name;

    RegistryViewAsync(Transport transport, String name) {
        super(transport, "r", name, "v0.1");
        this.name = name;
    }

    /** Returns the server.json of all servers of the view: {@code GET /r/{view}/servers.json}. */
    public CompletableFuture<List<ServerJSON>> documents() {
        return transport.fetchList(
                Request.get(Request.path("r", name, "servers.json")), ServerJSON::new);
    }

    /**
     * Returns managed settings for clients that allow the servers of the view: {@code GET
     * /r/{view}/managed-settings.json}.
     */
    public CompletableFuture<ManagedSettings> managedSettings() {
        return transport.fetch(
                Request.get(Request.path("r", name, "managed-settings.json")), ManagedSettings::new);
    }
}
