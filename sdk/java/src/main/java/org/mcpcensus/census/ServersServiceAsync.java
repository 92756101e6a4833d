package org.mcpcensus.census;

import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.Analytics;
import org.mcpcensus.census.model.BulkAnswer;
import org.mcpcensus.census.model.NumberedPage;
import org.mcpcensus.census.model.RecordChange;
import org.mcpcensus.census.model.RecordChangePage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerDetail;
import org.mcpcensus.census.model.ToolChanges;
import org.mcpcensus.census.params.AnalyticsParams;
import org.mcpcensus.census.params.BulkParams;
import org.mcpcensus.census.params.RecordChangesParams;
import org.mcpcensus.census.params.ServersParams;

/** Servers with full records, under /v1. Requires a key. */
public final class ServersServiceAsync {
    private final Transport transport;

    ServersServiceAsync(Transport transport) {
        this.transport = transport;
    }

    /** Lists servers by score: {@code GET /v1/servers}. */
    public CompletableFuture<AsyncPage<Server, NumberedPage>> list() {
        return list(ServersParams.builder().build());
    }

    /** Lists servers by score, or by relevance with a search: {@code GET /v1/servers}. */
    public CompletableFuture<AsyncPage<Server, NumberedPage>> list(ServersParams params) {
        return AsyncPage.fetch(transport, Request.get("/v1/servers", params.values()), PageType.NUMBERED);
    }

    /**
     * Returns the record of a server: {@code GET /v1/servers/{id}}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public CompletableFuture<ServerDetail> retrieve(String id) {
        return transport.fetch(Request.get(Request.path("v1", "servers", id)), ServerDetail::new);
    }

    /**
     * Returns several records in one request: {@code POST /v1/servers/bulk}. The order is that of
     * ids, then githubUrls, then names. Requires the Professional plan.
     */
    public CompletableFuture<BulkAnswer> bulk(BulkParams params) {
        return transport.fetch(
                Request.withBody("POST", "/v1/servers/bulk", params.values()), BulkAnswer::new);
    }

    /**
     * Returns the usage and popularity of a server in the last 30 days: {@code GET
     * /v1/servers/{id}/analytics}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public CompletableFuture<Analytics> analytics(String id) {
        return analytics(id, AnalyticsParams.builder().build());
    }

    /**
     * Returns the usage and popularity of a server: {@code GET /v1/servers/{id}/analytics}.
     * Requires the Professional plan.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public CompletableFuture<Analytics> analytics(String id, AnalyticsParams params) {
        return transport.fetch(
                Request.get(Request.path("v1", "servers", id, "analytics"), params.values()), Analytics::new);
    }

    /**
     * Returns the changes to a server's tools, newest first: {@code GET
     * /v1/servers/{id}/tools/changes}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public CompletableFuture<ToolChanges> toolChanges(String id) {
        return transport.fetch(
                Request.get(Request.path("v1", "servers", id, "tools", "changes")), ToolChanges::new);
    }

    /** Follows the changes to all servers, as full records: {@code GET /v1/changes}. */
    public CompletableFuture<AsyncPage<RecordChange, RecordChangePage>> changes() {
        return changes(RecordChangesParams.builder().build());
    }

    /**
     * Follows the changes to all servers, as full records: {@code GET /v1/changes}. To continue
     * later, iterate over the pages and store {@code page.body().next()}. See {@link
     * Entries#isDeleted}.
     */
    public CompletableFuture<AsyncPage<RecordChange, RecordChangePage>> changes(RecordChangesParams params) {
        return AsyncPage.fetch(
                transport, Request.get("/v1/changes", params.values()), PageType.RECORD_CHANGES);
    }
}
