/** Maximum wait before a retry, in milliseconds. Longer waits are errors. */
export const MAX_WAIT = 60_000;

/** Reports whether another attempt may succeed. */
export function shouldRetry(status: number, headers: Headers): boolean {
  if (headers.get("x-should-retry")?.trim().toLowerCase() === "false") return false;
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Returns the wait that a response requests, in milliseconds, or null. Dates are compared with the
 * date of the response, not with the local clock.
 */
export function retryAfter(headers: Headers): number | null {
  const ms = number(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const text = headers.get("retry-after");
  const seconds = number(text);
  if (seconds !== null) return seconds * 1000;
  const at = date(text);
  return at === null ? null : Math.max(0, at - (date(headers.get("date")) ?? Date.now()));
}

/**
 * Returns the wait after an attempt (0 is the first) without Retry-After, in milliseconds.
 * `random` is at least 0 and less than 1.
 */
export function backoff(attempt: number, random: number): number {
  return Math.min(500 * 2 ** attempt, 8000) * (1 - 0.25 * random);
}

function number(text: string | null): number | null {
  return text !== null && /^\s*\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function date(text: string | null): number | null {
  // Date.parse accepts many strings that are not HTTP dates.
  const at = text !== null && /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at;
}
