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

/** Servers with whole records, under /v1. It needs a key. */
public final class ServersService {
    private final ServersServiceAsync async;

    ServersService(ServersServiceAsync async) {
        this.async = async;
    }

    /** Lists servers by quality: {@code GET /v1/servers}. */
    public Page<Server, NumberedPage> list() {
        return new Page<>(Futures.await(async.list()));
    }

    /** Lists servers by quality, or by relevance with a search: {@code GET /v1/servers}. */
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
     * Returns several records, as one request: {@code POST /v1/servers/bulk}. The order is that of
     * ids, then githubUrls, then names. It needs the Professional plan.
     */
    public BulkAnswer bulk(BulkParams params) {
        return Futures.await(async.bulk(params));
    }

    /**
     * Returns figures of the last 30 days: {@code GET /v1/servers/{id}/analytics}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public Analytics analytics(String id) {
        return Futures.await(async.analytics(id));
    }

    /**
     * Returns figures over a period: {@code GET /v1/servers/{id}/analytics}. It needs the Professional
     * plan.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public Analytics analytics(String id, AnalyticsParams params) {
        return Futures.await(async.analytics(id, params));
    }

    /**
     * Returns what changed in a server's tools, the newest change first:
     * {@code GET /v1/servers/{id}/tools/changes}.
     *
     * @param id slug, old slug, or name in the official registry
     */
    public ToolChanges toolChanges(String id) {
        return Futures.await(async.toolChanges(id));
    }

    /** Follows the changes of all servers from the beginning, as records: {@code GET /v1/changes}. */
    public Page<RecordChange, RecordChangePage> changes() {
        return new Page<>(Futures.await(async.changes()));
    }

    /**
     * Follows the changes of all servers, as records: {@code GET /v1/changes}. To continue later,
     * iterate over the pages and store {@code page.body().next()}. See {@link Entries#isDeleted}.
     */
    public Page<RecordChange, RecordChangePage> changes(RecordChangesParams params) {
        return new Page<>(Futures.await(async.changes(params)));
    }
}
