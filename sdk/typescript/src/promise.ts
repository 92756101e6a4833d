import type { APIResponse } from "./response.js";

/**
 * The result of a call. `await` returns its data, and `withResponse()` the response with its
 * headers. The request is sent immediately.
 */
export class APIPromise<T, Body = T> extends Promise<T> {
  readonly #data: () => Promise<T>;
  readonly #response: () => Promise<APIResponse<Body>>;

  /** @internal */
  constructor(data: () => Promise<T>, response: () => Promise<APIResponse<Body>>) {
    super((resolve) => resolve(undefined as T)); // then() below has the result
    this.#data = data;
    this.#response = response;
  }

  /** Derived promises are plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the response with its headers. */
  withResponse(): Promise<APIResponse<Body>> {
    return this.#response();
  }

  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#data().then(fulfilled, rejected);
  }

  override finally(finished?: (() => void) | null): Promise<T> {
    return this.#data().finally(finished);
  }
}

/** Returns the result of a call whose response has the data. */
export function call<T>(send: () => Promise<APIResponse<T>>): APIPromise<T> {
  const response = send();
  return new APIPromise(
    () => response.then((r) => r.data),
    () => response,
  );
}
