import assert from "node:assert/strict";
import { afterEach, beforeEach, suite, test } from "node:test";
import { inspect } from "node:util";

import { APIError, Census, CensusError, VERSION } from "@mcp-census/sdk";

import { APIKey } from "../src/options.js";
import { answer, BASE, CATEGORIES, KEY, MASKED, problem, Stub } from "./stub.js";

beforeEach(() => {
  delete process.env["CENSUS_API_KEY"];
  delete process.env["CENSUS_URL"];
});

suite("baseURL", () => {
  test("default", () => assert.equal(new Census().baseURL, BASE));

  test("environment", () => {
    process.env["CENSUS_URL"] = " https://census.example/ ";
    assert.equal(new Census().baseURL, "https://census.example");
    assert.equal(new Census({ baseURL: "https://b.example" }).baseURL, "https://b.example");
    process.env["CENSUS_URL"] = "";
    assert.equal(new Census().baseURL, BASE);
  });

  const refused: [string, RegExp][] = [
    ["census.example", /must be an http or https URL/],
    ["ftp://census.example", /must be an http or https URL/],
    ["https://", /must be an http or https URL/],
    ["https://a:b@census.example", /must not have a user name/],
    ["https://census.example?x=1", /must not have a user name, a query string/],
    ["https://census.example?", /must not have a user name, a query string/],
    ["https://census.example#x", /must not have a user name/],
    ["https://census.example:99999", /must be an http or https URL/],
    ["http://[::1", /must be an http or https URL/],
  ];
  for (const [baseURL, message] of refused) {
    test(baseURL, () => {
      assert.throws(
        () => new Census({ baseURL }),
        (e) => e instanceof CensusError && message.test(e.message),
      );
    });
  }

  test("with a path", async () => {
    const stub = new Stub(answer(200, { id: "a" }));
    const census = stub.client({ baseURL: "https://example.com/census//" });
    await census.servers.retrieve("io.github.o/r");
    assert.equal(stub.last.url.href, "https://example.com/census/v1/servers/io.github.o%2Fr");
  });
});

suite("apiKey", () => {
  test("environment", async () => {
    process.env["CENSUS_API_KEY"] = KEY + "\n";
    assert.equal(String(new Census()), `Census { baseURL: '${BASE}', apiKey: '${MASKED}' }`);
    assert.equal(String(new Census({ apiKey: "" })), `Census { baseURL: '${BASE}' }`);
  });

  test("header", async () => {
    const stub = new Stub(answer(200, CATEGORIES));
    await stub.client().directory.categories();
    assert.equal(stub.last.headers.get("authorization"), `Bearer ${KEY}`);
    await stub.client({ apiKey: "" }).directory.categories();
    assert.equal(stub.last.headers.get("authorization"), null);
  });

  for (const baseURL of [
    "http://census.example",
    "http://10.0.0.1",
    "http://localhost.example",
    "http://127.0.0.1.example",
    "http://[fe80::1]",
  ]) {
    test(`refused over ${baseURL}`, () => {
      const refused = { name: "CensusError", message: /not sent to .* over http/ };
      assert.throws(() => new Census({ baseURL, apiKey: KEY }), refused);
      assert(new Census({ baseURL }));
      assert(new Census({ baseURL: baseURL.replace("http:", "https:"), apiKey: KEY }));
      process.env["CENSUS_API_KEY"] = KEY;
      assert.throws(() => new Census({ baseURL }), refused);
    });
  }

  for (const baseURL of [
    "http://localhost:1",
    "http://a.localhost",
    "http://127.9.9.9",
    "http://2130706433",
    "http://[::1]:80",
  ]) {
    test(`accepted over ${baseURL}`, () => assert(new Census({ baseURL, apiKey: KEY })));
  }

  for (const apiKey of ["a b", "a\nb", "schlüssel", "a\x00"]) {
    test(`odd key ${JSON.stringify(apiKey)}`, () => {
      assert.throws(
        () => new Census({ apiKey }),
        (e) => e instanceof CensusError && !e.message.includes(apiKey),
      );
    });
  }

  for (const [key, want] of [
    [KEY, MASKED],
    ["mcp_short", "…"],
    ["x".repeat(23), "…"],
    ["x".repeat(24), "xxxxxxxx…"],
  ] as const) {
    test(`masked ${key}`, () => {
      assert.equal(String(new APIKey(key)), want);
      assert.equal(JSON.stringify([new APIKey(key)]), `["${want}"]`);
    });
  }

  test("is never printed", async () => {
    const lines: string[] = [];
    const logger = { debug: (m: string) => lines.push(m), info: (m: string) => lines.push(m) };
    const bad = answer(500, { ...problem(500), detail: `key ${KEY}` });
    const stub = new Stub(new TypeError("fetch failed"), bad, bad, answer(200, CATEGORIES));
    const census = stub.client({ logger });
    const error = await census.directory.categories().catch((e: unknown) => e);
    assert(error instanceof APIError);
    await census.directory.categories();
    assert.deepEqual(
      lines.map((l) => l.slice(0, 46)),
      [
        "GET http://127.0.0.1:8080/api/categories: the ",
        "GET http://127.0.0.1:8080/api/categories: 500 ",
        "GET http://127.0.0.1:8080/api/categories: 500 ",
        "GET http://127.0.0.1:8080/api/categories: 500 ",
        "GET http://127.0.0.1:8080/api/categories: 200 ",
      ],
    );
    const shown = [
      ...lines,
      ...[census, error, census.servers, census.search, stub.client().withOptions({})].flatMap(
        (value) => [
          inspect(value, { depth: 20, showHidden: true, getters: true }),
          JSON.stringify(value) ?? "",
          String(value),
        ],
      ),
      error.stack ?? "",
    ];
    for (const text of shown) assert(!text.includes(KEY), text);
    assert(shown.some((text) => text.includes(MASKED)));
  });
});

