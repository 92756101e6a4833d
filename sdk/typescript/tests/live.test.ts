// Every method against a running registry, and a proxy before it that misbehaves. `make sdk-test`
// in the root of the repository sets the variables.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, test } from "node:test";

import {
  APIConnectionError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  Census,
  type ClientOptions,
  InternalServerError,
  InvalidResponseError,
  isPending,
  NotFoundError,
  officialMeta,
  PermissionDeniedError,
  RateLimitError,
  registryMeta,
} from "@mcp-census/sdk";

const variable = (name: string) => process.env[`CENSUS_SDK_TEST_${name}`] ?? "";
const URL = variable("URL");
const KEY = variable("KEY");
const FREE_KEY = variable("FREE_KEY");
const PROXY = variable("PROXY");
const SLOW_URL = variable("SLOW_URL");
const WEATHER = "octo-labs-weather-mcp";

const missing = (...names: string[]) => {
  const unset = names.filter((name) => !variable(name)).map((name) => `CENSUS_SDK_TEST_${name}`);
  return unset.length > 0 && `SKIPPED: ${unset.join(", ")} not set`;
};
const client = (options: ClientOptions = {}) =>
  new Census({ baseURL: URL, apiKey: KEY, ...options });

/** Returns the error of a call, which must be of a class. */
async function failure<E extends Error>(
  call: PromiseLike<unknown>,
  ...classes: (abstract new (...args: never[]) => E)[]
): Promise<E> {
  try {
    await call;
  } catch (e) {
    assert(
      classes.some((c) => e instanceof c),
      String(e),
    );
    return e as E;
  }
  throw new assert.AssertionError({ message: "the call succeeded" });
}

async function ids(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const all = [];
  for await (const { id } of list) all.push(id);
  return all;
}

