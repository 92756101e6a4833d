import assert from "node:assert/strict";
import { suite, test } from "node:test";

import {
  APIConnectionError,
  APIError,
  APITimeoutError,
  InternalServerError,
  RateLimitError,
} from "@mcp-census/sdk";

import { backoff, retryAfter, shouldRetry } from "../src/retry.js";
import { answer, CATEGORIES, problem, Stub } from "./stub.js";

const DATE = "Fri, 20 Nov 2026 12:00:00 GMT";

suite("retryAfter", () => {
  const cases: [Record<string, string>, number | null][] = [
    [{}, null],
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "-1" }, null],
    [{ "retry-after": "NaN" }, null],
    [{ "retry-after": "Infinity" }, null],
    [{ "retry-after": "0x10" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "soon 9" }, null],
    [{ "retry-after": "" }, null],
    [{ "retry-after": "9", "retry-after-ms": "250" }, 250],
    [{ "retry-after": "9", "retry-after-ms": "x" }, 9000],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:07 GMT", date: DATE }, 7000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT", date: DATE }, 0],
    [{ "retry-after": "Friday, 20-Nov-26 12:00:07 GMT", date: DATE }, 7000],
    [{ "retry-after": "Fri, 20 Nov 1970 11:00:00 GMT" }, 0],
    [{ "retry-after": "Fri, 99 Nov 2026 11:00:00 GMT", date: DATE }, null],
  ];
  for (const [headers, want] of cases) {
    test(JSON.stringify(headers), () => assert.equal(retryAfter(new Headers(headers)), want));
  }
});

test("backoff", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((n) => backoff(n, 0)),
    [500, 1000, 2000, 4000, 8000, 8000, 8000],
  );
  assert.equal(Math.round(backoff(5000, 0.999)), 6002);
});

test("shouldRetry", () => {
  const statuses = Array.from({ length: 300 }, (_, i) => 300 + i);
  assert.deepEqual(
    statuses.filter((s) => shouldRetry(s, new Headers())),
    [408, 409, 429, ...statuses.filter((s) => s >= 500)],
  );
  assert.equal(shouldRetry(503, new Headers({ "x-should-retry": "false" })), false);
  assert.equal(shouldRetry(400, new Headers({ "x-should-retry": "true" })), false);
});

