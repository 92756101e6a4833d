/**
 * Client for Census, a registry of MCP servers with health scores.
 *
 * @packageDocumentation
 */
export { Census, isPending } from "./client.js";
export { type WebhookService } from "./endpoints.js";
export {
  APIConnectionError,
  APIError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  CensusError,
  GoneError,
  InternalServerError,
  InvalidResponseError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  WebhookVerificationError,
} from "./errors.js";
export type * from "./filters.js";
export type { ClientOptions, Fetch, Logger, RequestOptions } from "./options.js";
export { Page, PagePromise, type Paged } from "./pages.js";
export type * from "./params.js";
export { APIPromise } from "./promise.js";
export {
  type Entries,
  officialMeta,
  type Registry,
  registryMeta,
  type RegistryView,
} from "./registry.js";
export {
  type Account,
  type CustomEndpoints,
  type DeletedServer,
  type Directory,
  isDeleted,
  type Servers,
} from "./resources.js";
export { APIResponse, type RateLimit } from "./response.js";
export type * from "./types.js";
export { VERSION } from "./version.js";
export {
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
  Webhooks,
} from "./webhooks.js";