suite("browsers", () => {
  const global = globalThis as { window?: unknown; DedicatedWorkerGlobalScope?: unknown };
  beforeEach(() => {
    global.window = { document: {} };
  });
  afterEach(() => {
    delete global.window;
  });

  test("a key is refused", () => {
    assert.throws(() => new Census({ apiKey: KEY }), { message: /dangerouslyAllowBrowser/ });
    assert(new Census({ apiKey: KEY, dangerouslyAllowBrowser: true }));
    assert(new Census());
  });

  test("requests", async () => {
    const stub = new Stub(answer(200, CATEGORIES));
    await stub.client({ apiKey: "" }).directory.categories();
    assert.deepEqual([...stub.last.headers.keys()], ["accept"]);
  });
});

suite("runtimes", () => {
  const global = globalThis as Record<string, unknown>;
  const agents: [string, unknown, RegExp][] = [
    ["Deno", { version: { deno: "2.5.0" }, env: { get: () => undefined } }, /\(Deno 2\.5\.0\)$/],
    ["Bun", { version: "1.3.0" }, /\(Bun 1\.3\.0\)$/],
    ["DedicatedWorkerGlobalScope", class {}, /\(Node\.js /],
  ];
  for (const [name, value, agent] of agents) {
    test(name, async () => {
      global[name] = value;
      try {
        const stub = new Stub(answer(200, CATEGORIES));
        await stub.client().directory.categories();
        assert.match(stub.last.headers.get("user-agent")!, agent);
      } finally {
        delete global[name];
      }
    });
  }
});

suite("refused numbers", () => {
  for (const options of [
    { timeout: 0 },
    { timeout: -1 },
    { timeout: NaN },
    { timeout: Infinity },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetries: NaN },
  ]) {
    test(JSON.stringify(options), async () => {
      assert.throws(() => new Census(options), CensusError);
      assert.throws(() => new Census().withOptions(options), CensusError);
      await assert.rejects(new Census().directory.categories(options), CensusError);
    });
  }

  test("in bodies", async () => {
    const census = new Stub(answer(200, {})).client();
    const filters = { stars: { gte: NaN } };
    await assert.rejects(async () => census.search({ filters }), { message: /^gte must be a/ });
  });
});

test("headers", async () => {
  const stub = new Stub(answer(200, CATEGORIES));
  const census = stub.client({ defaultHeaders: { "X-A": "1", "X-B": "2" } });
  const sent = async (client: Census, headers?: Record<string, string>) => {
    await client.directory.categories({ headers });
    const all = stub.last.headers;
    return [all.get("x-a"), all.get("x-b"), all.get("accept")];
  };
  assert.deepEqual(await sent(census), ["1", "2", "application/json"]);
  assert.match(
    stub.last.headers.get("user-agent")!,
    new RegExp(`^census-typescript/${VERSION} \\(`),
  );
  assert.equal(stub.last.headers.get("content-type"), null);
  assert.deepEqual(await sent(census, { "x-b": "3", accept: "text/x" }), ["1", "3", "text/x"]);
  assert.deepEqual(await sent(census.withOptions({ defaultHeaders: { "X-B": "4" } })), [
    "1",
    "4",
    "application/json",
  ]);
});

test("parameters", async () => {
  const stub = new Stub(answer(200, { period: {} }));
  const census = stub.client();
  await census.account.usage({ from: new Date("2026-10-01T00:00:00Z"), to: "2026-10-31" });
  assert.equal(stub.last.url.search, "?from=2026-10-01&to=2026-10-31");
  await assert.rejects(census.account.usage({ from: new Date(NaN) }), CensusError);
  await census.servers.analytics("a", { period: "7d", interval: undefined });
  assert.equal(stub.last.url.search, "?period=7d");
  await census.custom.put("a", {
    q: "a b&c=d+ü",
    sort: ["-stars", "name"],
    filters: { updatedAt: { gte: new Date("2026-10-01T00:00:00Z") }, license: undefined },
  });
  assert.deepEqual(JSON.parse(stub.last.body!), {
    q: "a b&c=d+ü",
    sort: "-stars,name",
    filters: { updatedAt: { gte: "2026-10-01T00:00:00.000Z" } },
  });
  assert.equal(stub.last.headers.get("content-type"), "application/json");

  stub.replies = [answer(200, { servers: [], pagination: { total: 0, nextCursor: null } })];
  await census.discover({ search: "a b&c=d+ü", minScore: 1e-7 });
  assert.equal(stub.last.url.search, "?search=a%20b%26c%3Dd%2B%C3%BC&minScore=1e-7");
});
