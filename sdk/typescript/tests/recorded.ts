// A registry that replies with the recorded responses of ../fixtures.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const FIXTURES = new URL("../../../fixtures/", import.meta.url);

const ROUTES: [RegExp, string][] = [
  [/^GET \/api\/discover\?(?=.*format=mcp)(?=.*level=tool)/, "discover_tools_level"],
  [/^GET \/api\/discover/, "discover"],
  [/^GET \/api\/servers\/[^/?]+\/tools\/changes/, "directory_tool_changes"],
  [/^GET \/api\/servers/, "directory_list"],
  [/^GET \/api\/categories/, "directory_categories"],
  [/^GET \/api\/health/, "health_server"],
  [/^GET \/v1\/servers\/octo-labs-weather-mcp\/analytics/, "servers_analytics"],
  [/^GET \/v1\/servers\/octo-labs-weather-mcp$/, "servers_retrieve"],
  [/^GET \/v1\/servers\/octo-labs-wether-mcp$/, "servers_retrieve_not_found"],
  [/^POST \/v1\/servers\/bulk/, "servers_bulk"],
  [/^POST \/v1\/search/, "search"],
  [/^GET \/v1\/account/, "account_retrieve"],
  [/^GET \/v1\/usage\?from=2026-10-01&to=2026-10-31/, "account_usage"],
  [/^GET \/v1\/plans/, "account_plans"],
  [/^PUT \/v1\/custom\/good-databases\/definition/, "custom_put"],
  [/^DELETE \/v1\/custom\/good-databases\/definition/, "custom_delete"],
  [/^POST \/v1\/custom\/good-databases\/view/, "custom_view"],
  [/^GET \/v1\/custom\/good-databases/, "custom_run"],
  [/^GET \/v1\/custom$/, "custom_list"],
  [/^GET \/api\/changes/, "directory_changes"],
  [
    /^GET \/v0.1\/servers\/io.github.octo-labs%2Fweather-mcp\/versions\/latest/,
    "registry_retrieve",
  ],
  [/^GET \/r\/healthy\/v0.1\/servers\?/, "registry_view_list"],
  [/^POST \/v0.1\/validate/, "registry_validate"],
  [/^POST \/v1\/webhooks$/, "webhooks_create"],
  [/^POST \/v1\/webhooks\/1\/test$/, "webhooks_test"],
  [/^GET \/v1\/webhooks\/1\/deliveries/, "webhooks_deliveries"],
  [/^DELETE \/v1\/webhooks\/1$/, "webhooks_delete"],
];

interface Recorded {
  status: number;
  headers: Record<string, string>;
  body?: { pagination?: { nextCursor: string | null } };
}

async function reply(req: IncomingMessage): Promise<Recorded | null> {
  const line = `${req.method} ${req.url}`;
  const body = await text(req);
  const name = ROUTES.find(([route]) => route.test(line))?.[1];
  if (!name || (line.includes("/v1/") && !req.headers.authorization)) return null;
  const recorded = JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), "utf8")) as Recorded;
  if (recorded.body?.pagination && (line.includes("cursor=") || body.includes('"cursor"'))) {
    recorded.body.pagination.nextCursor = null; // the second page is the last
  }
  return recorded;
}

/** Serves; returns the URL, the requests that were not known, and a function that ends it. */
export async function registry(): Promise<{ url: string; unknown: string[]; close(): void }> {
  const unknown: string[] = [];
  const server = createServer(async (req, res) => {
    const recorded = await reply(req);
    if (recorded === null) {
      unknown.push(`${req.method} ${req.url}`);
      res.writeHead(404).end();
      return;
    }
    const content = recorded.body && JSON.stringify(recorded.body);
    const headers = { ...recorded.headers, ETag: `"${content?.length}"` };
    if (req.headers["if-none-match"] === headers.ETag) res.writeHead(304, headers).end();
    else res.writeHead(recorded.status, headers).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, unknown, close };
}
