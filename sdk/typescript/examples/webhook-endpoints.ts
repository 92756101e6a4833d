import { Census } from "@mcp-census/sdk";

const census = new Census(); // reads CENSUS_API_KEY

const { id, secret } = await census.webhooks.create({
  url: "https://hooks.example.com/mcp",
  events: ["server.version", "server.advisory"],
  servers: ["octo-labs-weather-mcp"],
});
console.log("store it now:", secret.slice(0, 6));

await census.webhooks.test(id);
for await (const delivery of census.webhooks.deliveries(id)) {
  console.log(delivery.payload.type, delivery.state, delivery.responseStatus);
}
await census.webhooks.delete(id);
