/** Clock and randomness, replaceable in tests. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** At least 0 and less than 1. */
  random(): number;
  /** Resolves after a delay in milliseconds; rejects with the reason of the signal. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Name of the option that replaces the clock of a client. */
export const CLOCK: unique symbol = Symbol.for("mcp-census.clock");

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const aborted = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      }, ms);
      signal?.addEventListener("abort", aborted, { once: true });
    }),
};
