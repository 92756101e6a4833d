import type { RequestOptions } from "./options.js";
import { ENTRIES, list, type PagePromise } from "./pages.js";
import type { EntriesParams, EntryParams, VersionsParams } from "./params.js";
import { type APIPromise, call } from "./promise.js";
import { get, segment, time } from "./request.js";
import type { Transport } from "./transport.js";
import type {
  ManagedSettings,
  OfficialMeta,
  RegistryAppVersion,
  RegistryHealth,
  RegistryMeta,
  RegistryPing,
  ServerEntry,
  ServerEntryList,
  ServerJSON,
  ValidationResult,
  Views,
} from "./types.js";

/** Records of all servers, or of a view, in the format of the official registry. */
export class Entries {
  readonly #transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string) {
    this.#transport = transport;
    this.#path = path;
  }

  /** Lists records by name, or by relevance with `search`: `GET /v0.1/servers`. */
  list(
    params: EntriesParams = {},
    options?: RequestOptions,
  ): PagePromise<ServerEntry, ServerEntryList> {
    const request = () => {
      const { updatedSince, includeDeleted: include_deleted, ...rest } = params;
      const updated_since = time("updatedSince", updatedSince);
      return get(`${this.#path}/servers`, { ...rest, updated_since, include_deleted });
    };
    return list(this.#transport, "servers", request, options, ENTRIES);
  }

  /**
   * Returns the versions of a server, latest first: `GET /v0.1/servers/{name}/versions`.
   */
  versions(
    name: string,
    params: VersionsParams = {},
    options?: RequestOptions,
  ): APIPromise<ServerEntryList> {
    const query = { include_deleted: params.includeDeleted };
    const request = () => get(`${this.#path}/servers/${segment("name", name)}/versions`, query);
    return call(async () => this.#transport.get(request(), options));
  }

  /**
   * Returns a record: `GET /v0.1/servers/{name}/versions/{version}`. The NotFoundError for an
   * unknown name has candidates; `list` with `search` finds others.
   */
  retrieve(
    name: string,
    params: EntryParams = {},
    options?: RequestOptions,
  ): APIPromise<ServerEntry> {
    const { version = "latest", includeDeleted: include_deleted } = params;
    const request = () => {
      const path = `${segment("name", name)}/versions/${segment("version", version)}`;
      return get(`${this.#path}/servers/${path}`, { include_deleted });
    };
    return call(async () => this.#transport.get(request(), options));
  }
}

/** The registry through the official registry's API, under /v0.1. No key required. */
export class Registry extends Entries {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super(transport, "/v0.1");
    this.#transport = transport;
  }

  /** Returns the built-in views: `GET /r`. */
  views(options?: RequestOptions): APIPromise<Views> {
    return call(() => this.#transport.get(get("/r"), options));
  }

  /**
   * Returns a view. It sends no request.
   *
   * @param name A built-in view, such as healthy, or the token of a custom endpoint.
   */
  view(name: string): RegistryView {
    return new RegistryView(this.#transport, `/r/${segment("name", name)}`);
  }

  /**
   * Checks a server.json: `POST /v0.1/validate`. A document with errors is a result, not an error.
   */
  validate(document: object, options?: RequestOptions): APIPromise<ValidationResult> {
    const request = { method: "POST", path: "/v0.1/validate", body: document } as const;
    return call(() => this.#transport.get(request, options));
  }

  /** Returns whether the API responds: `GET /v0.1/ping`. */
  ping(options?: RequestOptions): APIPromise<RegistryPing> {
    return call(() => this.#transport.get(get("/v0.1/ping"), options));
  }

  /** Returns the state of the API: `GET /v0.1/health`. */
  health(options?: RequestOptions): APIPromise<RegistryHealth> {
    return call(() => this.#transport.get(get("/v0.1/health"), options));
  }

  /** Returns the version of the registry: `GET /v0.1/version`. */
  version(options?: RequestOptions): APIPromise<RegistryAppVersion> {
    return call(() => this.#transport.get(get("/v0.1/version"), options));
  }
}

/** The servers of a view: the best results of a stored query. */
export class RegistryView extends Entries {
  readonly #transport: Transport;
  readonly #path: string;

  /** @internal */
  constructor(transport: Transport, path: string) {
    super(transport, path + "/v0.1");
    this.#transport = transport;
    this.#path = path;
  }

  /** Returns the server.json of all servers of the view: `GET /r/{view}/servers.json`. */
  documents(options?: RequestOptions): APIPromise<ServerJSON[]> {
    return call(() => this.#transport.array(get(`${this.#path}/servers.json`), options));
  }

  /**
   * Returns managed settings for clients that allow the servers of the view: `GET
   * /r/{view}/managed-settings.json`.
   */
  managedSettings(options?: RequestOptions): APIPromise<ManagedSettings> {
    const request = get(`${this.#path}/managed-settings.json`);
    return call(() => this.#transport.get(request, options));
  }
}

const OFFICIAL = "io.modelcontextprotocol.registry/official";

/** Returns the metadata in the format of the official registry, such as the status, or null. */
export function officialMeta(entry: ServerEntry): OfficialMeta | null {
  return (entry._meta?.[OFFICIAL] as OfficialMeta | undefined) ?? null;
}

/**
 * Returns the registry's metadata of a server, such as score, tools and flags; null for deleted
 * servers.
 */
export function registryMeta(entry: ServerEntry): RegistryMeta | null {
  const own = (name: string) => name !== OFFICIAL && name.endsWith("/server");
  const found = Object.entries(entry._meta ?? {}).find(([name]) => own(name));
  return (found?.[1] as RegistryMeta | undefined) ?? null;
}
