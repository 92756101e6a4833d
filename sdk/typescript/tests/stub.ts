// A registry without a network: replies in turn, and a clock that does not wait.
import { Census, type ClientOptions } from "@mcp-census/sdk";
import { CLOCK } from "../src/clock.js";

export const BASE = "http://127.0.0.1:8080";
export const KEY = "mcp_abcdefghijklmnopqrstuvwxyz0123456789";
export const MASKED = "mcp_abcd…";
export const CATEGORIES = { categories: [], total: 43 };

/** A response, an error of the connection, or a function that makes either. */
export type Reply = Response | Error | ((init: RequestInit) => Response | Promise<Response>);

export interface Sent {
  method: string;
  url: URL;
  headers: Headers;
  body: string | undefined;
}

/** Replies to requests in turn, the last reply again and again. */
export class Stub {
  readonly sent: Sent[] = [];
  readonly sleeps: number[] = [];
  replies: Reply[];

  constructor(...replies: Reply[]) {
    this.replies = replies;
  }

  get last(): Sent {
    return this.sent[this.sent.length - 1]!;
  }

  /** Returns a client whose requests are sent here. */
  client(options: ClientOptions = {}): Census {
    const clock = {
      now: () => 0,
      random: () => 0,
      sleep: async (ms: number, signal: AbortSignal | undefined) => {
        signal?.throwIfAborted();
        this.sleeps.push(ms);
      },
    };
    return new Census({
      baseURL: BASE,
      apiKey: KEY,
      fetch: (url, init) => this.#fetch(url, init),
      [CLOCK]: clock,
      ...options,
    } as ClientOptions);
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    this.sent.push({
      method: init.method!,
      url: new URL(url),
      headers: new Headers(init.headers),
      body: init.body as string | undefined,
    });
    const reply = this.replies[Math.min(this.sent.length, this.replies.length) - 1]!;
    if (reply instanceof Error) throw reply;
    return reply instanceof Response ? reply.clone() : reply(init);
  }
}

/** Returns a response with JSON; underscores in names of headers are hyphens. */
export function answer(
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): Response {
  const content = body === undefined ? null : JSON.stringify(body);
  return new Response(content, {
    status,
    headers: {
      "content-type": "application/json",
      ...Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.replaceAll("_", "-"), v])),
    },
  });
}

/** Returns a problem document. */
export function problem(status: number, code = "some_code"): Record<string, unknown> {
  return { type: "about:blank", title: "Title", status, detail: "A detail.", code };
}
