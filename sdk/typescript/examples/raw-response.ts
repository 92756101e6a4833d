import { Census } from "@mcp-census/sdk";

const census = new Census({ etagCache: true });

const response = await census.directory.categories().withResponse();
console.log(response.status, response.requestId, response.etag);
console.log(response.rateLimit.remaining, "requests left until", response.rateLimit.resetAt);
console.log(response.data.categories.map((category) => category.id));

// The second response is from the cache, because nothing has changed.
console.log((await census.directory.categories().withResponse()).fromCache);

// Pages have their response:
const page = await census.discover({ limit: 1 });
console.log(page.response.headers.get("link"), page.response.text.length);
