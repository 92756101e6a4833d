import { CensusError, WebhookVerificationError } from "./errors.js";
import { objectOf } from "./response.js";
import type { WebhookPayload } from "./types.js";

/**
 * A verified webhook. The type of `data` depends on `type`. Newer registries may send other types.
 */
export type WebhookEvent = WebhookPayload & {
  /** ID of the event, the same for each delivery. Use it to ignore duplicates. */
  id: string;
};

/** Headers of a request, as Headers or as in Node.js. */
export type WebhookHeaders =
  Pick<Headers, "get"> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Settings of `unwrap`. */
export interface WebhookOptions {
  /** Maximum deviation of the timestamp, in seconds. Default: 300. */
  tolerance?: number | undefined;
}

/** Verifies and parses webhooks. Requires neither a key nor the registry. */
export class Webhooks {
  /**
   * Verifies a webhook as specified by Standard Webhooks, and returns its event. Throws
   * WebhookVerificationError if the signature is invalid or the webhook is too old or too new.
   *
   * @param body Raw body of the request.
   * @param headers The headers of the request.
   * @param secret `whsec_` and base64. Pass both secrets during a rotation.
   */
  async unwrap(
    body: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options: WebhookOptions = {},
  ): Promise<WebhookEvent> {
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
    const [id, sent, signatures] = names.map((name) => header(headers, name));
    if (!id || !sent || !signatures) {
      const missing = names.filter((name) => !header(headers, name));
      throw new WebhookVerificationError(`headers are missing: ${missing.join(", ")}`);
    }
    const content = typeof body === "string" ? new TextEncoder().encode(body) : bytes(body);
    const secrets = typeof secret === "string" ? [secret] : secret;
    if (secrets.length === 0) throw new CensusError("secret must not be empty");
    const keys = await Promise.all(secrets.map(importKey));
    if (!(await matches(keys, signatures, signed(id, sent, content)))) {
      throw new WebhookVerificationError("no signature matches the secret");
    }
    const at = fresh(sent, options.tolerance ?? 300);
    const raw = objectOf(new TextDecoder().decode(content));
    if (raw === null) throw new WebhookVerificationError("the body is not a JSON object");
    return { timestamp: at.toISOString(), ...raw, id } as WebhookEvent;
  }
}

function bytes(body: Uint8Array | ArrayBuffer): Uint8Array {
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers["get"] === "function") return headers.get(name) ?? undefined;
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return typeof value === "string" ? value : value?.join(" ");
  }
  return undefined;
}

async function importKey(secret: string): Promise<CryptoKey> {
  const key = base64(secret.trim().replace(/^whsec_/, ""));
  if (key === null || key.length === 0)
    throw new CensusError("secret must be whsec_ followed by base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
}

/** Reports whether a signature was made with a key, in constant time. */
async function matches(
  keys: CryptoKey[],
  signatures: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = signatures
    .split(" ")
    .slice(0, 100)
    .filter((s) => s.startsWith("v1,"))
    .map((s) => base64(s.slice(3)))
    .filter((s) => s !== null);
  const checks = keys.flatMap((key) =>
    given.map((signature) => crypto.subtle.verify("HMAC", key, signature, content)),
  );
  return (await Promise.all(checks)).includes(true);
}

function signed(id: string, sent: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${sent}.`);
  const all = new Uint8Array(head.length + content.length);
  all.set(head);
  all.set(content, head.length);
  return all;
}

/** Returns the time when a webhook was sent. */
function fresh(sent: string, tolerance: number): Date {
  if (!/^\d{1,11}$/.test(sent)) {
    throw new WebhookVerificationError("webhook-timestamp is not a number of seconds");
  }
  const age = Math.floor(Date.now() / 1000) - Number(sent);
  if (!(Math.abs(age) <= tolerance)) {
    const when = age > 0 ? `${age} s ago` : `in ${-age} s`;
    throw new WebhookVerificationError(
      `the webhook was sent ${when}; accepted are ${tolerance} s. Check the clock.`,
    );
  }
  return new Date(Number(sent) * 1000);
}

function base64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
