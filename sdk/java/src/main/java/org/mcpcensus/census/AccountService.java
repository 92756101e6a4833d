package org.mcpcensus.census;

import org.mcpcensus.census.model.OwnAccount;
import org.mcpcensus.census.model.Plans;
import org.mcpcensus.census.model.Usage;
import org.mcpcensus.census.params.UsageParams;

/** The account of the key. */
public final class AccountService {
    private final AccountServiceAsync async;

    AccountService(AccountServiceAsync async) {
        this.async = async;
    }

    /** Returns plan, limits and key: {@code GET /v1/account}. */
    public OwnAccount retrieve() {
        return Futures.await(async.retrieve());
    }

    /** Returns the calls of the last 30 days by day, endpoint and key: {@code GET /v1/usage}. */
    public Usage usage() {
        return Futures.await(async.usage());
    }

    /** Returns the calls by day, endpoint and key: {@code GET /v1/usage}. */
    public Usage usage(UsageParams params) {
        return Futures.await(async.usage(params));
    }

    /** Returns all plans, cheapest first: {@code GET /v1/plans}. */
    public Plans plans() {
        return Futures.await(async.plans());
    }
}
