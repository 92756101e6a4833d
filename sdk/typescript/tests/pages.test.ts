import assert from "node:assert/strict";
import { suite, test } from "node:test";

import {
  APIConnectionError,
  APIError,
  BadRequestError,
  CensusError,
  InvalidResponseError,
  isDeleted,
  NotFoundError,
  officialMeta,
  Page,
  registryMeta,
} from "@mcp-census/sdk";

import { answer, problem, Stub } from "./stub.js";

/** Returns a page with servers and the cursor of the next one. */
function page(ids: string[], nextCursor: string | null): Response {
  const pagination = { total: 5, limit: 2, offset: 0, hasMore: nextCursor !== null, nextCursor };
  return answer(200, { servers: ids.map((id) => ({ id })), pagination });
}

const three = () => new Stub(page(["a", "b"], "c1"), page(["c", "d"], "c2"), page(["e"], null));

test("items of all pages", async () => {
  const stub = three();
  const ids = [];
  const params = {
    category: "data",
    sort: "stars",
    limit: 2,
    offset: 1,
    official: true,
  } as const;
  for await (const server of stub.client().directory.list(params)) ids.push(server.id);
  assert.deepEqual(ids, ["a", "b", "c", "d", "e"]);
  assert.deepEqual(
    stub.sent.map((s) => s.url.search),
    [
      "?category=data&sort=stars&limit=2&offset=1&official=true",
      "?limit=2&cursor=c1",
      "?limit=2&cursor=c2",
    ],
  );
});

test("items from an awaited page", async () => {
  const first = await three().client().servers.list();
  assert(first instanceof Page);
  assert.deepEqual([first.items.length, first.total, first.hasNextPage()], [2, 5, true]);
  const ids = [];
  for await (const server of first) ids.push(server.id);
  assert.deepEqual(ids, ["a", "b", "c", "d", "e"]);
});

test("pages", async () => {
  const sizes = [];
  for await (const page of three().client().discover().iterPages()) sizes.push(page.items.length);
  assert.deepEqual(sizes, [2, 2, 1]);
});

test("getNextPage", async () => {
  let page = await three().client().discover();
  page = (await page.getNextPage())!;
  assert.equal(page.nextCursor, "c2");
  page = (await page.getNextPage())!;
  assert.deepEqual([page.hasNextPage(), await page.getNextPage()], [false, null]);
});

test("the form of the page is repeated", async () => {
  const tools = (nextCursor: string | null) =>
    answer(200, { tools: [{ name: "t" }], pagination: { total: 2, nextCursor } });
  const stub = new Stub(tools("c1"), tools(null));
  for await (const tool of stub.client().discoverTools({ search: "x", level: "tool" })) {
    assert.equal(tool.name, "t");
  }
  assert.equal(stub.last.url.search, "?format=mcp&cursor=c1");

  const search = new Stub(page(["a"], "c1"), page([], null));
  const params = { q: "x", sort: ["-stars", "name"], filters: { stars: { gte: 1 } } } as const;
  for await (const server of search.client().search({ ...params, limit: 1, facets: false })) {
    assert.equal(server.id, "a");
  }
  assert.deepEqual(
    search.sent.map((s) => JSON.parse(s.body!)),
    [
      { q: "x", sort: "-stars,name", filters: { stars: { gte: 1 } }, limit: 1, facets: false },
      { limit: 1, facets: false, cursor: "c1" },
    ],
  );
});

test("requests are made when items are consumed", async () => {
  const stub = three();
  for await (const { id } of stub.client().discover()) if (id === "b") break;
  assert.equal(stub.sent.length, 1);
});

test("an error comes after the items before it", async () => {
  const stub = new Stub(page(["a", "b"], "c1"), answer(400, problem(400)));
  const ids: string[] = [];
  const walk = async () => {
    for await (const server of stub.client().discover()) ids.push(server.id);
  };
  await assert.rejects(walk, BadRequestError);
  assert.deepEqual(ids, ["a", "b"]);
});

test("a repeated cursor", async () => {
  const stub = new Stub(page(["a"], "c1"));
  const walk = async () => {
    for await (const server of stub.client().discover()) assert(server);
  };
  await assert.rejects(walk, InvalidResponseError);
  assert.equal(stub.sent.length, 2);

  const given = await stub.client().discover({ cursor: "c1" });
  await assert.rejects(given.getNextPage(), InvalidResponseError);
});

