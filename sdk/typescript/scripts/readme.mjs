// Copies the examples into README.md, where a comment names each of them. A test compares.
import { readFileSync, writeFileSync } from "node:fs";

const file = (name) => new URL(`../${name}`, import.meta.url);
const read = (name) => readFileSync(file(name), "utf8");

export const BLOCK = /(<!-- (examples\/[\w-]+\.(?:ts|cjs)) -->\n```[jt]s\n)([^]*?)(```)/g;

/** Returns a README with the present text of the examples. */
export function filled(readme) {
  return readme.replace(BLOCK, (_, before, name, __, after) => before + read(name) + after);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  writeFileSync(file("README.md"), filled(read("README.md")));
}
