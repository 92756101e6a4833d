import { objectOf, rateLimit, type RawResponse } from "./response.js";
import type { FieldError } from "./types.js";

/** Base class of all errors of this package; also thrown for invalid settings and arguments. */
export class CensusError extends Error {
  static {
    this.prototype.name = "CensusError";
  }
}

/** A webhook is not signed with the secret or is too old. */
export class WebhookVerificationError extends CensusError {
  static {
    this.prototype.name = "WebhookVerificationError";
  }
}

/** The registry could not be reached, or the connection failed. */
export class APIConnectionError extends CensusError {
  static {
    this.prototype.name = "APIConnectionError";
  }
}

/** The registry did not respond in time. */
export class APITimeoutError extends APIConnectionError {
  static {
    this.prototype.name = "APITimeoutError";
  }
}

/** An error response. Each status has a subclass. */
export class APIError extends CensusError {
  static {
    this.prototype.name = "APIError";
  }

  readonly status: number;
  readonly headers: Headers;
  /** The response body, as a JSON object or text. */
  readonly body: Record<string, unknown> | string;

  /** @internal */
  constructor(message: string, response: RawResponse) {
    super(message);
    this.status = response.status;
    this.headers = response.headers;
    this.body = objectOf(response.text) ?? response.text;
  }

  /** Error code, listed at /docs/errors. */
  get code(): string | null {
    return text(this.member("code"));
  }

  /** Short description of the error. */
  get title(): string | null {
    return text(this.member("title"));
  }

  /** Description of the error and the accepted values. */
  get detail(): string | null {
    return text(this.member("detail"));
  }

  /** Invalid parameters. */
  get errors(): FieldError[] {
    const errors = this.member("errors");
    return Array.isArray(errors) ? errors.filter(isFieldError) : [];
  }

  /** ID of the request in the registry's log. */
  get requestId(): string | null {
    return this.headers.get("x-request-id") || text(this.member("requestId"));
  }

  /** @internal */
  member(name: string): unknown {
    return typeof this.body === "string" ? undefined : this.body[name];
  }
}

/** A successful response that is not from a registry. */
export class InvalidResponseError extends APIError {
  static {
    this.prototype.name = "InvalidResponseError";
  }
}

/** 400: a parameter or the body is invalid; `errors` lists each problem. */
export class BadRequestError extends APIError {
  static {
    this.prototype.name = "BadRequestError";
  }
}

/** 401: the API key is missing, unknown or revoked. */
export class AuthenticationError extends APIError {
  static {
    this.prototype.name = "AuthenticationError";
  }
}

/** 403: the plan of the key does not include the endpoint. */
export class PermissionDeniedError extends APIError {
  static {
    this.prototype.name = "PermissionDeniedError";
  }

  /** Plans that include it, cheapest first. */
  get requiredPlans(): string[] {
    return texts(this.member("requiredPlans"));
  }
}

/** 404: the server, repository, check or custom endpoint does not exist. */
export class NotFoundError extends APIError {
  static {
    this.prototype.name = "NotFoundError";
  }

  /** Similar IDs or names of servers, best match first. */
  get candidates(): string[] {
    return texts(this.member("candidates"));
  }
}

/** 410: the server was deleted upstream. */
export class GoneError extends APIError {
  static {
    this.prototype.name = "GoneError";
  }
}

/** 429: the hourly or daily limit is reached. */
export class RateLimitError extends APIError {
  static {
    this.prototype.name = "RateLimitError";
  }

  /** Seconds to wait before retrying, or null. */
  readonly retryAfter: number | null;

  /** @internal */
  constructor(message: string, response: RawResponse, retryAfter: number | null) {
    super(message, response);
    this.retryAfter = retryAfter;
  }

  /** Requests in the window. */
  get limit(): number | null {
    return rateLimit(this.headers).limit;
  }

  /** Remaining requests in the window. */
  get remaining(): number | null {
    return rateLimit(this.headers).remaining;
  }

  /** The end of the window. */
  get resetAt(): Date | null {
    return rateLimit(this.headers).resetAt;
  }
}

/** 500 and above: the registry failed or is unavailable. */
export class InternalServerError extends APIError {
  static {
    this.prototype.name = "InternalServerError";
  }
}

const BY_STATUS = new Map<number, typeof APIError>([
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [410, GoneError],
]);

/**
 * Returns the error for an error response. `wait` is the wait that it requests, in milliseconds.
 */
export function errorOf(response: RawResponse, wait: number | null): APIError {
  const message = messageOf(response);
  if (response.status === 429) {
    const seconds = wait === null ? null : wait / 1000;
    const when = seconds ? ` (retry after ${Math.round(seconds)} s)` : "";
    return new RateLimitError(message + when, response, seconds);
  }
  const kind = response.status >= 500 ? InternalServerError : BY_STATUS.get(response.status);
  return new (kind ?? APIError)(message, response);
}

/** Returns the error for a successful response that is invalid. */
export function invalid(response: RawResponse, reason: string): InvalidResponseError {
  const kind = response.headers.get("content-type") ?? "no content type";
  return new InvalidResponseError(
    `${reason}: ${response.url} responded ${response.status} with ${response.text.length} ` +
      `characters (${kind}). Check that the base URL is that of a Census registry.`,
    response,
  );
}

function messageOf(response: RawResponse): string {
  const { status, headers } = response;
  const problem = new APIError("", response);
  let message = `${status}${problem.code ? " " + problem.code : ""}`;
  const location = headers.get("location");
  if (problem.detail ?? problem.title) {
    message += `: ${problem.detail ?? problem.title}`;
  } else if (status >= 300 && status < 400 && location) {
    message += `: redirected to ${location}: set the base URL to that registry`;
  } else if (response.text && !headers.get("content-type")?.includes("html")) {
    message += `: ${response.text.slice(0, 200)}`;
  } else {
    message += ": the response does not say why";
  }
  const candidates = texts(problem.member("candidates"));
  if (candidates[0] && !problem.detail?.includes(candidates[0])) {
    message += ` Did you mean ${candidates.join(", ")}?`;
  }
  if (problem.code === "missing_api_key") {
    message += " Set CENSUS_API_KEY, or apiKey of the client.";
  }
  return problem.requestId ? `${message} (request ${problem.requestId})` : message;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];
}

function isFieldError(value: unknown): value is FieldError {
  const e = value as Partial<FieldError> | null;
  return typeof e?.field === "string" && typeof e.message === "string";
}
