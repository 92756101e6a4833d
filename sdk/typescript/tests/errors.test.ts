import assert from "node:assert/strict";
import { suite, test } from "node:test";

import {
  APIError,
  AuthenticationError,
  BadRequestError,
  CensusError,
  GoneError,
  InternalServerError,
  InvalidResponseError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@mcp-census/sdk";

import { answer, CATEGORIES, KEY, MASKED, problem, Stub } from "./stub.js";

/** Returns the error of a call that gets a response. */
async function failure(reply: Response): Promise<APIError> {
  const census = new Stub(reply).client({ maxRetries: 0 });
  const error = await census.directory.categories().catch((e: unknown) => e);
  assert(error instanceof APIError, String(error));
  return error;
}

const HTML = "<html><h1>Bad gateway</h1></html>";

suite("classes", () => {
  const named = new Map<number, typeof CensusError>([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [410, GoneError],
    [429, RateLimitError as unknown as typeof CensusError],
  ]);
  test("every status", async () => {
    for (let status = 300; status < 600; status++) {
      const body = [304].includes(status) ? undefined : problem(status);
      const error = await failure(answer(status, body, { x_request_id: "REQ" }));
      const want = named.get(status) ?? (status >= 500 ? InternalServerError : APIError);
      assert.equal(error.constructor, want, String(status));
      assert.equal(error.name, want.name);
      assert.deepEqual([error.status, error.requestId], [status, "REQ"]);
      assert(error instanceof CensusError && error instanceof Error);
    }
  });

  test("message", async () => {
    const error = await failure(answer(400, problem(400, "bad"), { x_request_id: "REQ" }));
    assert.equal(error.message, "400 bad: A detail. (request REQ)");
    assert.match(String(error), /^BadRequestError: 400 bad/);
    const missing = await failure(answer(401, problem(401, "missing_api_key")));
    assert.match(missing.message, /Set CENSUS_API_KEY, or apiKey of the client\.$/);
  });

  test("members", async () => {
    const plan = await failure(
      answer(403, { ...problem(403), requiredPlans: ["professional", "enterprise", 3] }),
    );
    assert.deepEqual((plan as PermissionDeniedError).requiredPlans, ["professional", "enterprise"]);
    const unknown = await failure(answer(404, { ...problem(404), candidates: ["a-b"] }));
    assert.deepEqual((unknown as NotFoundError).candidates, ["a-b"]);
    assert.match(unknown.message, / Did you mean a-b\?$/);
    const errors = [{ field: "limit", message: "x" }, { field: 3 }, null, "x"];
    const bad = await failure(answer(400, { ...problem(400), errors }));
    assert.deepEqual(bad.errors, [errors[0]]);
  });
});

suite("bodies that are not problem documents", () => {
  const texts: [string, string, string, string | object][] = [
    ["empty", "", "application/problem+json", ""],
    ["truncated", '{"code": "x", "det', "application/problem+json", '{"code": "x", "det'],
    ["HTML", HTML, "text/html", HTML],
    ["text", "upstream timed out", "text/plain", "upstream timed out"],
    ["list", "[1]", "application/json", "[1]"],
    ["null", "null", "application/json", "null"],
    ["other members", '{"message": "x"}', "application/json", { message: "x" }],
    [
      "other types",
      '{"code": 3, "detail": [], "errors": {}}',
      "application/json",
      { code: 3, detail: [], errors: {} },
    ],
  ];
  for (const [name, text, type, body] of texts) {
    test(name, async () => {
      const reply = new Response(text, { status: 404, headers: { "content-type": type } });
      const error = (await failure(reply)) as NotFoundError;
      assert.deepEqual(
        { body: error.body, code: error.code, detail: error.detail, errors: error.errors },
        { body, code: null, detail: null, errors: [] },
      );
      assert.deepEqual([error.candidates, error.requestId, error.title], [[], null, null]);
      assert.match(error.message, /^404/);
      assert.doesNotMatch(error.message, /<html>/);
      assert(error.message.length < 300);
    });
  }
});

suite("responses that succeed but are not of a registry", () => {
  const texts: [string, string][] = [
    ["empty", ""],
    ["truncated", '{"servers": [{"id"'],
    ["HTML", HTML],
    ["binary", "\x00\xff not JSON"],
    ["list", "[]"],
    ["text", '"x"'],
    ["null", "null"],
    ["deep", "[".repeat(200_000)],
  ];
  for (const [name, text] of texts) {
    test(name, async () => {
      const stub = new Stub(new Response(text));
      const census = stub.client();
      for (const call of [census.directory.categories(), census.discover(), census.health({})]) {
        await assert.rejects(async () => call, {
          name: "InvalidResponseError",
          message: /Check that the base URL is that of a Census registry/,
        });
      }
      assert.equal(stub.sent.length, 3);
    });
  }
  for (const body of [
    {},
    { servers: null, pagination: {} },
    { servers: [], pagination: null },
    { servers: [] },
  ]) {
    test(`list ${JSON.stringify(body)}`, async () => {
      const census = new Stub(answer(200, body)).client();
      await assert.rejects(async () => census.discover(), InvalidResponseError);
    });
  }
});

test("unknown members and values", async () => {
  const body = { id: "a", grade: "S", status: "sleeping", shoeSize: { eu: [43] }, tools: null };
  const server = await new Stub(answer(200, body)).client().servers.retrieve("a");
  assert.deepEqual(server, body);
});

test("a key in a body is masked", async () => {
  const error = await failure(answer(400, { ...problem(400), detail: `The key ${KEY} is odd.` }));
  assert.match(error.message, new RegExp(`The key ${MASKED} is odd`));
  assert(!JSON.stringify(error).includes(KEY));
  const { data } = await new Stub(answer(200, { ...CATEGORIES, key: KEY }))
    .client()
    .directory.categories()
    .withResponse();
  assert.equal((data as unknown as { key: string }).key, KEY);
});

test("a runtime whose bodies are not streams", async () => {
  const reply = { ok: true, status: 200, headers: new Headers(), text: async () => '{"total": 7}' };
  const census = new Stub(() => reply as Response).client();
  assert.equal((await census.directory.categories()).total, 7);
});

test("a response that is too long", async () => {
  const headers = { "content-length": String(2 ** 28 + 1) };
  const stub = new Stub(new Response("{", { headers }));
  await assert.rejects(stub.client().directory.categories(), {
    name: "InvalidResponseError",
    message: /^the response is longer than 268435456 bytes: /,
  });
  assert.equal(stub.sent.length, 1);
});
