package org.mcpcensus.census;

import org.mcpcensus.census.model.Categories;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolChanges;
import org.mcpcensus.census.params.DirectoryParams;

/** The public directory, under /api. It needs no key. */
public final class DirectoryService {
    private final DirectoryServiceAsync async;

    DirectoryService(DirectoryServiceAsync async) {
        this.async = async;
    }

    /** Lists servers, the best first: {@code GET /api/servers}. */
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
     * Returns what changed in a server's tools, the newest change first:
     * {@code GET /api/servers/{id}/tools/changes}.
     *
     * @param id slug, or name in the official registry
     */
    public ToolChanges toolChanges(String id) {
        return Futures.await(async.toolChanges(id));
    }
}
