import type { Filters, SearchSort } from "./filters.js";
import type {
  AnalyticsPeriodInterval,
  CategoryParam,
  DetailMemberParam,
  DirectorySort,
  DiscoverSort,
  SdkParam,
  SearchRequestMatch,
  WebhookEventTypeParam,
} from "./types.js";

/** Parameters of lists. */
export interface ListParams {
  /** Only servers in this category. */
  category?: CategoryParam | undefined;
  /** Full-text search over names, descriptions and tags. */
  search?: string | undefined;
  /** Whether all words of `search` must match, or some are enough. Default: some. */
  match?: SearchRequestMatch | undefined;
  /** Only servers that the vendor of the product publishes; false: only others. */
  official?: boolean | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
}

/** Parameters of `directory.list`. */
export interface DirectoryListParams extends ListParams {
  /** Order. Default: qualityScore, or relevance with `search`. */
  sort?: DirectorySort | undefined;
  /** Items to skip; not allowed with `cursor`. */
  offset?: number | undefined;
}

/** Parameters of `discover`. */
export interface DiscoverParams extends ListParams {
  /** Minimum health score, 0 to 100. Grade A starts at 80, B at 65. */
  minScore?: number | undefined;
  /** Order. Default: qualityScore, or relevance with `search`. */
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
   * Whether to wait until a running check is finished. With false, the result is a `Pending` for
   * `check`. Default: true.
   */
  waitUntilDone?: boolean | undefined;
  /** Maximum wait for a check in milliseconds; then APITimeoutError is thrown. Default: 300,000. */
  maxWait?: number | undefined;
}

/** Parameters of `search`. */
export interface SearchParams {
  /** Full-text search over names, descriptions, tags, tools, packages and READMEs. */
  q?: string | undefined;
  /** Whether all words of `q` must match, or some are enough. Default: some. */
  match?: SearchRequestMatch | undefined;
  /** Conditions, such as `{ category: "data", stars: { gte: 10 } }`. */
  filters?: Filters | undefined;
  /** Sort order, one or more fields. Default: relevance with `q`, otherwise qualityScore. */
  sort?: SearchSort | readonly SearchSort[] | undefined;
  /** Page number; not allowed with `cursor`. */
  page?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
  /**
   * Whether to count the values of category, sdk, license, transport, effect and grade over all
   * results, in `body.facets` of the page. Default: true.
   */
  facets?: boolean | undefined;
}

/** Parameters of `servers.list`. */
export interface ServersListParams extends ListParams {
  /** Only servers with this SDK. Accepts aliases such as py or ts. */
  sdk?: SdkParam | undefined;
  /** Page number; not allowed with `cursor`. */
  page?: number | undefined;
}

/** Parameters of `servers.bulk`. 1 to 100 entries in total. */
export interface BulkParams {
  /** Slugs. */
  ids?: readonly string[] | undefined;
  /** URLs of repositories. */
  githubUrls?: readonly string[] | undefined;
  /** Names in the official registry. */
  names?: readonly string[] | undefined;
  /** Members to return. Default: all. */
  fields?: readonly DetailMemberParam[] | undefined;
}

/** Parameters of `servers.analytics`. */
export interface AnalyticsParams {
  /** Length of the period. Default: 30d. */
  period?: "7d" | "30d" | "90d" | "1y" | undefined;
  /** Interval of the series. Default: day. */
  interval?: AnalyticsPeriodInterval | undefined;
}

/** Parameters of `account.usage`. Days are in UTC; strings are YYYY-MM-DD. */
export interface UsageParams {
  /** First day. Default: 29 days before `to`. */
  from?: Date | string | undefined;
  /** Last day. Default: today. */
  to?: Date | string | undefined;
}

/** Parameters of `custom.run`. */
export interface CustomRunParams {
  /** Page number; not allowed with `cursor`. */
  page?: number | undefined;
  /** Page size, 1 to 100. Default: the limit of the definition. */
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
  /** Sort order, one or more fields; see `search`. */
  sort?: SearchSort | readonly SearchSort[] | undefined;
  /** Members of the results. Default: those of list entries. */
  fields?: readonly DetailMemberParam[] | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Whether to count the values over all results. Default: false. */
  facets?: boolean | undefined;
}

/** Parameters of `directory.changes`. */
export interface ChangesParams {
  /** `next` of the previous page; 0 to start from the beginning. */
  after?: number | undefined;
  /** Page size, 1 to 50. Default: 50. */
  limit?: number | undefined;
}

/** Parameters of `servers.changes`. */
export interface RecordChangesParams {
  /** `next` of the previous page; 0 to start from the beginning. */
  after?: number | undefined;
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** Members to return in addition to `id` and `status`. Default: all. */
  fields?: readonly DetailMemberParam[] | undefined;
}

/** Parameters of `registry.versions`. */
export interface VersionsParams {
  /** Whether to include servers that were removed in the last 90 days. */
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
  /** Only records that changed at or after this time, including deleted ones. */
  updatedSince?: Date | string | undefined;
  /** Whether to include servers that were removed in the last 90 days. */
  includeDeleted?: boolean | undefined;
  /** Page size, 1 to 100. Default: 30. */
  limit?: number | undefined;
  /** Continues after the page with this `nextCursor`. */
  cursor?: string | undefined;
}

/** Parameters of `webhooks.create` and `webhooks.replace`. */
export interface WebhookParams {
  /** https URL with a public host name. */
  url: string;
  description?: string | null | undefined;
  /** Types of the events to send. Default: all. */
  events?: readonly WebhookEventTypeParam[] | null | undefined;
  /** IDs of servers. Default: all. */
  servers?: readonly string[] | null | undefined;
  /**
   * Name of a custom endpoint, for events of its servers only. Cannot be combined with `servers`.
   */
  search?: string | null | undefined;
  /** Default: true. */
  enabled?: boolean | null | undefined;
}

/** Parameters of `webhooks.deliveries`. */
export interface DeliveriesParams {
  /** Page size, 1 to 100. Default: 20. */
  limit?: number | undefined;
  /** `before` of the previous page. */
  before?: number | undefined;
}
