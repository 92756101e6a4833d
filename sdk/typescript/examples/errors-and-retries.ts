import {
  APIConnectionError,
  APIError,
  BadRequestError,
  Census,
  NotFoundError,
  RateLimitError,
} from "@mcp-census/sdk";

const census = new Census({ maxRetries: 3, timeout: 20_000 });
try {
  await census.servers.retrieve("octo-labs-wether-mcp");
} catch (e) {
  if (e instanceof NotFoundError) {
    console.log("unknown; perhaps", e.candidates);
  } else if (e instanceof BadRequestError) {
    for (const wrong of e.errors) console.log(wrong.field, wrong.message);
  } else if (e instanceof RateLimitError) {
    console.log("no requests left until", e.resetAt);
  } else if (e instanceof APIError) {
    console.log(e.status, e.code, e.detail, e.requestId);
  } else if (e instanceof APIConnectionError) {
    console.log(e.message); // also of its subclass APITimeoutError
  } else {
    throw e;
  }
}

// Settings for one call, which a signal can abort:
const signal = AbortSignal.timeout(30_000);
await census.directory.categories({ timeout: 5_000, maxRetries: 0, signal });

// For several calls:
const quick = census.withOptions({ timeout: 2_000 });
await quick.directory.categories();
