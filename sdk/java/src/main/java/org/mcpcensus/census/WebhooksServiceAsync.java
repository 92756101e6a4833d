package org.mcpcensus.census;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
public final class WebhooksServiceAsync {
    private final Transport transport;

    WebhooksServiceAsync(Transport transport) {
        this.transport = transport;
    }

    /** Returns all endpoints: {@code GET /v1/webhooks}. */
    public CompletableFuture<WebhookEndpoints> list() {
        return transport.fetch(Request.get("/v1/webhooks"), WebhookEndpoints::new);
    }

    /**
     * Creates an endpoint: {@code POST /v1/webhooks}. Only this response and the one of {@code
     * rotate} contain the secret.
     */
    public CompletableFuture<WebhookEndpointWithSecret> create(WebhookParams params) {
        return transport.fetch(
                Request.withBody("POST", "/v1/webhooks", params.values()).once(), WebhookEndpointWithSecret::new);
    }

    /**
     * Returns an endpoint: {@code GET /v1/webhooks/{id}}.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<WebhookEndpoint> retrieve(long id) {
        return transport.fetch(Request.get(path(id)), WebhookEndpoint::new);
    }

    /**
     * Replaces all settings of an endpoint: {@code PUT /v1/webhooks/{id}}. Omitted parameters are
     * reset to their defaults.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<WebhookEndpoint> replace(long id, WebhookParams params) {
        return transport.fetch(
                Request.withBody("PUT", path(id), params.values()), WebhookEndpoint::new);
    }

    /**
     * Deletes an endpoint and its deliveries: {@code DELETE /v1/webhooks/{id}}. If the connection
     * fails after the deletion, the retry throws NotFoundException.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<Void> delete(long id) {
        return Futures.map(transport.send(Request.delete(path(id))), raw -> null);
    }

    /**
     * Replaces the secret of an endpoint: {@code POST /v1/webhooks/{id}/rotate}. For 24 hours,
     * deliveries are signed with both.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<WebhookEndpointWithSecret> rotate(long id) {
        return transport.fetch(Request.post(path(id, "rotate")).once(), WebhookEndpointWithSecret::new);
    }

    /**
     * Sends a webhook.test event: {@code POST /v1/webhooks/{id}/test}.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<WebhookDelivery> test(long id) {
        return transport.fetch(Request.post(path(id, "test")).once(), WebhookDelivery::new);
    }

    /**
     * Lists the deliveries of the last 30 days, newest first: {@code GET
     * /v1/webhooks/{id}/deliveries}.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<AsyncPage<WebhookDelivery, WebhookDeliveries>> deliveries(long id) {
        return deliveries(id, DeliveriesParams.builder().build());
    }

    /**
     * Lists the deliveries of the last 30 days, newest first: {@code GET
     * /v1/webhooks/{id}/deliveries}.
     *
     * @param id the ID of the endpoint
     */
    public CompletableFuture<AsyncPage<WebhookDelivery, WebhookDeliveries>> deliveries(
            long id, DeliveriesParams params) {
        return AsyncPage.fetch(
                transport, Request.get(path(id, "deliveries"), params.values()), PageType.DELIVERIES);
    }

    /**
     * Sends a delivery again, with the same event ID: {@code POST
     * /v1/webhooks/{id}/deliveries/{delivery}/resend}.
     *
     * @param id the ID of the endpoint
     * @param delivery the ID of the delivery
     */
    public CompletableFuture<WebhookDelivery> resend(long id, long delivery) {
        return transport.fetch(
                Request.post(path(id, "deliveries", number(delivery), "resend")).once(),
                WebhookDelivery::new);
    }

    private static String path(long id, String... segments) {
        List<String> all = new ArrayList<>(List.of("v1", "webhooks", number(id)));
        all.addAll(List.of(segments));
        return Request.path(all.toArray(new String[0]));
    }

    private static String number(long id) {
        if (id < 1) {
            throw new IllegalArgumentException("the ID must be positive, got " + id);
        }
        return String.valueOf(id);
    }
}
