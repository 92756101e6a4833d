import {
  APIConnectionError,
  APITimeoutError,
  CensusError,
  errorOf,
  invalid,
  InvalidResponseError,
} from "./errors.js";
import { revalidated } from "./etag.js";
import { type RequestOptions, type Settings, withOptions } from "./options.js";
import { contentOf, redirected, type Request, urlOf } from "./request.js";
import { APIResponse, arrayOf, objectOf, type RawResponse } from "./response.js";
import { backoff, MAX_WAIT, retryAfter, shouldRetry } from "./retry.js";
import { isBrowser, userAgent } from "./runtime.js";

/** Maximum size of a response, in bytes. */
const MAX_BODY = 256 << 20;

const MAX_REDIRECTS = 5;

/** Reason of aborts by the timeout of an attempt. */
const TIMEOUT = Symbol("timeout");

/** Request to send in each attempt. */
interface Attempt {
  readonly settings: Settings;
  readonly signal: AbortSignal | undefined;
  readonly method: Request["method"];
  readonly url: string;
  readonly content: string | undefined;
  readonly retries: number;
}

/** Sends the requests of a client: retries, timeouts, errors and the ETag cache. */
export class Transport {
  constructor(readonly settings: Settings) {}

  /** Sends a request and decodes the response. */
  async get<T>(request: Request, options: RequestOptions = {}): Promise<APIResponse<T>> {
    return decoded<T>(await this.send(request, options));
  }

  /** Sends a request whose response is an array. */
  async array<T>(request: Request, options: RequestOptions = {}): Promise<APIResponse<T[]>> {
    const raw = await this.send(request, options);
    const data = arrayOf(raw.text);
    if (data === null) throw invalid(raw, "the response is not a JSON array");
    return new APIResponse(data as T[], raw);
  }

  /**
   * Sends a request with retries and returns the successful response. When aborted, it rejects with
   * the reason of the signal.
   */
  async send(request: Request, options: RequestOptions = {}): Promise<RawResponse> {
    const settings = withOptions(this.settings, options);
    const { signal } = options;
    const { method } = request;
    const content = contentOf(request);
    let url = urlOf(settings.baseURL, request);
    for (let retries = 0, redirects = 0; ;) {
      signal?.throwIfAborted();
      let error: CensusError;
      let wait: number | null;
      try {
        const response = await send({ settings, signal, method, url, content, retries });
        if (response.status >= 200 && response.status < 300) return response;
        const target = redirectOf(method, response);
        if (target !== null && redirects++ < MAX_REDIRECTS) {
          url = target;
          continue;
        }
        wait = retryAfter(response.headers);
        error = errorOf(response, wait);
        if (!shouldRetry(response.status, response.headers)) throw error;
        if (request.once && response.status !== 429) throw error;
      } catch (e) {
        if (!(e instanceof APIConnectionError) || request.once) throw e;
        error = e;
        wait = null;
      }
      wait ??= backoff(retries, settings.clock.random());
      if (retries >= settings.maxRetries || wait > MAX_WAIT) throw error;
      settings.logger?.info(`${method} ${url}: ${error.message}; retry in ${Math.round(wait)} ms`);
      await settings.clock.sleep(wait, signal);
      retries++;
    }
  }
}

/** Decodes a response, which must be a JSON object. */
export function decoded<T>(raw: RawResponse): APIResponse<T> {
  const data = objectOf(raw.text);
  if (data === null) throw invalid(raw, "the response is not a JSON object");
  return new APIResponse(data as T, raw);
}

function redirectOf(method: string, response: RawResponse): string | null {
  const location = response.headers.get("location");
  const moved = [301, 302, 303, 307, 308].includes(response.status);
  return method === "GET" && moved && location ? redirected(response.url, location) : null;
}

/** Sends a request once and reads the whole response. */
async function send(a: Attempt): Promise<RawResponse> {
  const { settings, signal, method, url } = a;
  const { clock, logger } = settings;
  const cache = method === "GET" ? settings.etagCache : null;
  const stored = cache?.get(url);
  const began = clock.now();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(TIMEOUT), settings.timeout);
  const aborted = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", aborted, { once: true });
  let response: RawResponse;
  try {
    const res = await settings.fetch(url, {
      method,
      headers: headersOf(settings, a.content !== undefined, stored?.headers.get("etag")),
      ...(a.content === undefined ? {} : { body: a.content }),
      // In browsers, redirect responses are opaque, and browsers do not forward the key.
      redirect: isBrowser() ? "follow" : "manual",
      signal: controller.signal,
    });
    const text = await read(res, url, controller);
    response = {
      status: res.status,
      headers: res.headers,
      text: res.ok || !settings.apiKey ? text : settings.apiKey.redact(text),
      url,
      retries: a.retries,
      fromCache: false,
    };
  } catch (e) {
    signal?.throwIfAborted();
    if (e instanceof InvalidResponseError) throw e;
    throw connectionError(settings, controller.signal, e);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
  }
  logger?.debug(`${method} ${url}: ${response.status} in ${Math.round(clock.now() - began)} ms`);
  if (response.status === 304 && stored) return revalidated(stored, response);
  if (response.status === 200) cache?.put(url, response);
  return response;
}

function headersOf(s: Settings, body: boolean, etag: string | null | undefined): Headers {
  const headers = new Headers({ Accept: "application/json" });
  const agent = userAgent();
  if (agent) headers.set("User-Agent", agent);
  if (body) headers.set("Content-Type", "application/json");
  if (etag) headers.set("If-None-Match", etag);
  for (const [name, value] of Object.entries(s.headers)) headers.set(name, value);
  if (s.apiKey) headers.set("Authorization", s.apiKey.authorization());
  return headers;
}

/** Reads a body as text. Throws InvalidResponseError if it is too long. */
async function read(res: Response, url: string, controller: AbortController): Promise<string> {
  const check = (size: number) => {
    if (size <= MAX_BODY) return;
    controller.abort();
    const response = { status: res.status, headers: res.headers, text: "", url };
    const reason = `the response is longer than ${MAX_BODY} bytes`;
    throw invalid({ ...response, retries: 0, fromCache: false }, reason);
  };
  check(Number(res.headers.get("content-length") ?? 0) || 0);
  if (typeof res.body?.getReader !== "function") return res.text(); // no streams
  const decoder = new TextDecoder();
  const reader = res.body.getReader();
  let text = "";
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    check(size);
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns the error of an attempt that failed without a response. */
function connectionError(s: Settings, signal: AbortSignal, cause: unknown): APIConnectionError {
  const { code, text } = reasonOf(cause);
  if (signal.reason === TIMEOUT) {
    return new APITimeoutError(`no response from ${s.baseURL} within ${s.timeout} ms`, { cause });
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return new APITimeoutError(`no connection to ${s.baseURL}: ${text}`, { cause });
  }
  if (["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"].includes(code)) {
    return new APIConnectionError(
      `cannot connect to ${s.baseURL}: ${text}. ` +
        "Is that your registry? Set CENSUS_URL, or baseURL of the client.",
      { cause },
    );
  }
  return new APIConnectionError(`the connection to ${s.baseURL} failed: ${text}`, { cause });
}

/** Returns the innermost cause of an error. */
function reasonOf(error: unknown): { code: string; text: string } {
  let inner = error as { cause?: unknown; code?: unknown; message?: unknown };
  for (let depth = 0; depth < 10 && inner?.cause instanceof Error; depth++) {
    inner = inner.cause as typeof inner;
  }
  const code = typeof inner?.code === "string" ? inner.code : "";
  return { code, text: String(inner?.message || code || error) };
}