suite("promises", () => {
  const failing = () => new Stub(answer(404, problem(404))).client();

  test("response", async () => {
    const stub = three();
    const call = stub.client().discover();
    const response = await call.withResponse();
    assert.equal(response.status, 200);
    assert.deepEqual(response.data, (await call).body);
    assert.equal((await call).response, response);
    assert.equal(stub.sent.length, 1);
  });

  test("the request is sent at once", async () => {
    const stub = new Stub(answer(204));
    void stub.client().custom.delete("x");
    assert.equal(stub.sent.length, 1);
  });

  test("then, catch, finally", async () => {
    const call = three().client().discover();
    assert(call instanceof Promise);
    assert.equal(await call.then((p) => p.total), 5);
    let finished = 0;
    assert.equal((await call.finally(() => finished++)).total, 5);
    assert.equal((await Promise.all([call]))[0].total, 5);
    const list = failing().discover();
    await assert.rejects(
      list.finally(() => finished++),
      NotFoundError,
    );
    assert.equal(await list.catch(() => "caught"), "caught");
    await assert.rejects(list.withResponse(), NotFoundError);
    assert.equal(finished, 2);
  });

  test("a failure that is handled once is handled", async () => {
    const unhandled: unknown[] = [];
    const listener = (e: unknown) => unhandled.push(e);
    process.on("unhandledRejection", listener);
    const census = failing();
    const iterate = async () => {
      for await (const server of census.discover()) assert(server);
    };
    await assert.rejects(iterate, NotFoundError);
    await assert.rejects(census.discover().withResponse(), NotFoundError);
    await assert.rejects(census.directory.categories().withResponse(), NotFoundError);
    await census.servers.retrieve("x").catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", listener);
    assert.deepEqual(unhandled, []);
  });
});

test("changes", async () => {
  const removed = { id: "b", status: "deleted", changedAt: "2026-10-31T12:00:00Z" };
  const stub = new Stub(
    answer(200, { changes: [{ id: "a", status: "active" }], next: 7, hasMore: true }),
    answer(200, { changes: [removed], next: 9, hasMore: false }),
  );
  const gone = [];
  let next = 0;
  const fields = ["name", "stars"] as const;
  for await (const page of stub.client().servers.changes({ limit: 1, fields }).iterPages()) {
    next = page.body.next;
    for (const change of page.items) if (isDeleted(change)) gone.push(change.changedAt);
  }
  assert.deepEqual([next, gone], [9, [removed.changedAt]]);
  assert.deepEqual(
    stub.sent.map((s) => s.url.search),
    ["?limit=1&fields=name%2Cstars", "?limit=1&fields=name%2Cstars&after=7"],
  );
});

test("changes that do not go on", async () => {
  const page = answer(200, { changes: [], next: 7, hasMore: true });
  const list = new Stub(page).client().directory.changes({ after: 7 });
  await assert.rejects(async () => (await list).getNextPage(), InvalidResponseError);
});

test("deliveries", async () => {
  const stub = new Stub(
    answer(200, { deliveries: [{ id: 9 }, { id: 8 }], before: 8 }),
    answer(200, { deliveries: [{ id: 2 }], before: null }),
  );
  const ids = [];
  const list = stub.client().webhooks.deliveries(3, { limit: 2 });
  for await (const delivery of list) ids.push(delivery.id);
  assert.deepEqual([ids, (await list).total], [[9, 8, 2], null]);
  assert.equal(stub.sent[1]?.url.search, "?limit=2&before=8");
});

test("entries of a view", async () => {
  const official = "io.modelcontextprotocol.registry/official";
  const meta = { [official]: { status: "active" }, "org.example/server": { id: "c" } };
  const stub = new Stub(
    answer(200, {
      servers: [{ server: { name: "a.b/c" }, _meta: meta }],
      metadata: { count: 1, nextCursor: "n1" },
    }),
    answer(200, {
      servers: [{ server: { name: "a.b/d" }, _meta: { [official]: { status: "deleted" } } }],
      metadata: { count: 1 },
    }),
  );
  const params = { updatedSince: new Date("2026-10-31T12:00:00Z"), includeDeleted: true, limit: 1 };
  const found = [];
  for await (const e of stub.client().registry.view("my view").list(params)) {
    found.push([e.server.name, officialMeta(e)?.status, registryMeta(e)?.id]);
  }
  assert.deepEqual(found, [
    ["a.b/c", "active", "c"],
    ["a.b/d", "deleted", undefined],
  ]);
  assert.deepEqual(
    stub.sent.map((s) => s.url.pathname + s.url.search),
    [
      "/r/my%20view/v0.1/servers?limit=1&updated_since=2026-10-31T12%3A00%3A00.000Z&include_deleted=true",
      "/r/my%20view/v0.1/servers?limit=1&cursor=n1",
    ],
  );
});

test("documents that are not an array", async () => {
  const { registry } = new Stub(answer(200, { servers: [] })).client();
  await assert.rejects(async () => registry.view("x").documents(), InvalidResponseError);
});

suite("requests that create something", () => {
  const create = (stub: Stub) => async () => stub.client().webhooks.create({ url: "x" });
  for (const [status, attempts] of [
    [409, 1],
    [500, 1],
    [429, 3],
  ] as const) {
    test(String(status), async () => {
      const stub = new Stub(() => answer(status, problem(status)));
      await assert.rejects(create(stub), APIError);
      assert.equal(stub.sent.length, attempts);
    });
  }
  test("a broken connection", async () => {
    const stub = new Stub(new TypeError("reset"));
    await assert.rejects(create(stub), APIConnectionError);
    assert.equal(stub.sent.length, 1);
  });
  test("numbers", async () => {
    const { webhooks } = new Stub().client();
    for (const id of [0, 1.5, NaN, "1" as never]) {
      await assert.rejects(async () => webhooks.retrieve(id), CensusError);
    }
  });
});
