// Follows README.md as a new user does: packs the package, installs it in an empty folder, and
// compiles and runs each example of the README there, without anything else of this repository.
// The examples use the registry of CENSUS_SDK_TEST_URL with the key CENSUS_SDK_TEST_KEY; without
// these variables, recorded responses.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { BLOCK } from "./readme.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const NPM = ["--silent", "--no-audit", "--no-fund"];
const folder = mkdtempSync(join(tmpdir(), "census-sdk-"));
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Writes the examples of the README; returns the names of the files. */
function write() {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  return [...readme.matchAll(BLOCK)].map(([, , name, code]) => {
    writeFileSync(join(folder, basename(name)), code);
    return basename(name);
  });
}

/** Runs an example; the registry may be in this process. */
async function example(file, env) {
  const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ["ignore", "pipe", 2] });
  let out = "";
  child.stdout.on("data", (part) => (out += part));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${out}`);
  console.log(`${file}: ${out.split("\n").length - 1} lines`);
}

/** Compiles the examples for each kind of user. */
function compile(examples) {
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmitOnError"];
  const esm = ["--target", "es2022", "--module"];
  // With a bundler, in a browser, with the default libraries and without types of Node.js.
  const bundler = ["esnext", "--moduleResolution", "bundler", "--noEmit"];
  run(TSC, [...strict, ...esm, ...bundler, ...examples.filter((file) => file !== "webhook.ts")]);
  const types = join(ROOT, "node_modules", "@types");
  symlinkSync(types, join(folder, "node_modules", "@types"), "junction");
  run(TSC, [...strict, ...esm, "nodenext", "--lib", "es2022", "--types", "node", ...examples]);
}

async function main() {
  const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], ROOT));
  const { filename, size, unpackedSize, entryCount } = packed[0];
  console.log(`${filename}: ${size} bytes, ${unpackedSize} unpacked, ${entryCount} files`);
  writeFileSync(join(folder, "package.json"), '{"type": "module", "private": true}\n');
  run("npm", ["install", ...NPM, join(folder, filename)]);
  const examples = write();
  compile(examples.filter((file) => file.endsWith(".ts")));

  let url = process.env.CENSUS_SDK_TEST_URL;
  let registry;
  if (!url) {
    registry = await (await import("../build/tests/recorded.js")).registry();
    url = registry.url;
  }
  const key = process.env.CENSUS_SDK_TEST_KEY ?? "mcp_" + "x".repeat(43);
  const env = { ...process.env, CENSUS_URL: url, CENSUS_API_KEY: key };
  try {
    for (const file of examples.filter((file) => file !== "webhook.ts")) {
      await example(file.replace(/\.ts$/, ".js"), env);
    }
  } finally {
    registry?.close();
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
