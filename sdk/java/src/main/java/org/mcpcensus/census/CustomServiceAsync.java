package org.mcpcensus.census;

import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.Custom;
import org.mcpcensus.census.model.CustomPage;
import org.mcpcensus.census.model.CustomView;
import org.mcpcensus.census.model.Customs;
import org.mcpcensus.census.model.PartialServer;
import org.mcpcensus.census.params.CustomParams;
import org.mcpcensus.census.params.CustomRunParams;

/** Custom endpoints: saved searches. Requires the Enterprise plan. */
public final class CustomServiceAsync {
    private final Transport transport;

    CustomServiceAsync(Transport transport) {
        this.transport = transport;
    }

    /** Returns all definitions, by name: {@code GET /v1/custom}. */
    public CompletableFuture<Customs> list() {
        return transport.fetch(Request.get("/v1/custom"), Customs::new);
    }

    /** Runs a saved search: {@code GET /v1/custom/{name}}. */
    public CompletableFuture<AsyncPage<PartialServer, CustomPage>> run(String name) {
        return run(name, CustomRunParams.builder().build());
    }

    /** Runs a saved search: {@code GET /v1/custom/{name}}. */
    public CompletableFuture<AsyncPage<PartialServer, CustomPage>> run(String name, CustomRunParams params) {
        return AsyncPage.fetch(
                transport, Request.get(Request.path("v1", "custom", name), params.values()), PageType.CUSTOM);
    }

    /** Returns a definition: {@code GET /v1/custom/{name}/definition}. */
    public CompletableFuture<Custom> retrieve(String name) {
        return transport.fetch(
                Request.get(Request.path("v1", "custom", name, "definition")), Custom::new);
    }

    /**
     * Stores a definition, replacing one of the same name: {@code PUT
     * /v1/custom/{name}/definition}.
     *
     * @param name 1 to 60 characters of a to z, 0 to 9 and -
     */
    public CompletableFuture<Custom> put(String name, CustomParams definition) {
        return transport.fetch(
                Request.withBody("PUT", Request.path("v1", "custom", name, "definition"), definition.values()),
                Custom::new);
    }

    /**
     * Deletes a definition: {@code DELETE /v1/custom/{name}/definition}. If the connection fails
     * after the deletion, the retry throws NotFoundException.
     */
    public CompletableFuture<Void> delete(String name) {
        return Futures.map(
                transport.send(Request.delete(Request.path("v1", "custom", name, "definition"))), raw -> null);
    }

    /**
     * Creates the URL of a custom endpoint as a view: {@code POST /v1/custom/{name}/view}. It
     * replaces an earlier one, and is only in this response. Reading it requires no key, so keep it
     * secret.
     */
    public CompletableFuture<CustomView> createView(String name) {
        return transport.fetch(
                Request.post(Request.path("v1", "custom", name, "view")).once(), CustomView::new);
    }
}
