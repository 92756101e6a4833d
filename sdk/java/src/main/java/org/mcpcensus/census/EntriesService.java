package org.mcpcensus.census;

import org.mcpcensus.census.model.ServerEntry;
import org.mcpcensus.census.model.ServerEntryList;
import org.mcpcensus.census.params.EntriesParams;
import org.mcpcensus.census.params.EntryParams;
import org.mcpcensus.census.params.VersionsParams;

/** Records of all servers, or of a view, in the format of the official registry. */
public abstract class EntriesService {
    private final EntriesServiceAsync async;

    EntriesService(EntriesServiceAsync async) {
        this.async = async;
    }

    /** Lists records by name: {@code GET /v0.1/servers}. */
    public Page<ServerEntry, ServerEntryList> list() {
        return new Page<>(Futures.await(async.list()));
    }

    /** Lists records by name, or by relevance with a search: {@code GET /v0.1/servers}. */
    public Page<ServerEntry, ServerEntryList> list(EntriesParams params) {
        return new Page<>(Futures.await(async.list(params)));
    }

    /**
     * Returns the versions of a server, latest first: {@code GET
     * /v0.1/servers/{name}/versions}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public ServerEntryList versions(String name) {
        return Futures.await(async.versions(name));
    }

    /**
     * Returns the versions of a server, latest first: {@code GET
     * /v0.1/servers/{name}/versions}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public ServerEntryList versions(String name, VersionsParams params) {
        return Futures.await(async.versions(name, params));
    }

    /**
     * Returns the latest record of a server: {@code GET /v0.1/servers/{name}/versions/latest}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public ServerEntry retrieve(String name) {
        return Futures.await(async.retrieve(name));
    }

    /**
     * Returns a record: {@code GET /v0.1/servers/{name}/versions/{version}}. The exception for an
     * unknown name has candidates; {@code list} with {@code search} finds others.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public ServerEntry retrieve(String name, EntryParams params) {
        return Futures.await(async.retrieve(name, params));
    }
}
