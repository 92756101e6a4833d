import { objectOf, rateLimit, type RawResponse } from "./response.js";
import type { FieldError } from "./types.js";

/** Base class of all errors of this package, also of wrong settings and arguments. */
export class CensusError extends Error {
  static {
    this.prototype.name = "CensusError";
  }
}

/** A webhook is not signed with the secret, or is too old. */
export class WebhookVerificationError extends CensusError {
  static {
    this.prototype.name = "WebhookVerificationError";
  }
}

/** The registry could not be reached, or the connection broke. */
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

/** The registry responded with an error. Subclasses are chosen by the status. */
export class APIError extends CensusError {
  static {
    this.prototype.name = "APIError";
  }

  readonly status: number;
  readonly headers: Headers;
  /** The JSON object of the response, else its text. */
  readonly body: Record<string, unknown> | string;

  /** @internal */
  constructor(message: string, response: RawResponse) {
    super(message);
    this.status = response.status;
    this.headers = response.headers;
    this.body = objectOf(response.text) ?? response.text;
  }

  /** What went wrong, for programs: a code of /docs/errors. */
  get code(): string | null {
    return text(this.member("code"));
  }

  /** What went wrong, in short. */
  get title(): string | null {
    return text(this.member("title"));
  }

  /** What went wrong and what is accepted, as a sentence. */
  get detail(): string | null {
    return text(this.member("detail"));
  }

  /** The parameters that were refused. */
  get errors(): FieldError[] {
    const errors = this.member("errors");
    return Array.isArray(errors) ? errors.filter(isFieldError) : [];
  }

  /** The ID that operators find in their log. */
  get requestId(): string | null {
    return this.headers.get("x-request-id") || text(this.member("requestId"));
  }

  /** @internal */
  member(name: string): unknown {
    return typeof this.body === "string" ? undefined : this.body[name];
  }
}

/** The response succeeded, but is not what a registry responds. */
export class InvalidResponseError extends APIError {
  static {
    this.prototype.name = "InvalidResponseError";
  }
}

/** 400: a parameter or the body was refused; `errors` names each parameter. */
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

  /** The plans that include it, the cheapest first. */
  get requiredPlans(): string[] {
    return texts(this.member("requiredPlans"));
  }
}

/** 404: the server, repository, check or custom endpoint does not exist. */
export class NotFoundError extends APIError {
  static {
    this.prototype.name = "NotFoundError";
  }

  /** IDs or names of servers that may have been meant, the best first. */
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

/** 429: the hour or day has no requests left. */
export class RateLimitError extends APIError {
  static {
    this.prototype.name = "RateLimitError";
  }

  /** Seconds after which to try again, or null. */
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

  /** Requests that are left in the window. */
  get remaining(): number | null {
    return rateLimit(this.headers).remaining;
  }

  /** The end of the window. */
  get resetAt(): Date | null {
    return rateLimit(this.headers).resetAt;
  }
}

/** 500 and above: the registry failed, or is unavailable. */
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
 * Returns the error of a response that did not succeed. `wait` is that which the response asks
 * for, in milliseconds.
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

/** Returns the error of a response that succeeded but cannot be used. */
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
