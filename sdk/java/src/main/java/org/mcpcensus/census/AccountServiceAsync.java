package org.mcpcensus.census;

import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.model.OwnAccount;
import org.mcpcensus.census.model.Plans;
import org.mcpcensus.census.model.Usage;
import org.mcpcensus.census.params.UsageParams;

/** The account of the key. */
public final class AccountServiceAsync {
    private final Transport transport;

    AccountServiceAsync(Transport transport) {
        this.transport = transport;
    }

    /** Returns plan, limits and key: {@code GET /v1/account}. */
    public CompletableFuture<OwnAccount> retrieve() {
        return transport.fetch(Request.get("/v1/account"), OwnAccount::new);
    }

    /** Returns the calls of the last 30 days by day, endpoint and key: {@code GET /v1/usage}. */
    public CompletableFuture<Usage> usage() {
        return usage(UsageParams.builder().build());
    }

    /** Returns the calls by day, endpoint and key: {@code GET /v1/usage}. */
    public CompletableFuture<Usage> usage(UsageParams params) {
        return transport.fetch(Request.get("/v1/usage", params.values()), Usage::new);
    }

    /** Returns all plans, cheapest first: {@code GET /v1/plans}. */
    public CompletableFuture<Plans> plans() {
        return transport.fetch(Request.get("/v1/plans"), Plans::new);
    }
}
