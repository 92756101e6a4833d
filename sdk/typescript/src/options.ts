import { CLOCK, systemClock, type Clock } from "./clock.js";
import { CensusError } from "./errors.js";
import { ETagCache } from "./etag.js";
import { environment, isBrowser } from "./runtime.js";

export const DEFAULT_URL = "http://127.0.0.1:8080";
export const DEFAULT_TIMEOUT = 60_000;
export const DEFAULT_MAX_RETRIES = 2;

/** Maximum delay of a JavaScript timer, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Receives log messages, such as `console`. */
export interface Logger {
  /** Each attempt. */
  debug(message: string): void;
  /** Each retry. */
  info(message: string): void;
}

/** Sends requests, like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The settings of a client. */
export interface ClientOptions {
  /** API key. Default: the variable CENSUS_API_KEY. "" sends none. */
  apiKey?: string | undefined;
  /** URL of the registry. Default: the variable CENSUS_URL, or http://127.0.0.1:8080. */
  baseURL?: string | undefined;
  /** Timeout of each attempt in milliseconds. Default: 60,000. */
  timeout?: number | undefined;
  /**
   * Maximum number of retries after connection errors and the statuses 408, 409, 429 and 500 and
   * above. Default: 2.
   */
  maxRetries?: number | undefined;
  /** Headers to send with each request. */
  defaultHeaders?: Record<string, string> | undefined;
  /**
   * Whether to cache responses in memory and revalidate them by ETag. This saves transfer and time,
   * but counts against the rate limit. Default: false.
   */
  etagCache?: boolean | undefined;
  /** Sends the requests, for example through a proxy. Default: the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Receives log messages, such as `console`. Default: none. */
  logger?: Logger | undefined;
  /**
   * Whether to allow a key in a browser, where all users of the page can read it. Default: false.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Settings of one call. */
export interface RequestOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Timeout of each attempt in milliseconds. */
  timeout?: number | undefined;
  /** Maximum number of retries. */
  maxRetries?: number | undefined;
  /** Additional headers. */
  headers?: Record<string, string> | undefined;
}

/** An API key. Its text only appears in request headers. */
export class APIKey {
  readonly #text: string;

  constructor(text: string) {
    if (!/^[\x21-\x7e]+$/.test(text)) {
      throw new CensusError("The API key contains invalid characters.");
    }
    this.#text = text;
  }

  /** The value of the header Authorization. */
  authorization(): string {
    return `Bearer ${this.#text}`;
  }

  /** Returns a text without the key. */
  redact(text: string): string {
    return text.replaceAll(this.#text, this.toString());
  }

  toString(): string {
    return (this.#text.length >= 24 ? this.#text.slice(0, 8) : "") + "…";
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Complete, valid settings of a client. */
export interface Settings {
  readonly baseURL: string;
  readonly apiKey: APIKey | null;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly headers: Record<string, string>;
  readonly etagCache: ETagCache | null;
  readonly fetch: Fetch;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
}

/** Name of the option that contains all settings. */
export const SETTINGS = Symbol("settings");

/** Internal options. */
interface InternalOptions extends ClientOptions {
  [CLOCK]?: Clock;
  [SETTINGS]?: Settings;
}

/** Completes settings from the environment; it throws CensusError if they are invalid. */
export function settings(o: InternalOptions): Settings {
  if (o[SETTINGS]) return o[SETTINGS];
  const key = (o.apiKey ?? environment("CENSUS_API_KEY") ?? "").trim();
  const base = (o.baseURL || environment("CENSUS_URL") || DEFAULT_URL).trim();
  const apiKey = key ? new APIKey(key) : null;
  if (apiKey && isBrowser() && !o.dangerouslyAllowBrowser) {
    throw new CensusError(
      "An API key in a browser can be read by all users of the page. Call the registry from " +
        "a server, or set dangerouslyAllowBrowser.",
    );
  }
  return {
    baseURL: checkURL(base, apiKey !== null),
    apiKey,
    timeout: checkTimeout(o.timeout ?? DEFAULT_TIMEOUT),
    maxRetries: checkRetries(o.maxRetries ?? DEFAULT_MAX_RETRIES),
    headers: { ...o.defaultHeaders },
    etagCache: o.etagCache ? new ETagCache() : null,
    // Look up the global function for each request, so that it can be replaced.
    fetch: o.fetch ?? ((url, init) => fetch(url, init)),
    logger: o.logger,
    clock: o[CLOCK] ?? systemClock,
  };
}

/** Returns settings with those of a call. */
export function withOptions(s: Settings, o: RequestOptions): Settings {
  return {
    ...s,
    timeout: checkTimeout(o.timeout ?? s.timeout),
    maxRetries: checkRetries(o.maxRetries ?? s.maxRetries),
    headers: { ...s.headers, ...o.headers },
  };
}

function checkURL(text: string, keyed: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new CensusError(
      `baseURL must be an http or https URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}.`,
    );
  }
  if (url.username || url.password || /[?#]/.test(text)) {
    throw new CensusError("baseURL must not have a user name, a query string or a fragment.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new CensusError(
      `baseURL must be an http or https URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}.`,
    );
  }
  if (keyed && url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new CensusError(
      `The API key is not sent to ${url.hostname} over http, where others can read it. ` +
        'Use https, or apiKey: "" for requests without a key.',
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** `host` must be normalized, as by URL. */
function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}

function checkTimeout(ms: number): number {
  if (ms > 0 && ms <= MAX_TIMEOUT) return ms;
  throw new CensusError(`timeout must be 1 to ${MAX_TIMEOUT} milliseconds, got ${ms}.`);
}

function checkRetries(n: number): number {
  if (Number.isInteger(n) && n >= 0) return n;
  throw new CensusError(`maxRetries must be a whole number, 0 or more, got ${n}.`);
}
