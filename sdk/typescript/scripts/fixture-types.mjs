// Writes tests/fixtures.gen.ts from ../fixtures: each call, and its recorded body as an object of the
// type that the SDK returns. Compiling it shows members that types lack, and values of other types.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../../fixtures/", import.meta.url);
const tests = new URL("../tests/", import.meta.url);
const json = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const text = (value) => JSON.stringify(value, null, 2);

/** Parameters that are arguments of their own. */
const POSITIONAL = {
  check: ["id"],
  servers: ["id"],
  directory: ["id"],
  custom: ["name"],
  registry: ["name", "document"],
  webhooks: ["id", "delivery"],
};

function callOf({ call, args, name }, failed) {
  const params = { ...args };
  const list = [];
  for (const own of POSITIONAL[call.split(".")[0]] ?? []) {
    if (!(own in params)) continue;
    list.push(text(params[own]));
    delete params[own];
  }
  const { view } = params;
  delete params.view;
  if (Object.keys(params).length > 0) list.push(text(params) + (failed ? " as never" : ""));
  const method = call.replace(".view.", `.view(${text(view)}).`);
  return `  ${name}: (c: Census) => c.${method}(${list.join(", ")}),`;
}

const calls = [];
const bodies = [];
for (const call of existsSync(folder) ? json("calls.json").calls : []) {
  const { status, body } = json(`${call.name}.json`);
  calls.push(callOf(call, status >= 400));
  if (body === undefined) continue;
  const type = status < 400 ? `BodyOf<typeof calls.${call.name}>` : "Problem";
  bodies.push(`export const ${call.name}: ${type} = ${text(body)};`);
}

writeFileSync(
  new URL("fixtures.gen.ts", tests),
  `import type { Census, PagePromise, Problem } from "@mcp-census/sdk";

type BodyOf<F extends (c: Census) => unknown> =
  ReturnType<F> extends PagePromise<infer _, infer Body> ? Body : Awaited<ReturnType<F>>;

export const calls = {
${calls.join("\n")}
};

${bodies.join("\n\n")}
`,
);
