package org.mcpcensus.census;

import org.mcpcensus.census.model.Custom;
import org.mcpcensus.census.model.CustomPage;
import org.mcpcensus.census.model.CustomView;
import org.mcpcensus.census.model.Customs;
import org.mcpcensus.census.model.PartialServer;
import org.mcpcensus.census.params.CustomParams;
import org.mcpcensus.census.params.CustomRunParams;

/** Custom endpoints: saved searches. Requires the Enterprise plan. */
public final class CustomService {
    private final CustomServiceAsync async;

    CustomService(CustomServiceAsync async) {
        this.async = async;
    }

    /** Returns all definitions, by name: {@code GET /v1/custom}. */
    public Customs list() {
        return Futures.await(async.list());
    }

    /** Runs a saved search: {@code GET /v1/custom/{name}}. */
    public Page<PartialServer, CustomPage> run(String name) {
        return new Page<>(Futures.await(async.run(name)));
    }

    /** Runs a saved search: {@code GET /v1/custom/{name}}. */
    public Page<PartialServer, CustomPage> run(String name, CustomRunParams params) {
        return new Page<>(Futures.await(async.run(name, params)));
    }

    /** Returns a definition: {@code GET /v1/custom/{name}/definition}. */
    public Custom retrieve(String name) {
        return Futures.await(async.retrieve(name));
    }

    /**
     * Stores a definition, replacing one of the same name: {@code PUT
     * /v1/custom/{name}/definition}.
     *
     * @param name 1 to 60 characters of a to z, 0 to 9 and -
     */
    public Custom put(String name, CustomParams definition) {
        return Futures.await(async.put(name, definition));
    }

    /**
     * Deletes a definition: {@code DELETE /v1/custom/{name}/definition}. If the connection fails
     * after the deletion, the retry throws NotFoundException.
     */
    public void delete(String name) {
        Futures.await(async.delete(name));
    }

    /**
     * Creates the URL of a custom endpoint as a view: {@code POST /v1/custom/{name}/view}. It
     * replaces an earlier one, and is only in this response. Reading it requires no key, so keep it
     * secret.
     */
    public CustomView createView(String name) {
        return Futures.await(async.createView(name));
    }
}
