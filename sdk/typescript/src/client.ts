import { WebhookService } from "./endpoints.js";
import { APIError, APITimeoutError, invalid } from "./errors.js";
import {
  type ClientOptions,
  type RequestOptions,
  SETTINGS,
  type Settings,
  settings,
  withOptions,
} from "./options.js";
import { list, type PagePromise } from "./pages.js";
import type { DiscoverParams, DiscoverToolsParams, HealthParams, SearchParams } from "./params.js";
import { type APIPromise, call } from "./promise.js";
import { checkID, get, joined, type Request, segment } from "./request.js";
import { Registry } from "./registry.js";
import type { APIResponse } from "./response.js";
import { Account, CustomEndpoints, Directory, Servers } from "./resources.js";
import { retryAfter } from "./retry.js";
import { decoded, Transport } from "./transport.js";
import type {
  Health,
  Pending,
  SearchPage,
  Server,
  ServerPage,
  ToolEntry,
  ToolPage,
} from "./types.js";
import { Webhooks } from "./webhooks.js";

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** Client for a registry. It is safe for concurrent use. */
export class Census {
  /** Verification and parsing of webhooks. */
  static readonly webhooks: Webhooks = new Webhooks();

  /** Verification and parsing of webhooks, and the endpoints of the account. */
  readonly webhooks: WebhookService;
  /** The public directory. */
  readonly directory: Directory;
  /** Servers with full records; requires a key. */
  readonly servers: Servers;
  /** The account of the key. */
  readonly account: Account;
  /** Custom endpoints; requires a key. */
  readonly custom: CustomEndpoints;
  /** The registry and its views, through the official registry's API. */
  readonly registry: Registry;

  readonly #settings: Settings;
  readonly #transport: Transport;

  /** Creates a client. Throws CensusError if the options are invalid. */
  constructor(options: ClientOptions = {}) {
    this.#settings = settings(options);
    this.#transport = new Transport(this.#settings);
    this.directory = new Directory(this.#transport);
    this.servers = new Servers(this.#transport);
    this.account = new Account(this.#transport);
    this.custom = new CustomEndpoints(this.#transport);
    this.registry = new Registry(this.#transport);
    this.webhooks = new WebhookService(this.#transport);
  }

  /** URL of the registry, without a trailing slash. */
  get baseURL(): string {
    return this.#settings.baseURL;
  }

  /** Returns a client with different settings. Headers are added to those of this client. */
  withOptions(options: Pick<ClientOptions, "timeout" | "maxRetries" | "defaultHeaders">): Census {
    const { timeout, maxRetries, defaultHeaders: headers } = options;
    const changed = withOptions(this.#settings, { timeout, maxRetries, headers });
    return new Census({ [SETTINGS]: changed } as ClientOptions);
  }

  /** Finds servers: `GET /api/discover`. No key required. */
  discover(params?: DiscoverParams, options?: RequestOptions): PagePromise<Server, ServerPage> {
    return list(this.#transport, "servers", () => get("/api/discover", params), options);
  }

  /**
   * Finds servers or their tools, in the format of MCP's tools/list: `GET
   * /api/discover?format=mcp`. No key required.
   */
  discoverTools(
    params?: DiscoverToolsParams,
    options?: RequestOptions,
  ): PagePromise<ToolEntry, ToolPage> {
    const request = () => get("/api/discover", { ...params, format: "mcp" });
    return list(this.#transport, "tools", request, options);
  }

  /**
   * Returns the health report of a server or repository: `GET /api/health`. A repository that is
   * not listed is checked first, which takes seconds; a check that fails is repeated once.
   */
  health(
    params: HealthParams & { waitUntilDone?: true | undefined },
    options?: RequestOptions,
  ): APIPromise<Health>;
  health(params: HealthParams, options?: RequestOptions): APIPromise<Health | Pending>;
  health(params: HealthParams, options?: RequestOptions): APIPromise<Health | Pending> {
    return call(() => this.#health(params, options));
  }

  /**
   * Returns the report of a check, or a `Pending` while it runs: `GET /api/checks/{id}`.
   *
   * @param id ID of the check, or the `statusUrl` of a `Pending`.
   */
  check(id: string, options?: RequestOptions): APIPromise<Health | Pending> {
    return call(async () => this.#transport.get(check(id), options));
  }

  /** Searches with filters: `POST /v1/search`. Requires a key. */
  search(params: SearchParams = {}, options?: RequestOptions): PagePromise<Server, SearchPage> {
    const body = { ...params, sort: joined(params.sort) };
    const request = { method: "POST", path: "/v1/search", body } as const;
    return list(this.#transport, "servers", () => request, options);
  }

  toString(): string {
    const key = this.#settings.apiKey;
    return `Census { baseURL: '${this.baseURL}'${key ? `, apiKey: '${key}'` : ""} }`;
  }

  /** @internal */
  [INSPECT](): string {
    return this.toString();
  }

  async #health(
    { githubUrl, server, waitUntilDone = true, maxWait = 300_000 }: HealthParams,
    options: RequestOptions | undefined,
  ): Promise<APIResponse<Health | Pending>> {
    const ask = () => this.#transport.send(get("/api/health", { githubUrl, server }), options);
    let raw = await ask();
    let repeated = false;
    for (let waited = 0; waitUntilDone && raw.status === 202;) {
      const { githubUrl, statusUrl } = decoded<Pending>(raw).data;
      const id = checkID(statusUrl);
      if (typeof statusUrl !== "string" || ["", ".", ".."].includes(id)) {
        throw invalid(raw, "the response has no check ID");
      }
      if (waited >= maxWait) {
        throw new APITimeoutError(
          `the check of ${githubUrl} is still running after ${maxWait / 1000} s; ` +
            `call check("${id}") later`,
        );
      }
      const wait = Math.min(Math.max(1000, retryAfter(raw.headers) ?? 2000), maxWait - waited);
      await this.#settings.clock.sleep(wait, options?.signal);
      waited += wait;
      raw = await this.#transport.send(check(id), options).catch((e: unknown) => {
        if (repeated || !hasEnded(e)) throw e;
        repeated = true;
        return ask();
      });
    }
    return decoded(raw);
  }
}

/** Reports whether a check is still running. */
export function isPending(result: Health | Pending): result is Pending {
  return "statusUrl" in result;
}

/** Reports whether the check of an error will have no result. */
function hasEnded(error: unknown): boolean {
  const code = error instanceof APIError ? error.code : null;
  return code === "check_failed" || code === "check_not_found";
}

function check(id: string): Request {
  return get(`/api/checks/${segment("id", checkID(id))}`);
}
