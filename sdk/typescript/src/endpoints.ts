import type { RequestOptions } from "./options.js";
import { DELIVERIES, list, type PagePromise } from "./pages.js";
import type { DeliveriesParams, WebhookParams } from "./params.js";
import { type APIPromise, call } from "./promise.js";
import { get, numbered } from "./request.js";
import { APIResponse } from "./response.js";
import type { Transport } from "./transport.js";
import type {
  WebhookDeliveries,
  WebhookDelivery,
  WebhookEndpoint as Endpoint,
  WebhookEndpoints as Endpoints,
  WebhookEndpointWithSecret as EndpointWithSecret,
} from "./types.js";
import { Webhooks } from "./webhooks.js";

/**
 * The webhook endpoints of the account, and verification of webhooks.
 *
 * Requests that create or send something are only retried after 429, because the registry may have
 * processed the first.
 */
export class WebhookService extends Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super();
    this.#transport = transport;
  }

  /** Returns all endpoints: `GET /v1/webhooks`. */
  list(options?: RequestOptions): APIPromise<Endpoints> {
    return call(() => this.#transport.get(get("/v1/webhooks"), options));
  }

  /**
   * Creates an endpoint: `POST /v1/webhooks`. Only this and `rotate` return the secret.
   */
  create(params: WebhookParams, options?: RequestOptions): APIPromise<EndpointWithSecret> {
    const body = { ...params };
    return call(async () =>
      this.#transport.get({ method: "POST", path: "/v1/webhooks", body, once: true }, options),
    );
  }

  /** Returns an endpoint: `GET /v1/webhooks/{id}`. */
  retrieve(id: number, options?: RequestOptions): APIPromise<Endpoint> {
    return call(async () => this.#transport.get(get(path(id)), options));
  }

  /**
   * Replaces all settings of an endpoint: `PUT /v1/webhooks/{id}`. Omitted parameters are reset to
   * their defaults.
   */
  replace(id: number, params: WebhookParams, options?: RequestOptions): APIPromise<Endpoint> {
    const body = { ...params };
    return call(async () => this.#transport.get({ method: "PUT", path: path(id), body }, options));
  }

  /**
   * Deletes an endpoint and its deliveries: `DELETE /v1/webhooks/{id}`. If the connection fails
   * after the deletion, the retry throws NotFoundError.
   */
  delete(id: number, options?: RequestOptions): APIPromise<void> {
    return call(async () => {
      const request = { method: "DELETE", path: path(id) } as const;
      return new APIResponse(undefined, await this.#transport.send(request, options));
    });
  }

  /**
   * Replaces the secret of an endpoint: `POST /v1/webhooks/{id}/rotate`. For 24 hours, deliveries
   * are signed with both.
   */
  rotate(id: number, options?: RequestOptions): APIPromise<EndpointWithSecret> {
    return call(async () => this.#transport.get(post(`${path(id)}/rotate`), options));
  }

  /** Sends a webhook.test event: `POST /v1/webhooks/{id}/test`. */
  test(id: number, options?: RequestOptions): APIPromise<WebhookDelivery> {
    return call(async () => this.#transport.get(post(`${path(id)}/test`), options));
  }

  /** Lists the deliveries of the last 30 days, newest first: `GET /v1/webhooks/{id}/deliveries`. */
  deliveries(
    id: number,
    params?: DeliveriesParams,
    options?: RequestOptions,
  ): PagePromise<WebhookDelivery, WebhookDeliveries> {
    const request = () => get(`${path(id)}/deliveries`, params);
    return list(this.#transport, "deliveries", request, options, DELIVERIES);
  }

  /**
   * Sends a delivery again, with the same event ID: `POST
   * /v1/webhooks/{id}/deliveries/{delivery}/resend`.
   */
  resend(id: number, delivery: number, options?: RequestOptions): APIPromise<WebhookDelivery> {
    const request = () => post(`${path(id)}/deliveries/${numbered("delivery", delivery)}/resend`);
    return call(async () => this.#transport.get(request(), options));
  }
}

function path(id: number): string {
  return `/v1/webhooks/${numbered("id", id)}`;
}

function post(path: string) {
  return { method: "POST", path, once: true } as const;
}
