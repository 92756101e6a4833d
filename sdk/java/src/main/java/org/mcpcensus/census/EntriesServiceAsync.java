package org.mcpcensus.census;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.ServerEntry;
import org.mcpcensus.census.model.ServerEntryList;
import org.mcpcensus.census.params.EntriesParams;
import org.mcpcensus.census.params.EntryParams;
import org.mcpcensus.census.params.VersionsParams;

/** Records of all servers, or of a view, in the format of the official registry. */
public abstract class EntriesServiceAsync {
    final Transport transport;
    private final List<String> base; // segments of the path

    EntriesServiceAsync(Transport transport, String... base) {
        this.transport = transport;
        this.base = List.of(base);
    }

    private String path(String... segments) {
        List<String> all = new ArrayList<>(base);
        all.addAll(List.of(segments));
        return Request.path(all.toArray(new String[0]));
    }

    /** Lists records by name: {@code GET /v0.1/servers}. */
    public CompletableFuture<AsyncPage<ServerEntry, ServerEntryList>> list() {
        return list(EntriesParams.builder().build());
    }

    /** Lists records by name, or by relevance with a search: {@code GET /v0.1/servers}. */
    public CompletableFuture<AsyncPage<ServerEntry, ServerEntryList>> list(EntriesParams params) {
        return AsyncPage.fetch(
                transport, Request.get(path("servers"), params.values()), PageType.ENTRIES);
    }

    /**
     * Returns the versions of a server, latest first: {@code GET
     * /v0.1/servers/{name}/versions}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public CompletableFuture<ServerEntryList> versions(String name) {
        return versions(name, VersionsParams.builder().build());
    }

    /**
     * Returns the versions of a server, latest first: {@code GET
     * /v0.1/servers/{name}/versions}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public CompletableFuture<ServerEntryList> versions(String name, VersionsParams params) {
        return transport.fetch(
                Request.get(path("servers", name, "versions"), params.values()), ServerEntryList::new);
    }

    /**
     * Returns the latest record of a server: {@code GET /v0.1/servers/{name}/versions/latest}.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public CompletableFuture<ServerEntry> retrieve(String name) {
        return retrieve(name, EntryParams.builder().build());
    }

    /**
     * Returns a record: {@code GET /v0.1/servers/{name}/versions/{version}}. The exception for an
     * unknown name has candidates; {@code list} with {@code search} finds others.
     *
     * @param name the name of the server, such as {@code io.github.owner/repository}
     */
    public CompletableFuture<ServerEntry> retrieve(String name, EntryParams params) {
        Map<String, Object> query = new LinkedHashMap<>(params.values());
        Object version = query.remove("version");
        String path = path("servers", name, "versions", version == null ? "latest" : version.toString());
        return transport.fetch(Request.get(path, query), ServerEntry::new);
    }
}
