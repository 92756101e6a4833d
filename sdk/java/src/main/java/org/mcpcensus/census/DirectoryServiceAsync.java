package org.mcpcensus.census;

import java.util.concurrent.CompletableFuture;
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
public final class DirectoryServiceAsync {
    private final Transport transport;

    DirectoryServiceAsync(Transport transport) {
        this.transport = transport;
    }

    /** Lists servers, best first: {@code GET /api/servers}. */
    public CompletableFuture<AsyncPage<Server, ServerPage>> list() {
        return list(DirectoryParams.builder().build());
    }

    /** Lists servers: {@code GET /api/servers}. */
    public CompletableFuture<AsyncPage<Server, ServerPage>> list(DirectoryParams params) {
        return AsyncPage.fetch(transport, Request.get("/api/servers", params.values()), PageType.SERVERS);
    }

    /** Returns the categories with their number of servers: {@code GET /api/categories}. */
    public CompletableFuture<Categories> categories() {
        return transport.fetch(Request.get("/api/categories"), Categories::new);
    }

    /**
     * Returns the changes to a server's tools, newest first: {@code GET
     * /api/servers/{id}/tools/changes}.
     *
     * @param id slug, or name in the official registry
     */
    public CompletableFuture<ToolChanges> toolChanges(String id) {
        return transport.fetch(
                Request.get(Request.path("api", "servers", id, "tools", "changes")), ToolChanges::new);
    }

    /**
     * Follows the changes to all servers from the beginning, as list entries: {@code GET
     * /api/changes}.
     */
    public CompletableFuture<AsyncPage<ServerChange, ChangePage>> changes() {
        return changes(ChangesParams.builder().build());
    }

    /**
     * Follows the changes to all servers, as list entries: {@code GET /api/changes}. To continue
     * later, iterate over the pages and store {@code page.body().next()}. See {@link
     * Entries#isDeleted}.
     */
    public CompletableFuture<AsyncPage<ServerChange, ChangePage>> changes(ChangesParams params) {
        return AsyncPage.fetch(transport, Request.get("/api/changes", params.values()), PageType.CHANGES);
    }

    /** Returns the daily dumps of the whole registry, newest first: {@code GET /dumps}. */
    public CompletableFuture<Dumps> dumps() {
        return transport.fetch(Request.get("/dumps"), Dumps::new);
    }
}
