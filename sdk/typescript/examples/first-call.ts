import { Census } from "@mcp-census/sdk";

const { items } = await new Census().discover({ search: "postgres", limit: 5 });
for (const server of items) console.log(server.id, server.qualityScore);
