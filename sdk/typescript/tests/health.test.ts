import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { APITimeoutError, CensusError, isPending } from "@mcp-census/sdk";

import { answer, problem, Stub } from "./stub.js";

const REPORT = { server: null, score: 75, status: "scored" };
const STATUS_URL = "http://127.0.0.1:8080/api/checks/ck_1";

function pending(headers: Record<string, string> = {}, statusUrl: unknown = STATUS_URL): Response {
  const body = { status: "pending", githubUrl: "https://github.com/o/r", statusUrl };
  return answer(202, body, headers);
}

test("finished", async () => {
  const stub = new Stub(answer(200, REPORT));
  const report = await stub.client().health({ githubUrl: "o/r" });
  assert.equal(report.score, 75);
  assert.equal(stub.last.url.href, "http://127.0.0.1:8080/api/health?githubUrl=o%2Fr");
});

test("waits", async () => {
  const stub = new Stub(
    pending({ retry_after: "2" }),
    pending({ retry_after: "5" }),
    pending({ retry_after: "0" }),
    pending(),
    answer(200, REPORT),
  );
  const { status, data } = await stub.client().health({ githubUrl: "o/r" }).withResponse();
  assert.deepEqual([status, data.score], [200, 75]);
  assert.deepEqual(stub.sleeps, [2000, 5000, 1000, 2000]);
  assert.deepEqual(
    stub.sent.map((s) => s.url.pathname),
    ["/api/health", ...Array<string>(4).fill("/api/checks/ck_1")],
  );
});

test("does not wait", async () => {
  const stub = new Stub(pending());
  const result = await stub.client().health({ githubUrl: "o/r", waitUntilDone: false });
  assert(isPending(result));
  assert.deepEqual([stub.sent.length, stub.sleeps], [1, []]);

  stub.replies = [answer(200, REPORT)];
  for (const id of [result.statusUrl, "/api/checks/ck_1", "/api/checks/ck_1?x=y", "ck_1"]) {
    assert(!isPending(await stub.client().check(id)));
    assert.equal(stub.last.url.href, STATUS_URL);
  }
});

test("check is pending", async () => {
  assert(isPending(await new Stub(pending()).client().check("ck_1")));
});

test("maxWait", async () => {
  const stub = new Stub(pending({ retry_after: "40" }));
  await assert.rejects(stub.client().health({ githubUrl: "o/r", maxWait: 100_000 }), (e) => {
    assert(e instanceof APITimeoutError);
    assert.match(e.message, /still running after 100 s; call check\("ck_1"\) later/);
    return true;
  });
  assert.deepEqual(stub.sleeps, [40_000, 40_000, 20_000]);
});

test("the key stays with the registry", async () => {
  const stub = new Stub(pending({}, "https://evil.example/api/checks/ck_1"), answer(200, REPORT));
  await stub.client().health({ githubUrl: "o/r" });
  assert.equal(stub.last.url.href, STATUS_URL);
});

suite("odd statusUrl", () => {
  for (const url of [
    "",
    "https://evil.example/",
    "..",
    "/api/checks/%zz",
    "/api/checks/..",
    null,
    3,
  ]) {
    test(JSON.stringify(url), async () => {
      const stub = new Stub(pending({}, url), answer(404, problem(404)));
      const error = await stub
        .client()
        .health({ githubUrl: "o/r" })
        .catch((e: Error) => e.constructor.name);
      assert(["InvalidResponseError", "NotFoundError"].includes(String(error)), String(error));
      assert.deepEqual(new Set(stub.sent.map((s) => s.url.host)), new Set(["127.0.0.1:8080"]));
    });
  }
});

suite("a check that ends without a result", () => {
  for (const code of ["check_failed", "check_not_found"]) {
    const failed = () => {
      const status = code === "check_failed" ? 502 : 404;
      return answer(status, problem(status, code), { x_should_retry: "false" });
    };
    const health = { githubUrl: "o/r" };
    const paths = (stub: Stub) => stub.sent.map((s) => s.url.pathname);

    test(`${code} is repeated`, async () => {
      const stub = new Stub(pending(), failed(), pending(), answer(200, REPORT));
      assert.equal((await stub.client().health(health)).score, 75);
      const once = ["/api/health", "/api/checks/ck_1"];
      assert.deepEqual(paths(stub), [...once, ...once]);
    });

    test(`${code} twice`, async () => {
      const stub = new Stub(pending(), failed(), pending(), failed());
      await assert.rejects(stub.client().health(health), { code });
      assert.equal(stub.sent.length, 4);
    });

    test(`${code}, and no other check can be started`, async () => {
      const busy = answer(503, problem(503, "unavailable"), { retry_after: "3600" });
      const stub = new Stub(pending(), failed(), busy);
      await assert.rejects(stub.client().health(health), { code: "unavailable" });
      assert.equal(paths(stub).at(-1), "/api/health");
    });
  }
});

test("abort while waiting", async () => {
  const controller = new AbortController();
  const stub = new Stub(() => {
    controller.abort(new Error("enough"));
    return pending();
  });
  const options = { signal: controller.signal };
  await assert.rejects(stub.client().health({ server: "a" }, options), { message: "enough" });
});

test("odd ids", async () => {
  const stub = new Stub(answer(200, REPORT));
  const census = stub.client();
  for (const id of ["", ".", "..", undefined, null, 3, "\ud800"] as string[]) {
    await assert.rejects(census.check(id), CensusError);
    await assert.rejects(census.servers.retrieve(id), CensusError);
    await assert.rejects(async () => census.custom.run(id), CensusError);
  }
  await assert.rejects(census.check(""), { message: "id must not be empty." });
  await assert.rejects(census.check(".."), { message: 'id must not be "..".' });
  await assert.rejects(census.check(3 as never), { message: "id must be a string, got 3." });
  assert.equal(stub.sent.length, 0);
  await census.servers.retrieve("io.github.o/r ü?#%2F");
  assert.equal(stub.last.url.pathname, "/v1/servers/io.github.o%2Fr%20%C3%BC%3F%23%252F");
});
