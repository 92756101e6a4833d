import { Census } from "@mcp-census/sdk";

const census = new Census();

// All pages, requested as you go.
for await (const server of census.directory.list({ category: "database", limit: 100 })) {
  console.log(server.id);
}

// Page by page.
for await (const page of census.directory.list({ category: "database", limit: 10 }).iterPages()) {
  console.log(page.items.map((server) => server.id));
}

// One page, and the next.
const first = await census.directory.list({ limit: 10 });
console.log(first.total, "servers", first.hasNextPage());
const second = await first.getNextPage(); // null after the last page
console.log(second?.items.length);
