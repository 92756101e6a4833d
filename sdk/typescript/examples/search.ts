import { Census } from "@mcp-census/sdk";

const census = new Census(); // reads CENSUS_API_KEY

const page = await census.search({
  q: "weather",
  filters: {
    category: ["data", "api"],
    qualityScore: { gte: 70 },
    toolCount: { exists: true },
  },
  sort: ["-stars", "name"],
  limit: 10,
});
console.log(page.total, "servers;", page.body.facets?.sdk);
for (const server of page.items) console.log(server.name, server.stars);
