// The examples and the README, against recorded responses.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { registry } from "./recorded.js";
import { KEY } from "./stub.js";

const ROOT = new URL("../../", import.meta.url);
const EXAMPLES = readdirSync(new URL("examples/", ROOT)).sort();

/** The compiled file of an example. */
const compiled = (name: string) =>
  fileURLToPath(new URL(`build/examples/${name.replace(/\.ts$/, ".js")}`, ROOT));

suite("examples", { concurrency: 2 }, () => {
  for (const name of EXAMPLES.filter((name) => name !== "webhook.ts")) {
    test(name, async () => {
      const { url, unknown, close } = await registry();
      try {
        const env = { ...process.env, CENSUS_URL: url, CENSUS_API_KEY: KEY };
        const file = compiled(name);
        const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env });
        assert.deepEqual([unknown, stderr], [[], ""]);
        assert.notEqual(stdout.trim(), "");
        assert(!stdout.includes(KEY));
      } finally {
        close();
      }
    });
  }

  test("webhook.ts", async () => {
    const port = await freePort();
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const env = { ...process.env, PORT: String(port), CENSUS_WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, [compiled("webhook.ts")], { env });
    try {
      const body = JSON.stringify({ type: "server.updated", data: { id: "ü" } });
      const at = String(Math.floor(Date.now() / 1000));
      const key = Buffer.from(secret.slice(6), "base64");
      const mac = createHmac("sha256", key).update(`m.${at}.${body}`).digest("base64");
      const headers = { "webhook-id": "m", "webhook-timestamp": at };
      const send = (signature: string) =>
        fetch(`http://127.0.0.1:${port}`, {
          method: "POST",
          body,
          headers: { ...headers, "webhook-signature": signature },
        });
      await listening(() => send("v1,x"));
      const [printed, { status }] = await Promise.all([
        once(child.stdout, "data"),
        send(`v1,${mac}`),
      ]);
      assert.equal(status, 204);
      assert.equal(String(printed[0]).trim(), "m server.updated { id: 'ü' }");
      const refused = await send("v1,x");
      assert.deepEqual(
        [refused.status, await refused.text()],
        [400, "no signature matches the secret"],
      );
    } finally {
      child.kill();
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Repeats a request until something listens. */
async function listening(send: () => Promise<Response>): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      await send();
      return;
    } catch (e) {
      if (i === 200) throw e;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test("README", async () => {
  const script = new URL("scripts/readme.mjs", ROOT).href;
  const { filled, BLOCK } = (await import(script)) as {
    filled(readme: string): string;
    BLOCK: RegExp;
  };
  const readme = readFileSync(new URL("README.md", ROOT), "utf8");
  assert(filled(readme) === readme, "run npm run format");
  const named = [...readme.matchAll(BLOCK)].map((m) => m[2]).sort();
  assert.deepEqual(
    named,
    EXAMPLES.map((name) => `examples/${name}`),
  );
  assert.equal(readme.split(/```[jt]s\n/).length - 1, EXAMPLES.length);
});
