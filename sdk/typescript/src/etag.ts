import type { RawResponse } from "./response.js";

/** Responses by URL, least recently used first. */
export class ETagCache {
  readonly #responses = new Map<string, RawResponse>();
  readonly #entries: number;
  readonly #size: number;
  #used = 0;

  /** Creates a cache with a maximum number of responses and total size in characters. */
  constructor(entries = 1000, size = 32 << 20) {
    this.#entries = entries;
    this.#size = size;
  }

  get(url: string): RawResponse | undefined {
    const response = this.#responses.get(url);
    if (response !== undefined) {
      this.#responses.delete(url);
      this.#responses.set(url, response);
    }
    return response;
  }

  /** Stores a response, unless it has no entity tag or is too large. */
  put(url: string, response: RawResponse): void {
    if (!response.headers.has("etag") || response.text.length > this.#size / 4) return;
    this.#delete(url);
    this.#responses.set(url, response);
    this.#used += response.text.length;
    for (const oldest of this.#responses.keys()) {
      if (this.#responses.size <= this.#entries && this.#used <= this.#size) break;
      this.#delete(oldest);
    }
  }

  #delete(url: string): void {
    this.#used -= this.#responses.get(url)?.text.length ?? 0;
    this.#responses.delete(url);
  }
}

/** Returns the cached response with the headers of the 304 response. */
export function revalidated(stored: RawResponse, response: RawResponse): RawResponse {
  const headers = new Headers(stored.headers);
  response.headers.forEach((value, name) => headers.set(name, value));
  return { ...stored, headers, retries: response.retries, fromCache: true };
}
