package org.mcpcensus.census;

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
public final class ServersService {
    private final ServersServiceAsync async;

    ServersService(ServersServiceAsync async) {
        this.async = async;
    }

    /** Lists servers by score: {@code GET /v1/servers}. */
    public Page<Server, NumberedPage> list() {
        return new Page<>(Futures.await(async.list()));
    }

    /** Lists servers by score, or by relevance with a search: {@code GET /v1/servers}. */
    public Page<Server, NumberedPage> list(ServersParams params) {
        return new Page<>(Futures.await(async.list(params)));
    }

    /**
     * Returns the record of a server: {@code GET /v1/servers/{id}}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public ServerDetail retrieve(String id) {
        return Futures.await(async.retrieve(id));
    }

    /**
     * Returns several records in one request: {@code POST /v1/servers/bulk}. The order is that of
     * ids, then githubUrls, then names. Requires the Professional plan.
     */
    public BulkAnswer bulk(BulkParams params) {
        return Futures.await(async.bulk(params));
    }

    /**
     * Returns the usage and popularity of a server in the last 30 days: {@code GET
     * /v1/servers/{id}/analytics}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public Analytics analytics(String id) {
        return Futures.await(async.analytics(id));
    }

    /**
     * Returns the usage and popularity of a server: {@code GET /v1/servers/{id}/analytics}.
     * Requires the Professional plan.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public Analytics analytics(String id, AnalyticsParams params) {
        return Futures.await(async.analytics(id, params));
    }

    /**
     * Returns the changes to a server's tools, newest first: {@code GET
     * /v1/servers/{id}/tools/changes}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public ToolChanges toolChanges(String id) {
        return Futures.await(async.toolChanges(id));
    }

    /** Follows the changes to all servers, as full records: {@code GET /v1/changes}. */
    public Page<RecordChange, RecordChangePage> changes() {
        return new Page<>(Futures.await(async.changes()));
    }

    /**
     * Follows the changes to all servers, as full records: {@code GET /v1/changes}. To continue
     * later, iterate over the pages and store {@code page.body().next()}. See {@link
     * Entries#isDeleted}.
     */
    public Page<RecordChange, RecordChangePage> changes(RecordChangesParams params) {
        return new Page<>(Futures.await(async.changes(params)));
    }
}
