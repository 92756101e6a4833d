import { CensusError } from "./errors.js";

/** A request. Parameters and members of the body that are undefined are omitted. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Encoded, below the base URL. */
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
  /** Whether it is only retried after 429, because it creates or sends something. */
  readonly once?: boolean;
}

/** Returns a request with GET. */
export function get(path: string, query: object = {}): Request {
  return { method: "GET", path, query };
}

/** Returns the URL of a request at a registry. */
export function urlOf(base: string, request: Request): string {
  const query = Object.entries(request.query ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encoded(name, name)}=${encoded(name, String(value))}`)
    .join("&");
  return base + request.path + (query && "?" + query);
}

/** Returns the body of a request as JSON. */
export function contentOf(request: Request): string | undefined {
  return request.body && JSON.stringify(request.body, finite);
}

/**
 * Returns the request of the page at a cursor, which is sent as a parameter. Cursors include the
 * filters and sort order, so only parameters for the format of the page are repeated.
 */
export function after(request: Request, cursor: string, parameter: string): Request {
  const { method, path, query, body } = request;
  if (parameter !== "cursor") return { method, path, query: { ...query, [parameter]: cursor } };
  const form = (from: object) => ({
    ...Object.fromEntries(
      Object.entries(from).filter(([name]) => ["limit", "facets", "format"].includes(name)),
    ),
    cursor,
  });
  return body ? { method, path, body: form(body) } : { method, path, query: form(query ?? {}) };
}

/** Returns a value as a path segment. `name` is the name of the parameter. */
export function segment(name: string, value: string): string {
  const got = JSON.stringify(value);
  if (typeof value !== "string") throw new CensusError(`${name} must be a string, got ${got}.`);
  if (["", ".", ".."].includes(value)) {
    throw new CensusError(`${name} must not be ${value === "" ? "empty" : got}.`);
  }
  return encoded(name, value);
}

/** Returns a numeric ID as a path segment. */
export function numbered(name: string, value: number): string {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new CensusError(`${name} must be a positive integer, got ${JSON.stringify(value)}.`);
  }
  return String(value);
}

/** Returns a time as a string. */
export function time(name: string, value: Date | string | undefined): string | undefined {
  if (!(value instanceof Date)) return value;
  if (Number.isNaN(value.getTime())) throw new CensusError(`${name} is not a valid date.`);
  return value.toISOString();
}

/**
 * Returns the ID of a check, from an ID or a status URL. Only the ID is used: the key is never sent
 * to another host.
 */
export function checkID(text: string): string {
  const found = /\/api\/checks\/([^?#]*)/.exec(String(text));
  if (found === null) return text;
  try {
    return decodeURIComponent(found[1] ?? "");
  } catch {
    return found[1] ?? "";
  }
}

/** Returns a list of fields as a string. */
export function joined(values: string | readonly string[] | undefined): string | undefined {
  return values === undefined || typeof values === "string" ? values : values.join(",");
}

/** Returns the URL that a response redirects to; null if it is of another origin. */
export function redirected(url: string, location: string): string | null {
  try {
    const target = new URL(location, url);
    return target.origin === new URL(url).origin ? target.href : null;
  } catch {
    return null;
  }
}

function encoded(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new CensusError(`${name} is not a valid string.`); // half of a surrogate pair
  }
}

function finite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new CensusError(`${name} must be a number, got ${value}.`); // JSON would be null
  }
  return value;
}
