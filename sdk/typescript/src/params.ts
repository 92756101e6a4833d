import type { DirectorySort, DiscoverSort, Filters, SearchSort } from "./filters.js";
import type {
  AnalyticsPeriodInterval,
  Category,
  DetailMember,
  Sdk,
  WebhookEventType,
} from "./types.js";

/** Parameters of lists. */
export interface ListParams {
  /** Only servers in this category. */
  category?: Category | undefined;
  /** Full-text search over names, descriptions and tags. */
  search?: string | undefined;
  /** Only servers that the vendor of the product publishes; false: only others. */
  official?: boolean | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
}

/** Parameters of `directory.list`. */
export interface DirectoryListParams extends ListParams {
  /** Order. Default: qualityScore, or the best match first with `search`. */
  sort?: DirectorySort | undefined;
  /** Items to skip; not allowed with `cursor`. */
  offset?: number | undefined;
}

/** Parameters of `discover`. */
export interface DiscoverParams extends ListParams {
  /** Minimum health score, 0 to 100. From 80 on, servers are suitable for production. */
  minScore?: number | undefined;
  /** Order. Default: qualityScore, or the best match first with `search`. */
  sort?: DiscoverSort | undefined;
  /** Items to skip; not allowed with `cursor`. */
  offset?: number | undefined;
}

/** Parameters of `discoverTools`. */
export interface DiscoverToolsParams extends DiscoverParams {
  /** Whether entries are servers (the default) or individual tools. */
  level?: "server" | "tool" | undefined;
}

/** Parameters of `health`. One of `githubUrl` and `server` is required. */
export interface HealthParams {
  /** URL of a GitHub repository, with or without a folder, or owner/name. */
  githubUrl?: string | undefined;
  /** Slug, or name in the official registry; ignored with `githubUrl`. */
  server?: string | undefined;
  /**
   * Wait until a running check is finished. With false, the result is then a `Pending`, for
   * `check`. Default: true.
   */
  waitUntilDone?: boolean | undefined;
  /** Milliseconds to wait for a check; then APITimeoutError is thrown. Default: 300,000. */
  maxWait?: number | undefined;
}

/** Parameters of `search`. */
export interface SearchParams {
  /** Full-text search over names, descriptions, tags, tools and READMEs. */
  q?: string | undefined;
  /** Conditions, such as `{ category: "data", stars: { gte: 10 } }`. */
  filters?: Filters | undefined;
  /** Order, of one or several fields. Default: relevance with `q`, else qualityScore. */
  sort?: SearchSort | readonly SearchSort[] | undefined;
  /** Number of the page; not allowed with `cursor`. */
  page?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
  /**
   * Count the values of category, sdk, license, transport and grade over all results, into
   * `body.facets` of the page. Default: true.
   */
  facets?: boolean | undefined;
}

/** Parameters of `servers.list`. */
export interface ServersListParams extends ListParams {
  /** Only servers with this SDK, or its usual abbreviation such as py or ts. */
  sdk?: Sdk | undefined;
  /** Number of the page; not allowed with `cursor`. */
  page?: number | undefined;
}

/** Parameters of `servers.bulk`. Together there may be 1 to 100 entries. */
export interface BulkParams {
  /** Slugs. */
  ids?: readonly string[] | undefined;
  /** URLs of repositories. */
  githubUrls?: readonly string[] | undefined;
  /** Names in the official registry. */
  names?: readonly string[] | undefined;
  /** The members to return. Default: all. */
  fields?: readonly DetailMember[] | undefined;
}

/** Parameters of `servers.analytics`. */
export interface AnalyticsParams {
  /** Length of the period. Default: 30d. */
  period?: "7d" | "30d" | "90d" | "1y" | undefined;
  /** Interval of the series. Default: day. */
  interval?: AnalyticsPeriodInterval | undefined;
}

/** Parameters of `account.usage`. Days are in UTC; texts are YYYY-MM-DD. */
export interface UsageParams {
  /** First day. Default: 29 days before `to`. */
  from?: Date | string | undefined;
  /** Last day. Default: today. */
  to?: Date | string | undefined;
}

/** Parameters of `custom.run`. */
export interface CustomRunParams {
  /** Number of the page; not allowed with `cursor`. */
  page?: number | undefined;
  /** Page size, 1 to 100. Default: that of the definition. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
}

/** Parameters of `custom.put`. */
export interface CustomPutParams {
  /** Full-text search. */
  q?: string | undefined;
  /** Conditions. */
  filters?: Filters | undefined;
  /** Order, of one or several fields; see `search`. */
  sort?: SearchSort | readonly SearchSort[] | undefined;
  /** The members of the results. Default: list entries. */
  fields?: readonly DetailMember[] | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Count the values over all results. Default: false. */
  facets?: boolean | undefined;
}

/** Parameters of `directory.changes`. */
export interface ChangesParams {
  /** `next` of the last page; 0 for everything. */
  after?: number | undefined;
  /** Page size, 1 to 50. Default: 50. */
  limit?: number | undefined;
}

/** Parameters of `servers.changes`. */
export interface RecordChangesParams {
  /** `next` of the last page; 0 for everything. */
  after?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** The members to return, besides `id` and `status`. Default: all. */
  fields?: readonly DetailMember[] | undefined;
}

/** Parameters of `registry.versions`. */
export interface VersionsParams {
  /** Also find servers that were removed in the last 90 days. */
  includeDeleted?: boolean | undefined;
}

/** Parameters of `registry.retrieve`. */
export interface EntryParams extends VersionsParams {
  /** Default: latest. */
  version?: string | undefined;
}

/** Parameters of `registry.list`. */
export interface EntriesParams {
  /** Full-text search over names, titles, descriptions, tags and tools. */
  search?: string | undefined;
  /** `latest`, or an exact version. */
  version?: string | undefined;
  /** Only records that changed at or after this time, with deleted ones. */
  updatedSince?: Date | string | undefined;
  /** Include servers that were removed in the last 90 days. */
  includeDeleted?: boolean | undefined;
  /** Page size, 1 to 100. Default: 30. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
}

/** Parameters of `webhooks.create` and `webhooks.replace`. */
export interface WebhookParams {
  /** https, with a public host name. */
  url: string;
  description?: string | null | undefined;
  /** Types of the events to send. Default: all. */
  events?: readonly WebhookEventType[] | null | undefined;
  /** IDs of servers. Default: all. */
  servers?: readonly string[] | null | undefined;
  /** Name of a custom endpoint: only events of its servers. Not together with `servers`. */
  search?: string | null | undefined;
  /** Default: true. */
  enabled?: boolean | null | undefined;
}

/** Parameters of `webhooks.deliveries`. */
export interface DeliveriesParams {
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** `before` of the last page. */
  before?: number | undefined;
}
