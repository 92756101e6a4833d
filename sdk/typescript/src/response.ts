/** Rate limit of the client or the account, from the response headers. */
export interface RateLimit {
  /** Requests in the window; null if there is no limit. */
  limit: number | null;
  remaining: number | null;
  /** The end of the window. */
  resetAt: Date | null;
  /** The plan of the key. */
  plan: string | null;
}

/** A response before it is decoded. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
  url: string;
  retries: number;
  fromCache: boolean;
}

/** A decoded response with its status and headers. */
export class APIResponse<T> {
  /** The decoded body. */
  readonly data: T;
  /** The HTTP status; 200 if the response is from the cache. */
  readonly status: number;
  readonly headers: Headers;
  /** The raw body. */
  readonly text: string;
  readonly url: string;
  /** Number of retries. */
  readonly retries: number;
  /** Whether the registry responded 304 and the body is from the ETag cache. */
  readonly fromCache: boolean;

  /** @internal */
  constructor(data: T, raw: RawResponse) {
    this.data = data;
    this.status = raw.status;
    this.headers = raw.headers;
    this.text = raw.text;
    this.url = raw.url;
    this.retries = raw.retries;
    this.fromCache = raw.fromCache;
  }

  /** ID of the request in the registry's log. */
  get requestId(): string | null {
    return this.headers.get("x-request-id") || null;
  }

  /** The entity tag of the body. */
  get etag(): string | null {
    return this.headers.get("etag");
  }

  /** Remaining requests. */
  get rateLimit(): RateLimit {
    return rateLimit(this.headers);
  }
}

/** Reads the headers X-RateLimit-*; malformed headers count as absent. */
export function rateLimit(headers: Headers): RateLimit {
  const reset = integer(headers.get("x-ratelimit-reset"));
  const resetAt = reset === null ? null : new Date(reset * 1000);
  return {
    limit: integer(headers.get("x-ratelimit-limit")),
    remaining: integer(headers.get("x-ratelimit-remaining")),
    resetAt: resetAt && Number.isNaN(resetAt.getTime()) ? null : resetAt,
    plan: headers.get("x-ratelimit-plan"),
  };
}

function integer(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Parses a JSON object; null if the text is not one. */
export function objectOf(text: string): Record<string, unknown> | null {
  const value = parsed(text);
  const found = typeof value === "object" && value !== null && !Array.isArray(value);
  return found ? (value as Record<string, unknown>) : null;
}

/** Parses a JSON array; null if the text is not one. */
export function arrayOf(text: string): unknown[] | null {
  const value = parsed(text);
  return Array.isArray(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
