package org.mcpcensus.census;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.RegistryAppVersion;
import org.mcpcensus.census.model.RegistryHealth;
import org.mcpcensus.census.model.RegistryPing;
import org.mcpcensus.census.model.ValidationResult;
import org.mcpcensus.census.model.Views;

/** The registry through the official registry's API, under /v0.1. No key required. */
public final class RegistryServiceAsync extends EntriesServiceAsync {
    RegistryServiceAsync(Transport transport) {
        super(transport, "v0.1");
    }

    /** Returns the built-in views: {@code GET /r}. */
    public CompletableFuture<Views> views() {
        return transport.fetch(Request.get("/r"), Views::new);
    }

    /**
     * Returns a view. It sends no request.
     *
     * @param name a built-in view, such as healthy, or the token of a custom endpoint
     */
    public RegistryViewAsync view(String name) {
        return new RegistryViewAsync(transport, name);
    }

    /**
     * Checks a server.json: {@code POST /v0.1/validate}. A document with errors is a result, not an
     * error.
     *
     * @param document an object as {@link org.mcpcensus.census.json.Json} reads and writes it
     */
    public CompletableFuture<ValidationResult> validate(Map<String, ?> document) {
        return transport.fetch(
                Request.withBody("POST", "/v0.1/validate", new LinkedHashMap<>(document)), ValidationResult::new);
    }

    /** Returns whether the API responds: {@code GET /v0.1/ping}. */
    public CompletableFuture<RegistryPing> ping() {
        return transport.fetch(Request.get("/v0.1/ping"), RegistryPing::new);
    }

    /** Returns the state of the API: {@code GET /v0.1/health}. */
    public CompletableFuture<RegistryHealth> health() {
        return transport.fetch(Request.get("/v0.1/health"), RegistryHealth::new);
    }

    /** Returns the version of the registry: {@code GET /v0.1/version}. */
    public CompletableFuture<RegistryAppVersion> version() {
        return transport.fetch(Request.get("/v0.1/version"), RegistryAppVersion::new);
    }
}
