import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { mock, suite, test } from "node:test";

import { Census, CensusError, WebhookVerificationError } from "@mcp-census/sdk";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_" + btoa("another secret of 24 b..");
const NOW = 1614265330;
const BODY = '{"test": 2432232314}';
const HEADERS = {
  "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "Webhook-Timestamp": String(NOW),
  "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const { webhooks } = Census;

mock.timers.enable({ apis: ["Date"], now: NOW * 1000 });

function signed(body: string, { secret = SECRET, id = "m", at = String(NOW) } = {}) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${mac}` };
}

const refused = (message: RegExp) => (e: unknown) => {
  assert(e instanceof WebhookVerificationError, String(e));
  assert.match(e.message, message);
  return true;
};

test("example of the specification", async () => {
  const bytes = new TextEncoder().encode(BODY);
  for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer]) {
    for (const headers of [HEADERS, new Headers(HEADERS)]) {
      const event = await webhooks.unwrap(body, headers, SECRET);
      assert.equal(event.id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
      assert.equal((event as unknown as { test: number }).test, 2432232314);
    }
  }
});

test("event", async () => {
  const event = { type: "server.updated", timestamp: "2021-02-25T15:00:00Z", data: { id: "ü" } };
  const body = JSON.stringify(event);
  for (const w of [webhooks, new Census().webhooks]) {
    assert.deepEqual(await w.unwrap(body, signed(body), SECRET), { ...event, id: "m" });
  }
  const other = '{"id": "x"}';
  assert.deepEqual(await webhooks.unwrap(other, signed(other), SECRET), {
    id: "m",
    timestamp: "2021-02-25T15:02:10.000Z",
  });
});

test("data of each type", async () => {
  const path = new URL("../../../fixtures/webhook_events.json", import.meta.url);
  const events = JSON.parse(readFileSync(path, "utf8")) as object[];
  const got: unknown[] = [];
  for (const sent of events) {
    const body = JSON.stringify(sent);
    const event = await webhooks.unwrap(body, signed(body), SECRET);
    assert.deepEqual(event, { ...sent, id: "m" });
    switch (event.type) {
      case "server.version":
        got.push([event.type, event.data.server.version, event.data.before, event.data.after]);
        break;
      case "server.score_changed":
        got.push([event.type, event.data.before.score, event.data.after.grade]);
        break;
      case "server.deprecated":
        got.push([event.type, event.data.message, event.data.successorUrl]);
        break;
      case "server.advisory":
        got.push([event.type, event.data.advisories[0]?.severity, event.data.count]);
        break;
      case "server.tools_changed":
        got.push([event.type, event.data.added, event.data.withoutNewVersion]);
        break;
      case "webhook.test":
        got.push([event.type, event.data.message]);
        break;
    }
  }
  assert.deepEqual(got, [
    ["server.version", "1.1.0", "1.0.0", "1.1.0"],
    ["server.score_changed", 70, "A"],
    ["server.advisory", "high", 1],
    ["server.tools_changed", ["c"], false],
    ["server.deprecated", "Use the other one.", "https://github.com/octo/other-mcp"],
    ["webhook.test", "This is a test."],
  ]);
});

test("rotation", async () => {
  const headers = signed(BODY);
  await webhooks.unwrap(BODY, headers, [OTHER, SECRET]);
  await webhooks.unwrap(BODY, headers, SECRET.replace("whsec_", ""));
  const own = headers["webhook-signature"];
  const other = signed(BODY, { secret: OTHER })["webhook-signature"];
  for (const signatures of [`${other} ${own}`, `v1a,xx v1,!! v1 ${own}`, [other, own]]) {
    await webhooks.unwrap(BODY, { ...headers, "webhook-signature": signatures }, SECRET);
  }
});

suite("refused", () => {
  const cases: [Record<string, string | undefined>, RegExp][] = [
    [{ "webhook-id": "" }, /headers are missing: webhook-id$/],
    [{ "webhook-signature": undefined }, /headers are missing: webhook-signature$/],
    [{ "webhook-id": "n" }, /no signature matches/],
    [{ "webhook-timestamp": String(NOW + 1) }, /no signature matches/],
    [{ "webhook-signature": "v1," }, /no signature matches/],
    [{ "webhook-signature": "v1,ü" }, /no signature matches/],
    [{ "webhook-signature": "v1," + "A".repeat(43) + "=" }, /no signature matches/],
    [{ "webhook-signature": "v1,x ".repeat(200) }, /no signature matches/],
  ];
  for (const [changes, message] of cases) {
    test(JSON.stringify(changes).slice(0, 60), () =>
      assert.rejects(
        webhooks.unwrap(BODY, { ...signed(BODY), ...changes }, SECRET),
        refused(message),
      ),
    );
  }
  test("changed body", async () => {
    const none = refused(/no signature matches/);
    await assert.rejects(webhooks.unwrap(BODY + " ", signed(BODY), SECRET), none);
    await assert.rejects(webhooks.unwrap(BODY, signed(BODY), OTHER), none);
    const v1a = signed(BODY)["webhook-signature"].replace("v1,", "v1a,");
    const headers = { ...signed(BODY), "webhook-signature": v1a };
    await assert.rejects(webhooks.unwrap(BODY, headers, SECRET), none);
  });
  for (const at of ["x", "-5", "1e9", "٣", "9".repeat(30), " 1"]) {
    test(`timestamp ${at}`, () =>
      assert.rejects(
        webhooks.unwrap(BODY, signed(BODY, { at }), SECRET),
        refused(/not a number of seconds/),
      ));
  }
  for (const body of ["", "[]", "{", "\ud7ff", "null"]) {
    test(`body ${body}`, () =>
      assert.rejects(webhooks.unwrap(body, signed(body), SECRET), refused(/not a JSON object/)));
  }
});

test("tolerance", async () => {
  const sent = (age: number) => signed(BODY, { at: String(NOW - age) });
  for (const age of [300, -300]) await webhooks.unwrap(BODY, sent(age), SECRET);
  for (const [age, when] of [
    [301, "301 s ago"],
    [-301, "in 301 s"],
  ] as const) {
    await assert.rejects(
      webhooks.unwrap(BODY, sent(age), SECRET),
      refused(new RegExp(`sent ${when}; accepted are 300 s`)),
    );
  }
  await webhooks.unwrap(BODY, sent(400), SECRET, { tolerance: 500 });
});

test("odd secrets", async () => {
  for (const secret of ["", "whsec_", "whsec_!", [], ["ü"], "whsec_YQ"]) {
    await assert.rejects(webhooks.unwrap(BODY, signed(BODY), secret), (e) => {
      assert(e instanceof CensusError && !(e instanceof WebhookVerificationError));
      assert.match(e.message, /^secret must/);
      return true;
    });
  }
});
