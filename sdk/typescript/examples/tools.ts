import { Census } from "@mcp-census/sdk";

const census = new Census();

// Tools for a task, in the format of MCP's tools/list.
const page = await census.discoverTools({
  search: "forecast",
  level: "tool",
  minScore: 50,
  limit: 10,
});
for (const tool of page.items) console.log(tool.name, tool.installation);

// Changes to the tools of a server.
const { changes } = await census.directory.toolChanges("octo-labs-weather-mcp");
for (const change of changes) {
  console.log(
    change.at,
    change.tools.map((tool) => `${tool.kind} ${tool.name}`),
  );
}
console.log(changes.length, "changes");
