import { Census, registryMeta } from "@mcp-census/sdk";

const census = new Census();

// One server, in the format of the official registry.
const entry = await census.registry.retrieve("io.github.octo-labs/weather-mcp");
console.log(entry.server.name, entry.server.version, registryMeta(entry)?.score);

// All servers of a view.
for await (const { server } of census.registry.view("healthy").list({ limit: 100 })) {
  console.log(server.name, server.version);
}

// Check a server.json before you publish it.
const { valid, issues } = await census.registry.validate({ name: "io.github.octo/weather-mcp" });
if (!valid) for (const { path, message } of issues) console.log(path, message);