suite("retries", () => {
  for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
    test(`status ${status}`, async () => {
      const stub = new Stub(answer(status, problem(status)), answer(200, CATEGORIES));
      assert.equal((await stub.client().directory.categories()).total, 43);
      assert.deepEqual(stub.sleeps, [500]);
    });
  }

  for (const status of [304, 400, 401, 403, 404, 405, 410, 413, 415, 422, 431]) {
    test(`final status ${status}`, async () => {
      const body = status === 304 ? undefined : problem(status);
      const stub = new Stub(answer(status, body));
      await assert.rejects(stub.client().directory.categories(), APIError);
      assert.deepEqual([stub.sent.length, stub.sleeps], [1, []]);
    });
  }

  for (const maxRetries of [0, 1, 2, 5]) {
    test(`maxRetries ${maxRetries}`, async () => {
      const stub = new Stub(answer(500, problem(500)));
      const census = stub.client();
      await assert.rejects(census.directory.categories({ maxRetries }), InternalServerError);
      assert.equal(stub.sent.length, maxRetries + 1);
      assert.deepEqual(stub.sleeps, [500, 1000, 2000, 4000, 8000].slice(0, maxRetries));
    });
  }

  test("Retry-After", async () => {
    const stub = new Stub(
      answer(503, problem(503), { retry_after: "7" }),
      answer(429, problem(429), { retry_after: "60" }),
      answer(200, CATEGORIES),
    );
    const { retries } = await stub.client().directory.categories().withResponse();
    assert.deepEqual([retries, stub.sleeps], [2, [7000, 60_000]]);
  });

  for (const status of [429, 503]) {
    test(`long wait of status ${status}`, async () => {
      const stub = new Stub(answer(status, problem(status), { retry_after: "61" }));
      await assert.rejects(stub.client().directory.categories(), APIError);
      assert.deepEqual([stub.sent.length, stub.sleeps], [1, []]);
    });
  }

  test("rate limit", async () => {
    const headers = {
      retry_after: "72000",
      x_ratelimit_limit: "100",
      x_ratelimit_remaining: "0",
      x_ratelimit_reset: "1795179600",
    };
    const stub = new Stub(answer(429, problem(429, "rate_limit_exceeded"), headers));
    await assert.rejects(stub.client().directory.categories(), (e) => {
      assert(e instanceof RateLimitError);
      assert.deepEqual([e.limit, e.remaining, e.retryAfter], [100, 0, 72000]);
      assert.equal(e.resetAt?.toISOString(), "2026-11-20T13:00:00.000Z");
      assert.match(e.message, /retry after 72000 s/);
      return true;
    });
  });

  const fail = (code: string) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error("inner"), { code }) });
  const errors: [string, Error, RegExp, typeof APIConnectionError][] = [
    ["refused", fail("ECONNREFUSED"), /^cannot connect to .*: inner\. Is that/, APIConnectionError],
    ["unknown host", fail("ENOTFOUND"), /^cannot connect to /, APIConnectionError],
    ["reset", fail("ECONNRESET"), /^the connection to .* failed: inner$/, APIConnectionError],
    ["terminated", new TypeError("terminated"), / failed: terminated$/, APIConnectionError],
    ["connect timeout", fail("UND_ERR_CONNECT_TIMEOUT"), /^no connection to /, APITimeoutError],
  ];
  for (const [name, error, message, type] of errors) {
    test(name, async () => {
      const stub = new Stub(error);
      await assert.rejects(stub.client().directory.categories(), (e) => {
        assert(e instanceof APIConnectionError);
        assert.equal(e.constructor, type);
        assert.match(e.message, message);
        assert.equal(e.cause, error);
        return true;
      });
      assert.deepEqual(stub.sleeps, [500, 1000]);

      const second = new Stub(error, error, answer(200, CATEGORIES));
      await second.client().directory.categories();
    });
  }

  test("bodies are sent again", async () => {
    const stub = new Stub(answer(500), answer(200, { servers: [], notFound: [], count: 0 }));
    await stub.client().servers.bulk({ ids: ["ü"] });
    assert.deepEqual(
      stub.sent.map((s) => s.body),
      ['{"ids":["ü"]}', '{"ids":["ü"]}'],
    );
  });
});

suite("redirects", () => {
  test("same origin", async () => {
    const stub = new Stub(
      answer(308, undefined, { location: "/api/categories?x=1" }),
      answer(200, CATEGORIES),
    );
    await stub.client().directory.categories();
    assert.equal(stub.last.url.href, "http://127.0.0.1:8080/api/categories?x=1");
  });

  for (const to of [
    "http://127.0.0.1:8081/",
    "https://127.0.0.1:8080/",
    "//evil.example/",
    "http://[",
  ]) {
    test(`to ${to}`, async () => {
      const stub = new Stub(answer(301, undefined, { location: to }));
      const message = /redirected to .*: set the base URL/;
      await assert.rejects(stub.client().directory.categories(), { message });
      assert.equal(stub.sent.length, 1);
    });
  }

  test("loop", async () => {
    const stub = new Stub(answer(302, undefined, { location: "/api/categories" }));
    await assert.rejects(stub.client().directory.categories(), APIError);
    assert.equal(stub.sent.length, 6);
  });

  test("POST", async () => {
    const stub = new Stub(answer(302, undefined, { location: "/v1/x" }));
    await assert.rejects(async () => stub.client().search({ q: "x" }), APIError);
    assert.equal(stub.sent.length, 1);
  });
});
