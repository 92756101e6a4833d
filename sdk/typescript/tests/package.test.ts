import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as esm from "@mcp-census/sdk";

const ROOT = new URL("../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), "utf8");

test("CommonJS has the same exports", () => {
  const cjs = createRequire(import.meta.url)("@mcp-census/sdk") as object;
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
});

test("the version is that of package.json", () => {
  const manifest = JSON.parse(read("package.json")) as { version: string };
  assert.equal(esm.VERSION, manifest.version);
  assert.match(read("CHANGELOG.md"), new RegExp(`^## ${manifest.version}$`, "m"));
  assert.equal((JSON.parse(read("package-lock.json")) as { version: string }).version, esm.VERSION);
});

test("the lock file has no download addresses", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});

test("a program ends after its last call", () => {
  const program = `
    import { createServer } from "node:http";
    import { Census } from "@mcp-census/sdk";
    const server = createServer((_, res) => res.end('{"total": 1}')).listen(0, async () => {
      const census = new Census({ baseURL: "http://127.0.0.1:" + server.address().port });
      console.log((await census.directory.categories()).total);
      server.close();
    });`;
  const args = ["--input-type=module", "-e", program];
  const options = { cwd: ROOT, timeout: 30_000, encoding: "utf8" } as const;
  assert.equal(execFileSync(process.execPath, args, options).trim(), "1");
});
