import { Census } from "@mcp-census/sdk";

const census = new Census(); // reads CENSUS_API_KEY

const server = await census.servers.retrieve("octo-labs-weather-mcp");
console.log(server.name, server.grade, server.install.command);
for (const tool of server.tools ?? []) console.log("-", tool.name, tool.tokens);

// Bulk requests and analytics require the Professional plan.
const several = await census.servers.bulk({
  ids: ["octo-labs-weather-mcp"],
  githubUrls: ["https://github.com/harbor-data/postgres-navigator"],
  fields: ["id", "qualityScore", "stars"],
});
console.log(several.servers, "unknown:", several.notFound);

const figures = await census.servers.analytics("octo-labs-weather-mcp", { period: "7d" });
console.log(figures.totals.stars, "stars, rank", figures.rank.overall);
