import { CensusError } from "./errors.js";
import type { RequestOptions } from "./options.js";
import { CHANGES, list, type PagePromise } from "./pages.js";
import type {
  AnalyticsParams,
  BulkParams,
  ChangesParams,
  CustomPutParams,
  CustomRunParams,
  DirectoryListParams,
  RecordChangesParams,
  ServersListParams,
  UsageParams,
} from "./params.js";
import { type APIPromise, call } from "./promise.js";
import { get, joined, segment } from "./request.js";
import { APIResponse } from "./response.js";
import type { Transport } from "./transport.js";
import type {
  Analytics,
  BulkAnswer,
  Categories,
  ChangePage,
  Custom,
  CustomPage,
  Customs,
  CustomView,
  Dumps,
  NumberedPage,
  OwnAccount,
  PartialServer,
  Plans,
  RecordChange,
  RecordChangePage,
  Server,
  ServerChange,
  ServerDetail,
  ServerPage,
  ToolChanges,
  Usage,
} from "./types.js";

/** The public directory, under /api. No key required. */
export class Directory {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists servers: `GET /api/servers`. */
  list(params?: DirectoryListParams, options?: RequestOptions): PagePromise<Server, ServerPage> {
    return list(this.#transport, "servers", () => get("/api/servers", params), options);
  }

  /** Returns the categories with their number of servers: `GET /api/categories`. */
  categories(options?: RequestOptions): APIPromise<Categories> {
    return call(() => this.#transport.get(get("/api/categories"), options));
  }

  /**
   * Returns the changes to a server's tools: `GET /api/servers/{id}/tools/changes`.
   *
   * @param id Slug, or name in the official registry.
   */
  toolChanges(id: string, options?: RequestOptions): APIPromise<ToolChanges> {
    const request = () => get(`/api/servers/${segment("id", id)}/tools/changes`);
    return call(async () => this.#transport.get(request(), options));
  }

  /** Returns the daily dumps of the whole registry, newest first: `GET /dumps`. */
  dumps(options?: RequestOptions): APIPromise<Dumps> {
    return call(() => this.#transport.get(get("/dumps"), options));
  }

  /**
   * Follows the changes to all servers, as list entries: `GET /api/changes`. To continue later,
   * iterate over the pages and store `page.body.next`. See `isDeleted`.
   */
  changes(params?: ChangesParams, options?: RequestOptions): PagePromise<ServerChange, ChangePage> {
    return list(this.#transport, "changes", () => get("/api/changes", params), options, CHANGES);
  }
}

/** Servers with full records, under /v1. Requires a key. */
export class Servers {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists servers by score, or by relevance with `search`: `GET /v1/servers`. */
  list(params?: ServersListParams, options?: RequestOptions): PagePromise<Server, NumberedPage> {
    return list(this.#transport, "servers", () => get("/v1/servers", params), options);
  }

  /**
   * Returns the record of a server: `GET /v1/servers/{id}`.
   *
   * @param id Slug, old slug, or name in the official registry.
   */
  retrieve(id: string, options?: RequestOptions): APIPromise<ServerDetail> {
    const request = () => get(`/v1/servers/${segment("id", id)}`);
    return call(async () => this.#transport.get(request(), options));
  }

  /**
   * Returns several records in one request: `POST /v1/servers/bulk`. The order is that of
   * `ids`, then `githubUrls`, then `names`.
   */
  bulk(params: BulkParams, options?: RequestOptions): APIPromise<BulkAnswer> {
    const request = { method: "POST", path: "/v1/servers/bulk", body: { ...params } } as const;
    return call(() => this.#transport.get(request, options));
  }

  /**
   * Returns the usage and popularity of a server: `GET /v1/servers/{id}/analytics`.
   *
   * @param id Slug, old slug, or name in the official registry.
   */
  analytics(id: string, params?: AnalyticsParams, options?: RequestOptions): APIPromise<Analytics> {
    const request = () => get(`/v1/servers/${segment("id", id)}/analytics`, params);
    return call(async () => this.#transport.get(request(), options));
  }

  /**
   * Returns the changes to a server's tools: `GET /v1/servers/{id}/tools/changes`.
   *
   * @param id Slug, old slug, or name in the official registry.
   */
  toolChanges(id: string, options?: RequestOptions): APIPromise<ToolChanges> {
    const request = () => get(`/v1/servers/${segment("id", id)}/tools/changes`);
    return call(async () => this.#transport.get(request(), options));
  }

  /**
   * Follows the changes to all servers, as full records: `GET /v1/changes`. To continue later,
   * iterate over the pages and store `page.body.next`. See `isDeleted`.
   */
  changes(
    params: RecordChangesParams = {},
    options?: RequestOptions,
  ): PagePromise<RecordChange, RecordChangePage> {
    const query = { ...params, fields: joined(params.fields) };
    return list(this.#transport, "changes", () => get("/v1/changes", query), options, CHANGES);
  }
}

/** The account of the key. */
export class Account {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns plan, limits and key: `GET /v1/account`. */
  retrieve(options?: RequestOptions): APIPromise<OwnAccount> {
    return call(() => this.#transport.get(get("/v1/account"), options));
  }

  /** Returns the calls by day, endpoint and key: `GET /v1/usage`. */
  usage(params: UsageParams = {}, options?: RequestOptions): APIPromise<Usage> {
    const request = () =>
      get("/v1/usage", { from: day("from", params.from), to: day("to", params.to) });
    return call(async () => this.#transport.get(request(), options));
  }

  /** Returns all plans, cheapest first: `GET /v1/plans`. */
  plans(options?: RequestOptions): APIPromise<Plans> {
    return call(() => this.#transport.get(get("/v1/plans"), options));
  }
}

/** Custom endpoints: saved searches. */
export class CustomEndpoints {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns all definitions, by name: `GET /v1/custom`. */
  list(options?: RequestOptions): APIPromise<Customs> {
    return call(() => this.#transport.get(get("/v1/custom"), options));
  }

  /** Runs a saved search: `GET /v1/custom/{name}`. */
  run(
    name: string,
    params?: CustomRunParams,
    options?: RequestOptions,
  ): PagePromise<PartialServer, CustomPage> {
    const request = () => get(`/v1/custom/${segment("name", name)}`, params);
    return list(this.#transport, "servers", request, options);
  }

  /**
   * Creates the URL of a custom endpoint as a view: `POST /v1/custom/{name}/view`. It replaces an
   * earlier one, and is only in this response. Reading it requires no key, so keep it secret.
   */
  createView(name: string, options?: RequestOptions): APIPromise<CustomView> {
    const path = () => `/v1/custom/${segment("name", name)}/view`;
    return call(async () =>
      this.#transport.get({ method: "POST", path: path(), once: true }, options),
    );
  }

  /** Returns a definition: `GET /v1/custom/{name}/definition`. */
  retrieve(name: string, options?: RequestOptions): APIPromise<Custom> {
    const request = () => get(definition(name));
    return call(async () => this.#transport.get(request(), options));
  }

  /**
   * Stores a definition, replacing one of the same name: `PUT /v1/custom/{name}/definition`.
   *
   * @param name 1 to 60 characters of a to z, 0 to 9 and -.
   */
  put(name: string, params: CustomPutParams, options?: RequestOptions): APIPromise<Custom> {
    const body = { ...params, sort: joined(params.sort) };
    return call(async () =>
      this.#transport.get({ method: "PUT", path: definition(name), body }, options),
    );
  }

  /**
   * Deletes a definition: `DELETE /v1/custom/{name}/definition`. If the connection fails after the
   * deletion, the retry throws NotFoundError.
   */
  delete(name: string, options?: RequestOptions): APIPromise<void> {
    return call(async () => {
      const request = { method: "DELETE", path: definition(name) } as const;
      return new APIResponse(undefined, await this.#transport.send(request, options));
    });
  }
}

/** A server that is no longer listed, in a change feed. */
export interface DeletedServer {
  id: string;
  status: "deleted";
  changedAt: string;
}

/** Reports whether a change is the removal of a server. */
export function isDeleted(change: ServerChange | RecordChange): change is DeletedServer {
  return change.status === "deleted";
}

function definition(name: string): string {
  return `/v1/custom/${segment("name", name)}/definition`;
}

function day(name: string, value: Date | string | undefined): string | undefined {
  if (!(value instanceof Date)) return value;
  if (Number.isNaN(value.getTime())) throw new CensusError(`${name} is not a valid date.`);
  return value.toISOString().slice(0, 10);
}