suite("live", { skip: missing("URL", "KEY") }, () => {
  const census = URL && KEY ? client() : client({ baseURL: "http://127.0.0.1:9", apiKey: "" });

  test("lists", async () => {
    const { total } = await census.discover({ limit: 1 });
    assert(total > 10);
    const first = await ids(census.discover({ limit: 7 }));
    const lists = {
      directory: census.directory.list({ limit: 10, sort: "name" }),
      servers: census.servers.list({ limit: 9 }),
      search: census.search({ limit: 8, facets: false }),
    };
    assert.equal(new Set(first).size, total);
    for (const [name, list] of Object.entries(lists)) {
      assert.deepEqual((await ids(list)).sort(), first.toSorted(), name);
    }
  });

  test("discover", async () => {
    const params = { search: "weather", minScore: 50, sort: "stars", limit: 3 } as const;
    const page = await census.discover(params);
    assert(page.items.some((s) => s.id === WEATHER));
    assert.equal(page.response.rateLimit.plan, "enterprise");
    const tools = [];
    const list = census.discoverTools({ search: "weather", level: "tool", limit: 2 });
    for await (const tool of list) tools.push(tool.name);
    assert(tools.includes(`${WEATHER}__get_forecast`));
  });

  test("directory", async () => {
    const { categories, total } = await census.directory.categories();
    assert.equal(
      categories.reduce((sum, c) => sum + c.count, 0),
      total,
    );
    assert.equal((await census.directory.toolChanges(WEATHER)).server, WEATHER);
  });

  test("health", async () => {
    assert.equal((await census.health({ server: WEATHER })).grade, "A");
    const url = "https://github.com/quietcorner/tides-mcp";
    assert((await census.health({ githubUrl: url })).isMcpServer);
    const unknown = census.health({ server: "octo-labs-wether-mcp" });
    assert.deepEqual((await failure(unknown, NotFoundError)).candidates, [WEATHER]);
    await failure(census.check("A".repeat(26)), NotFoundError);
  });

  test("servers", async () => {
    const server = await census.servers.retrieve("io.github.octo-labs/weather-mcp");
    assert.equal(server.id, WEATHER);
    const bulk = await census.servers.bulk({ ids: [WEATHER, "größe"], fields: ["id", "stars"] });
    assert.deepEqual(Object.keys(bulk.servers[0]!).sort(), ["id", "stars"]);
    assert.deepEqual(bulk.notFound, ["größe"]);
    const figures = await census.servers.analytics(WEATHER, { period: "7d", interval: "week" });
    assert.deepEqual([figures.server, figures.period.interval], [WEATHER, "week"]);
    assert.equal((await census.servers.toolChanges(WEATHER)).server, WEATHER);
  });

  test("search", async () => {
    const { body } = await census.search({
      q: "weather",
      filters: { category: ["data", "tools"], qualityScore: { gte: 50 } },
      sort: ["-stars", "name"],
      limit: 2,
    });
    assert.deepEqual([body.query, body.sort], ["weather", "stars:desc,name:asc"]);
    assert(body.facets?.category);
    const filters = { colour: "red" } as object;
    const bad = await failure(census.search({ filters, limit: 500 }), BadRequestError);
    assert(bad.errors.some((e) => e.field === "filters.colour"));
  });

  test("account", async () => {
    const { plan, key } = await census.account.retrieve();
    assert.equal(plan.id, "enterprise");
    assert(KEY.startsWith(key.prefix!));
    const { period } = await census.account.usage();
    assert.equal((Date.parse(period.to) - Date.parse(period.from)) / 86_400_000, 29);
    assert.equal((await census.account.plans()).plans.length, 3);
  });

  test("custom", async () => {
    const name = "ts-" + randomUUID().slice(0, 12);
    const definition = { filters: { stars: { gte: 1 } }, fields: ["id"], limit: 5 } as const;
    const made = await census.custom.put(name, definition);
    assert.deepEqual(await census.custom.retrieve(name), made);
    assert((await census.custom.list()).customs.some((d) => d.name === name));
    const found = [];
    for await (const server of census.custom.run(name)) found.push(server.id);
    assert(found.length > 5);
    assert.equal(await census.custom.delete(name), undefined);
    await failure(census.custom.delete(name), NotFoundError);
  });

  test("registry", async () => {
    const entry = await census.registry.retrieve("io.github.octo-labs/weather-mcp");
    assert.equal(registryMeta(entry)?.id, WEATHER);
    assert.equal(officialMeta(entry)?.status, "active");
    const names = [];
    for await (const { server } of census.registry.list({ limit: 7 })) names.push(server.name);
    assert(names.length > 20 && new Set(names).size === names.length);
    const view = census.registry.view("healthy");
    assert.equal((await view.versions(entry.server.name)).metadata.count, 1);
    assert((await view.documents()).length > 5);
    assert((await view.managedSettings()).allowedMcpServers.length > 0);
    assert((await census.registry.views()).views.some((v) => v.name === "healthy"));
    assert((await census.registry.ping()).pong);
    const { valid, issues } = await census.registry.validate({ name: "a" });
    assert(!valid && issues.length > 0);
    await failure(census.registry.retrieve("a.b/c"), NotFoundError);
  });

  test("changes", async () => {
    const seen = new Set<string>();
    let next = 0;
    const params = { limit: 10, fields: ["name" as const] };
    for await (const page of census.servers.changes(params).iterPages()) {
      for (const change of page.items) seen.add(change.id);
      next = page.body.next;
    }
    assert(seen.size >= 40);
    assert.deepEqual((await census.directory.changes({ after: next })).items, []);
  });

  test("webhook endpoints", async () => {
    const { webhooks } = census;
    // The demo has no events of this type.
    const params = { url: "https://hooks.example.com/ts", events: ["server.gone" as const] };
    const made = await webhooks.create(params);
    const { secret, ...rest } = made;
    assert.match(secret, /^whsec_/);
    assert.deepEqual(await webhooks.retrieve(made.id), rest);
    assert((await webhooks.list()).webhooks.some((w) => w.id === made.id));
    assert.deepEqual((await webhooks.replace(made.id, params)).events, params.events);
    assert.notEqual((await webhooks.rotate(made.id)).secret, secret);
    const { id, payload } = await webhooks.test(made.id);
    assert.equal(payload.type, "webhook.test");
    const all = [];
    for await (const delivery of webhooks.deliveries(made.id)) all.push(delivery.id);
    assert.deepEqual(all, [id]);
    assert.equal((await webhooks.resend(made.id, id)).id, id);
    await webhooks.delete(made.id);
    await failure(webhooks.retrieve(made.id), NotFoundError);
  });

  test("ETag", async () => {
    const { servers } = client({ etagCache: true });
    const first = await servers.retrieve(WEATHER).withResponse();
    const second = await servers.retrieve(WEATHER).withResponse();
    assert.deepEqual([first.fromCache, second.fromCache], [false, true]);
    assert.deepEqual(first.data, second.data);
    assert.notEqual(first.requestId, second.requestId);
  });

  test("errors", async () => {
    const bad = await failure(
      census.discover({ limit: 500, category: "weather" as never }),
      BadRequestError,
    );
    assert.deepEqual(
      bad.errors.map((e) => e.field),
      ["category", "limit"],
    );
    const unknown = await failure(
      census.servers.retrieve("octo-labs/wether-mcp?x=#y"),
      NotFoundError,
    );
    assert.equal(unknown.code, "server_not_found");
    const without = await failure(client({ apiKey: "" }).servers.list(), AuthenticationError);
    assert.equal(without.code, "missing_api_key");
    const apiKey = "mcp_" + "x".repeat(43);
    const wrong = await failure(client({ apiKey }).servers.list(), AuthenticationError);
    assert.equal(wrong.code, "invalid_api_key");
    for (const cursor of ["x", "ü&="]) {
      await failure(census.servers.list({ cursor }), BadRequestError);
    }
    for (const e of [bad, unknown, without, wrong]) assert.match(e.message, /\(request /);
  });

  test("plan", { skip: missing("FREE_KEY") }, async () => {
    const call = client({ apiKey: FREE_KEY }).servers.analytics(WEATHER);
    const error = await failure<Error>(call, PermissionDeniedError, RateLimitError);
    if (error instanceof PermissionDeniedError) {
      // Others may use up the key meanwhile.
      assert.deepEqual(error.requiredPlans, ["professional", "enterprise"]);
    }
  });
});

suite("a slow code host", { skip: missing("SLOW_URL") }, () => {
  const census = client({ baseURL: SLOW_URL, apiKey: "", maxRetries: 0 });

  test("responds", async () => {
    assert.equal((await census.health({ githubUrl: "sdk/slow" })).isMcpServer, false);
  });

  test("fails", async () => {
    const githubUrl = "sdk/failing";
    const pending = await census.health({ githubUrl, waitUntilDone: false });
    assert(isPending(pending));
    // Another check cannot be started within a minute.
    const error = await failure(census.health({ githubUrl }), InternalServerError);
    assert.deepEqual([error.status, error.code], [503, "unavailable"]);
    const ended = await failure(census.check(pending.statusUrl), InternalServerError);
    assert.deepEqual([ended.status, ended.code], [502, "check_failed"]);
  });
});

suite("faults", { skip: missing("URL", "KEY", "PROXY"), concurrency: 4 }, () => {
  const call = (fault: string, times: number, options: ClientOptions = {}) =>
    client({
      baseURL: PROXY,
      defaultHeaders: {
        "X-Fault": fault,
        "X-Fault-Times": String(times),
        "X-Fault-Id": randomUUID(),
      },
      ...options,
    })
      .directory.categories()
      .withResponse();

  for (const fault of ["500", "503", "429", "408", "reset", "short-body", "retry-after-seconds"]) {
    test(`${fault} is retried`, async () => assert.equal((await call(fault, 2)).retries, 2));
  }

  for (const [fault, want] of [
    ["500", InternalServerError],
    ["retry-after-date", InternalServerError],
    ["reset", APIConnectionError],
    ["short-body", APIConnectionError],
  ] as const) {
    test(`${fault} until retries are exhausted`, async () => {
      await failure<Error>(call(fault, 2, { maxRetries: 1 }), want);
    });
  }

  test("slow", async () => {
    await failure(call("slow", 1, { timeout: 500, maxRetries: 0 }), APITimeoutError);
    assert.equal((await call("slow", 1, { timeout: 1000 })).retries, 1);
  });

  test("garbage", async () => {
    await failure(call("garbage", 1), InvalidResponseError);
  });

  test("long wait", async () => {
    const error = await failure(call("retry-after-long", 1), RateLimitError);
    assert.equal(error.retryAfter, 3600);
  });
});
