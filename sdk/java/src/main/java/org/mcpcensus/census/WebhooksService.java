package org.mcpcensus.census;

import org.mcpcensus.census.model.WebhookDeliveries;
import org.mcpcensus.census.model.WebhookDelivery;
import org.mcpcensus.census.model.WebhookEndpoint;
import org.mcpcensus.census.model.WebhookEndpointWithSecret;
import org.mcpcensus.census.model.WebhookEndpoints;
import org.mcpcensus.census.params.DeliveriesParams;
import org.mcpcensus.census.params.WebhookParams;

/**
 * The webhook endpoints of the account; see {@link Webhooks} for the receiver. Requires a key.
 *
 * <p>Requests that create or send something are only retried after 429, because the registry may
 * have processed the first.
 */
public final class WebhooksService {
    private final WebhooksServiceAsync async;

    WebhooksService(WebhooksServiceAsync async) {
        this.async = async;
    }

    /** Returns all endpoints: {@code GET /v1/webhooks}. */
    public WebhookEndpoints list() {
        return Futures.await(async.list());
    }

    /**
     * Creates an endpoint: {@code POST /v1/webhooks}. Only this response and the one of {@code
     * rotate} contain the secret.
     */
    public WebhookEndpointWithSecret create(WebhookParams params) {
        return Futures.await(async.create(params));
    }

    /**
     * Returns an endpoint: {@code GET /v1/webhooks/{id}}.
     *
     * @param id the ID of the endpoint
     */
    public WebhookEndpoint retrieve(long id) {
        return Futures.await(async.retrieve(id));
    }

    /**
     * Replaces all settings of an endpoint: {@code PUT /v1/webhooks/{id}}. Omitted parameters are
     * reset to their defaults.
     *
     * @param id the ID of the endpoint
     */
    public WebhookEndpoint replace(long id, WebhookParams params) {
        return Futures.await(async.replace(id, params));
    }

    /**
     * Deletes an endpoint and its deliveries: {@code DELETE /v1/webhooks/{id}}. If the connection
     * fails after the deletion, the retry throws NotFoundException.
     *
     * @param id the ID of the endpoint
     */
    public void delete(long id) {
        Futures.await(async.delete(id));
    }

    /**
     * Replaces the secret of an endpoint: {@code POST /v1/webhooks/{id}/rotate}. For 24 hours,
     * deliveries are signed with both.
     *
     * @param id the ID of the endpoint
     */
    public WebhookEndpointWithSecret rotate(long id) {
        return Futures.await(async.rotate(id));
    }

    /**
     * Sends a webhook.test event: {@code POST /v1/webhooks/{id}/test}.
     *
     * @param id the ID of the endpoint
     */
    public WebhookDelivery test(long id) {
        return Futures.await(async.test(id));
    }

    /**
     * Lists the deliveries of the last 30 days, newest first: {@code GET
     * /v1/webhooks/{id}/deliveries}.
     *
     * @param id the ID of the endpoint
     */
    public Page<WebhookDelivery, WebhookDeliveries> deliveries(long id) {
        return new Page<>(Futures.await(async.deliveries(id)));
    }

    /**
     * Lists the deliveries of the last 30 days, newest first: {@code GET
     * /v1/webhooks/{id}/deliveries}.
     *
     * @param id the ID of the endpoint
     */
    public Page<WebhookDelivery, WebhookDeliveries> deliveries(long id, DeliveriesParams params) {
        return new Page<>(Futures.await(async.deliveries(id, params)));
    }

    /**
     * Sends a delivery again, with the same event ID: {@code POST
     * /v1/webhooks/{id}/deliveries/{delivery}/resend}.
     *
     * @param id the ID of the endpoint
     * @param delivery the ID of the delivery
     */
    public WebhookDelivery resend(long id, long delivery) {
        return Futures.await(async.resend(id, delivery));
    }
}
