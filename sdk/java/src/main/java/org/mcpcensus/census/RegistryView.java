package org.mcpcensus.census;

import java.util.List;
import org.mcpcensus.census.model.ManagedSettings;
import org.mcpcensus.census.model.ServerJSON;

/** The servers of a view: the best results of a stored query. */
public final class RegistryView extends EntriesService {
    private final RegistryViewAsync async;

    RegistryView(RegistryViewAsync async) {
        super(async);
        this.async = async;
    }

    /** Returns the server.json of all servers of the view: {@code GET /r/{view}/servers.json}. */
    public List<ServerJSON> documents() {
        return Futures.await(async.documents());
    }

    /**
     * Returns managed settings for clients that allow the servers of the view: {@code GET
     * /r/{view}/managed-settings.json}.
     */
    public ManagedSettings managedSettings() {
        return Futures.await(async.managedSettings());
    }
}
