package org.mcpcensus.census;

import java.util.Map;
import org.mcpcensus.census.model.RegistryAppVersion;
import org.mcpcensus.census.model.RegistryHealth;
import org.mcpcensus.census.model.RegistryPing;
import org.mcpcensus.census.model.ValidationResult;
import org.mcpcensus.census.model.Views;

/** The registry through the official registry's API, under /v0.1. No key required. */
public final class RegistryService extends EntriesService {
    private final RegistryServiceAsync async;

    RegistryService(RegistryServiceAsync async) {
        super(async);
        this.async = async;
    }

    /** Returns the built-in views: {@code GET /r}. */
    public Views views() {
        return Futures.await(async.views());
    }

    /**
     * Returns a view. It sends no request.
     *
     * @param name a built-in view, such as healthy, or the token of a custom endpoint
     */
    public RegistryView view(String name) {
        return new RegistryView(async.view(name));
    }

    /**
     * Checks a server.json: {@code POST /v0.1/validate}. A document with errors is a result, not an
     * error.
     *
     * @param document an object as {@link org.mcpcensus.census.json.Json} reads and writes it
     */
    public ValidationResult validate(Map<String, ?> document) {
        return Futures.await(async.validate(document));
    }

    /** Returns whether the API responds: {@code GET /v0.1/ping}. */
    public RegistryPing ping() {
        return Futures.await(async.ping());
    }

    /** Returns the state of the API: {@code GET /v0.1/health}. */
    public RegistryHealth health() {
        return Futures.await(async.health());
    }

    /** Returns the version of the registry: {@code GET /v0.1/version}. */
    public RegistryAppVersion version() {
        return Futures.await(async.version());
    }
}
