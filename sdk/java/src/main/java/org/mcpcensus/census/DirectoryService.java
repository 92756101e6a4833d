package org.mcpcensus.census;

import org.mcpcensus.census.model.Categories;
import org.mcpcensus.census.model.ChangePage;
import org.mcpcensus.census.model.Dumps;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerChange;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolChanges;
import org.mcpcensus.census.params.ChangesParams;
import org.mcpcensus.census.params.DirectoryParams;

/** The public directory, under /api. No key required. */
public final class DirectoryService {
    private final DirectoryServiceAsync async;

    DirectoryService(DirectoryServiceAsync async) {
        this.async = async;
    }

    /** Lists servers, best first: {@code GET /api/servers}. */
    public Page<Server, ServerPage> list() {
        return new Page<>(Futures.await(async.list()));
    }

    /** Lists servers: {@code GET /api/servers}. */
    public Page<Server, ServerPage> list(DirectoryParams params) {
        return new Page<>(Futures.await(async.list(params)));
    }

    /** Returns the categories with their number of servers: {@code GET /api/categories}. */
    public Categories categories() {
        return Futures.await(async.categories());
    }

    /**
     * Returns the changes to a server's tools, newest first: {@code GET
     * /api/servers/{id}/tools/changes}.
     *
     * @param id slug, or name in the official registry
     */
    public ToolChanges toolChanges(String id) {
        return Futures.await(async.toolChanges(id));
    }

    /**
     * Follows the changes to all servers from the beginning, as list entries: {@code GET
     * /api/changes}.
     */
    public Page<ServerChange, ChangePage> changes() {
        return new Page<>(Futures.await(async.changes()));
    }

    /**
     * Follows the changes to all servers, as list entries: {@code GET /api/changes}. To continue
     * later, iterate over the pages and store {@code page.body().next()}. See {@link
     * Entries#isDeleted}.
     */
    public Page<ServerChange, ChangePage> changes(ChangesParams params) {
        return new Page<>(Futures.await(async.changes(params)));
    }

    /** Returns the daily dumps of the whole registry, newest first: {@code GET /dumps}. */
    public Dumps dumps() {
        return Futures.await(async.dumps());
    }
}
