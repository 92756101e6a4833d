// Reads all pages of the lists by cursor, and sends the defaults of the other
// parameters with it, as generated clients do.
import createClient from "openapi-fetch";
import { Confidence, Grade, Sdk, ServerLiveness, type components, type paths } from "./api.js";

declare const process: { env: Record<string, string | undefined> };

type Schemas = components["schemas"];

// A nullable enumeration has one type, wherever it is used.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same: Same<
  [Schemas["Server"]["grade"], Schemas["ServerDetail"]["grade"], Schemas["Health"]["grade"],
    Schemas["Server"]["sdk"], Schemas["ServerDetail"]["sdk"], Schemas["Server"]["liveness"],
    Schemas["ServerDetail"]["confidence"], Schemas["Health"]["confidence"]],
  [Grade | null, Grade | null, Grade | null, Sdk | null, Sdk | null, ServerLiveness | null,
    Confidence | null, Confidence | null]
> = true;

const client = createClient<paths>({
  baseUrl: process.env.CENSUS_SDK_TEST_URL,
  headers: { Authorization: `Bearer ${process.env.CENSUS_SDK_TEST_KEY}` },
});

interface Answer {
  data?: unknown;
  error?: unknown;
}

type Page = { keys: string[]; total: number; next: string | null | undefined };

function pageOf(answer: Answer): Page {
  if (answer.data === undefined) {
    throw new Error(JSON.stringify(answer.error));
  }
  const { servers, tools, pagination } = answer.data as {
    servers?: { slug: string }[];
    tools?: { name: string }[];
    pagination: { total: number; nextCursor?: string | null };
  };
  const keys = servers?.map((s) => s.slug) ?? tools?.map((t) => t.name) ?? [];
  return { keys, total: pagination.total, next: pagination.nextCursor };
}

async function readAll(name: string, ask: (cursor?: string) => Promise<Answer>): Promise<void> {
  const seen: string[] = [];
  let pages = 0;
  let total = 0;
  let cursor: string | undefined;
  do {
    const page = pageOf(await ask(cursor));
    pages++;
    total = page.total;
    seen.push(...page.keys);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  console.log(`${name}: ${seen.length} of ${total} on ${pages} pages`);
  if (pages < 2 || seen.length !== total || new Set(seen).size !== total) {
    throw new Error(`${name}: not all entries, or some twice: ${seen.join(" ")}`);
  }
}

const limit = 3;
const filters = JSON.stringify({ stars: { gte: 0 } });
await readAll("/api/servers", (cursor) =>
  client.GET("/api/servers", { params: { query: { cursor, limit, offset: 0, sort: "qualityScore" as never } } }));
await readAll("/api/discover", (cursor) =>
  client.GET("/api/discover", {
    params: { query: { cursor, limit, offset: 0, sort: "qualityScore" as never, format: "json" as never, level: "server" as never } },
  }));
await readAll("/v1/servers", (cursor) =>
  client.GET("/v1/servers", { params: { query: { cursor, limit, page: 1 } } }));
await readAll("/v1/search", (cursor) =>
  client.GET("/v1/search", { params: { query: { cursor, limit, page: 1, filters, facets: true } } }));
await readAll("POST /v1/search", (cursor) =>
  client.POST("/v1/search", { body: { cursor, limit, page: 1, facets: true } as never }));

// An error is a problem in all operations but those that answer with files.
async function codes(): Promise<void> {
  const headers = { Authorization: "Bearer mcp_wrong" };
  const answers = [
    await client.GET("/v1/servers", { headers }),
    await client.GET("/api/health", { params: { query: { server: "no-such-server" } } }),
    await client.GET("/v0.1/servers/{name}/versions", { params: { path: { name: "io.github.no/such" } } }),
    await client.POST("/v1/webhooks", { body: { url: "not a URL" } }),
  ];
  const seen = answers.map((a) => a.error?.code);
  const want = ["invalid_api_key", "server_not_found", "server_not_found", "invalid_parameter"];
  if (seen.join() !== want.join()) {
    throw new Error(`codes of errors: ${seen.join()}`);
  }
}
await codes();
if (!same) {
  throw new Error("unreachable");
}
