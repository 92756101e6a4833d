import { Census } from "@mcp-census/sdk";

const census = new Census(); // requires a key with the Enterprise plan

await census.custom.put("good-databases", {
  filters: { category: "database", stars: { gte: 100 } },
  sort: "-stars",
  fields: ["id", "name", "stars"],
});
for await (const server of census.custom.run("good-databases")) {
  console.log(server.id, server.stars);
}
console.log((await census.custom.list()).customs.map((custom) => custom.name));

const { url } = await census.custom.createView("good-databases"); // for clients without a key
console.log(url);
await census.custom.delete("good-databases");
