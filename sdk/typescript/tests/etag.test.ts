import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError } from "@mcp-census/sdk";

import { ETagCache } from "../src/etag.js";
import { answer, CATEGORIES, Stub } from "./stub.js";

test("304 is answered from memory", async () => {
  const stub = new Stub(
    answer(200, CATEGORIES, { etag: '"a"', x_request_id: "ONE", x_ratelimit_remaining: "9" }),
    answer(304, undefined, { etag: '"a"', x_request_id: "TWO", x_ratelimit_remaining: "8" }),
    answer(304, undefined, { etag: '"a"' }),
    answer(200, { ...CATEGORIES, total: 44 }, { etag: '"b"' }),
  );
  const census = stub.client({ etagCache: true });
  const first = await census.directory.categories().withResponse();
  first.data.total = 0; // does not change the cache
  const second = await census.directory.categories().withResponse();
  assert.deepEqual(
    [second.data, second.status, second.fromCache, second.requestId, second.rateLimit.remaining],
    [CATEGORIES, 200, true, "TWO", 8],
  );
  const third = await census.withOptions({ timeout: 1 }).directory.categories().withResponse();
  assert.deepEqual([third.fromCache, third.etag], [true, '"a"']);
  const last = await census.directory.categories().withResponse();
  assert.deepEqual([last.data.total, last.fromCache, last.etag], [44, false, '"b"']);
  assert.deepEqual(
    stub.sent.map((s) => s.headers.get("if-none-match")),
    [null, '"a"', '"a"', '"a"'],
  );
});

test("not stored", async () => {
  const stub = new Stub(
    answer(200, { servers: [], pagination: { total: 0, nextCursor: null } }, { etag: '"a"' }),
  );
  const off = stub.client();
  const on = stub.client({ etagCache: true });
  for (const census of [off, on]) {
    await census.search({ q: "x" });
    await census.search({ q: "x" });
  }
  await off.discover();
  await off.discover();
  stub.replies = [answer(200, CATEGORIES)]; // without an entity tag
  await on.directory.categories();
  await on.directory.categories();
  assert(stub.sent.every((s) => !s.headers.has("if-none-match")));

  stub.replies = [answer(304)];
  await assert.rejects(on.directory.categories(), (e) => e instanceof APIError && e.status === 304);
});

test("limits", () => {
  const cache = new ETagCache(3, 100);
  const put = (url: string, size: number) =>
    cache.put(url, {
      status: 200,
      headers: new Headers({ etag: '"x"' }),
      text: "x".repeat(size),
      url,
      retries: 0,
      fromCache: false,
    });
  const held = () => ["a", "b", "c", "d"].filter((url) => cache.get(url)).join("");
  put("a", 26);
  assert.equal(held(), "");
  put("a", 5);
  put("b", 5);
  put("c", 5);
  cache.get("a");
  put("d", 5);
  assert.equal(held(), "acd");
  for (const url of ["a", "b", "c"]) put(url, 25);
  put("a", 25);
  assert.equal(held(), "abc");
});
