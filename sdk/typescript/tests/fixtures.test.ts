import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";

import { APIError, type Census, InvalidResponseError, Page } from "@mcp-census/sdk";

import { calls } from "./fixtures.gen.js";
import { answer, Stub } from "./stub.js";

interface Call {
  name: string;
  call: string;
  keyed: boolean;
  request: { method: string; path: string; query?: Record<string, string>; body?: unknown };
}

interface Recorded {
  status: number;
  headers: Record<string, string>;
  body?: Record<string, unknown>;
}

const folder = new URL("../../../fixtures/", import.meta.url);
const json = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const recorded = (name: string) => json(`${name}.json`) as Recorded;
const list = (json("calls.json") as { calls: Call[] }).calls;

suite("fixtures", () => {
  for (const { name, keyed, request } of list) {
    test(name, async () => {
      const want = recorded(name);
      const stub = new Stub(answer(want.status, want.body, want.headers));
      const call = calls[name as keyof typeof calls] as (c: Census) => PromiseLike<unknown>;
      if (want.status < 300) {
        const result = await call(stub.client());
        assert.deepEqual(result instanceof Page ? result.body : result, want.body);
        if (result instanceof Page) checkPage(result, want);
      } else {
        await assert.rejects(async () => call(stub.client()), checkError(want));
      }

      const sent = stub.last;
      assert.deepEqual(
        {
          method: sent.method,
          path: sent.url.pathname,
          query: Object.fromEntries(sent.url.searchParams),
          body: sent.body && JSON.parse(sent.body),
        },
        {
          method: request.method,
          path: request.path,
          query: request.query ?? {},
          body: request.body,
        },
      );
      if (keyed) assert.match(sent.headers.get("authorization")!, /^Bearer /);
    });
  }
});

function checkPage(page: Page<unknown>, want: Recorded): void {
  const body = want.body as Record<string, Record<string, unknown>>;
  const { pagination, metadata, hasMore, before } = body;
  assert.equal(page.total, pagination?.["total"] ?? null);
  const next = (pagination ?? metadata)?.["nextCursor"] ?? (hasMore || before);
  assert.equal(page.hasNextPage(), Boolean(next));
  const member = ["servers", "tools", "changes", "deliveries"].find((name) => name in body)!;
  assert.equal(page.items, page.body[member as never]);
}

function checkError({ status, body }: Recorded) {
  return (e: unknown) => {
    assert(e instanceof APIError && !(e instanceof InvalidResponseError));
    const { code, title, detail, errors, requestId } = e;
    assert.deepEqual(
      { status: e.status, body: e.body, code, title, detail, errors, requestId },
      {
        status,
        body,
        code: body?.["code"],
        title: body?.["title"],
        detail: body?.["detail"],
        errors: body?.["errors"] ?? [],
        requestId: body?.["requestId"],
      },
    );
    return true;
  };
}

/** The methods of an object and of its groups, as names of calls. */
function methods(object: object, prefix = ""): string[] {
  const found = [];
  for (
    let o = Object.getPrototypeOf(object);
    o !== Object.prototype;
    o = Object.getPrototypeOf(o)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(o))) {
      if (typeof value === "function") found.push(prefix + name);
    }
  }
  return found;
}

const OTHERS = /(^|\.)constructor$|^withOptions$|^toString$|^registry\.view$|^webhooks\.unwrap$/;

test("every method has a fixture", () => {
  const census = new Stub().client();
  const own = [
    ...methods(census),
    ...(["directory", "servers", "account", "custom", "registry", "webhooks"] as const).flatMap(
      (group) => methods(census[group], group + "."),
    ),
    ...methods(census.registry.view("x"), "registry.view."),
  ].filter((name) => !OTHERS.test(name));
  assert.deepEqual(new Set(own), new Set(list.map((c) => c.call)));
});
