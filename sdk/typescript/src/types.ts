// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.

/** Exactly one of `serverUrl` and `serverCommand` is present. */
export interface AllowedServer {
  serverCommand?: string[];
  serverUrl?: string;
}

export interface Analytics {
  server: string;
  period: AnalyticsPeriod;
  totals: AnalyticsTotals;
  trends: AnalyticsTrends;
  rank: AnalyticsRank;
  series: AnalyticsSeriesEntry[];
}

export interface AnalyticsPeriod {
  from: string;
  to: string;
  interval: AnalyticsPeriodInterval;
}

export type AnalyticsPeriodInterval =
  | "day"
  | "week"
  | (string & {});

export interface AnalyticsRank {
  overall: number | null;
  category: number | null;
  /** Share of listed servers with a lower rank. */
  percentile: number | null;
  by: string;
}

export interface AnalyticsSeriesEntry {
  /** For weeks: Monday, or the first day of the period. */
  date: string;
  stars: number | null;
  forks: number | null;
  /** Downloads on the day or in the week; null unless known for every package and day. */
  downloads: number | null;
  score: number | null;
  views: number | null;
  apiHits: number | null;
  searchImpressions: number | null;
  healthChecks: number | null;
  installClicks: number | null;
  badgeViews: number | null;
}

export interface AnalyticsTotals {
  stars: number | null;
  forks: number | null;
  /** Of the last 30 days. Other registry types that the server publishes to are members too. */
  downloads: AnalyticsTotalsDownloads;
  /** Events counted by this registry in the period. */
  directory: AnalyticsTotalsDirectory;
}

/** Events counted by this registry in the period. */
export interface AnalyticsTotalsDirectory {
  views: number | null;
  apiHits: number | null;
  searchImpressions: number | null;
  healthChecks: number | null;
  installClicks: number | null;
  badgeViews: number | null;
}

/** Of the last 30 days. Other registry types that the server publishes to are members too. */
export interface AnalyticsTotalsDownloads {
  /** Of all packages. */
  total: number | null;
  npm: number | null;
  pypi: number | null;
  oci: number | null;
  [name: string]: unknown;
}

export interface AnalyticsTrends {
  stars: Trend;
  downloads: Trend;
  score: AnalyticsTrendsScore;
}

export interface AnalyticsTrendsScore {
  delta: number | null;
}

export interface Argument {
  type: string;
  choices?: string[];
  default?: string;
  description?: string;
  format?: string;
  isRepeated?: boolean;
  isRequired?: boolean;
  isSecret?: boolean;
  name?: string;
  /** An example value. */
  placeholder?: string;
  value?: string;
  valueHint?: string;
  /** Variables for the {names} in the value. */
  variables?: Record<string, Variable>;
}

export interface BulkAnswer {
  servers: PartialServer[];
  notFound: string[];
  count: number;
}

export interface BulkRequest {
  /** Members to return. Default: all. */
  fields?: DetailMemberParam[] | null;
  /** URLs of repositories. */
  githubUrls?: string[] | null;
  /** Slugs. */
  ids?: string[] | null;
  /** Names in the official registry. */
  names?: string[] | null;
}

export interface Cap {
  id: string;
  max: number;
  reason: string;
  /** Whether it lowered this score. */
  applied: boolean;
  /**
   * Source of the reason, as of a risk. Null if it follows from the results of all checks or
   * is unknown.
   */
  source: string | null;
  /** When the source was read. */
  at: string | null;
}

/**
 * What the server can do when it is started with its default settings. Absent members are not
 * known to be used.
 */
export interface Capabilities {
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect: Effect;
  /** Whether the effect follows only from names and parameters. */
  guessed: boolean;
  /** Number of tools with this effect. */
  read: number;
  write: number;
  destructive: number;
  execute: number;
  unknown: number;
  /** Whether all tools are counted. */
  complete: boolean;
  /** Names of secrets that it accepts: variables, arguments and headers. */
  secrets: string[];
  /** Operations on files. */
  files?: SourceUse[];
  hosts?: HostUse[];
  /** Operations that listen on a port. */
  listens?: SourceUse[];
  /** Operations that start processes. */
  processes?: SourceUse[];
  /** The setting that makes a command or an endpoint read-only. */
  readOnly?: ReadOnlySwitch;
  readOnlyDefault?: boolean;
  /** The setting that makes a command or an endpoint read-only. */
  readOnlyEndpoint?: ReadOnlySwitch;
  /** How much source code was read. Only with `whole` is what is absent not used. */
  sourceRead?: CapabilitiesSourceRead;
  /** Libraries that report usage or errors. */
  telemetry?: SourceUse[];
}

/** How much source code was read. Only with `whole` is what is absent not used. */
export type CapabilitiesSourceRead =
  | "whole"
  | "part"
  | (string & {});

export interface Categories {
  categories: CategoryCount[];
  /** Number of listed servers. */
  total: number;
}

export type Category =
  | "database"
  | "tools"
  | "communication"
  | "integration"
  | "api"
  | "security"
  | "analytics"
  | "automation"
  | "data"
  | "productivity"
  | (string & {});

export interface CategoryCount {
  id: Category;
  name: string;
  description: string;
  count: number;
}

export type CategoryParam =
  | "database"
  | "tools"
  | "communication"
  | "integration"
  | "api"
  | "security"
  | "analytics"
  | "automation"
  | "data"
  | "productivity";

export interface ChangePage {
  /** Servers, in the order of their last changes. */
  changes: ServerChange[];
  /** Value of `after` for the next request. */
  next: number;
  hasMore: boolean;
}

export interface Check {
  id: string;
  name: string;
  /** Outcome of the check. */
  result: CheckResult;
  state: CheckState;
  /** Points earned. */
  points: number;
  /** Points available. */
  max: number;
  /** Explanation of the result. */
  reason: string;
  evidence: Evidence[];
  /** How to pass the check; null if there is nothing to fix. */
  fix: string | null;
  /** Source of the fact; null if unknown. */
  source: string | null;
  /** When the fact was observed; null if unknown. */
  observedAt: string | null;
  /** Path of the documentation of the check. */
  docs: string;
}

/** Outcome of the check. */
export type CheckResult =
  | "pass"
  | "partial"
  | "fail"
  | "unknown"
  | "notApplicable"
  | (string & {});

export type CheckState =
  | "ok"
  | "unknown"
  | "na"
  | "withheld"
  | (string & {});

export type Confidence =
  | "high"
  | "medium"
  | "low"
  | (string & {});

export interface Custom {
  name: string;
  q: string | null;
  /**
   * Fields: category, sdk, language, framework, tags, license, transport, type (remote or
   * package), liveness (alive, gated, down, unknown), registryType, owner, source, risks
   * (kinds of risks), effect, readOnly, secrets (whether it accepts any), status, official,
   * verified, copy, archived, grade, qualityScore, minScore (qualityScore gte), popularity,
   * stars, downloads, toolCount, toolTokens, tools, updatedAt, createdAt. At most 16 kB, 40
   * conditions and 100 values per list. Numbers are at least 0.
   */
  filters: Record<string, unknown>;
  sort: string | null;
  /** Members of the records; null means those of a list entry. */
  fields: DetailMember[] | null;
  limit: number;
  facets: boolean;
  createdAt: string;
  updatedAt: string;
  links: CustomLinks;
}

export interface CustomLinks {
  self: string;
  definition: string;
}

export interface CustomPage {
  /** List entries, or the members listed in the definition. */
  servers: PartialServer[];
  pagination: PageNumbers;
  name: string;
  query: string | null;
  sort: string;
  /** Number of results by value. Null if not requested. */
  facets: Facets | null;
  tookMs: number;
  /**
   * What there is to know about a search: the index is unavailable, so that READMEs and tool
   * descriptions are not searched; a misspelled word was corrected; some servers match only
   * some words of the text.
   */
  warnings?: string[];
}

export interface CustomRequest {
  /** Whether to count values over all results. Default: false. */
  facets?: boolean | null;
  /** Members of the results. Default: those of a list entry. */
  fields?: DetailMemberParam[] | null;
  /** Conditions that must all match. */
  filters?: Record<string, unknown> | null;
  /** Page size. Default: 20. */
  limit?: number | null;
  /** Full-text search over names, descriptions, tags, tools, packages and READMEs. */
  q?: string | null;
  /** Sort order, such as `-stars,name`; see GET /v1/search. */
  sort?: string | null;
}

export interface CustomView {
  url: string;
}

export interface Customs {
  customs: Custom[];
  count: number;
  max: number;
}

export type DetailMember =
  | "id"
  | "slug"
  | "name"
  | "registryName"
  | "title"
  | "description"
  | "descriptionSource"
  | "kind"
  | "category"
  | "categoryConfidence"
  | "secondCategory"
  | "tags"
  | "sdk"
  | "framework"
  | "language"
  | "license"
  | "licenseSource"
  | "qualityScore"
  | "healthScore"
  | "grade"
  | "popularity"
  | "scoreVersion"
  | "scoreLow"
  | "scoreHigh"
  | "coverage"
  | "confidence"
  | "commitChance"
  | "stars"
  | "forks"
  | "openIssues"
  | "contributors"
  | "downloads"
  | "downloadsPeriod"
  | "downloadsBreakdown"
  | "downloadsAt"
  | "repository"
  | "homepage"
  | "icon"
  | "owner"
  | "transports"
  | "packages"
  | "remotes"
  | "liveness"
  | "livenessAt"
  | "environmentVariables"
  | "tools"
  | "toolCount"
  | "toolsKnown"
  | "toolTokens"
  | "toolList"
  | "effect"
  | "effectGuessed"
  | "readOnly"
  | "capabilities"
  | "suspiciousRules"
  | "suspiciousTexts"
  | "risks"
  | "install"
  | "status"
  | "statusMessage"
  | "successor"
  | "official"
  | "officialReason"
  | "copyOf"
  | "lookAlikeOf"
  | "copyReason"
  | "copySince"
  | "verified"
  | "verifiedReason"
  | "latestVersion"
  | "latestVersionSource"
  | "releasedAt"
  | "sources"
  | "createdAt"
  | "updatedAt"
  | "checkedAt"
  | "lastCommitAt"
  | "lastCrawledAt"
  | "scoredAt"
  | "links"
  | (string & {});

export type DetailMemberParam =
  | "id"
  | "slug"
  | "name"
  | "registryName"
  | "title"
  | "description"
  | "descriptionSource"
  | "kind"
  | "category"
  | "categoryConfidence"
  | "secondCategory"
  | "tags"
  | "sdk"
  | "framework"
  | "language"
  | "license"
  | "licenseSource"
  | "qualityScore"
  | "healthScore"
  | "grade"
  | "popularity"
  | "scoreVersion"
  | "scoreLow"
  | "scoreHigh"
  | "coverage"
  | "confidence"
  | "commitChance"
  | "stars"
  | "forks"
  | "openIssues"
  | "contributors"
  | "downloads"
  | "downloadsPeriod"
  | "downloadsBreakdown"
  | "downloadsAt"
  | "repository"
  | "homepage"
  | "icon"
  | "owner"
  | "transports"
  | "packages"
  | "remotes"
  | "liveness"
  | "livenessAt"
  | "environmentVariables"
  | "tools"
  | "toolCount"
  | "toolsKnown"
  | "toolTokens"
  | "toolList"
  | "effect"
  | "effectGuessed"
  | "readOnly"
  | "capabilities"
  | "suspiciousRules"
  | "suspiciousTexts"
  | "risks"
  | "install"
  | "status"
  | "statusMessage"
  | "successor"
  | "official"
  | "officialReason"
  | "copyOf"
  | "lookAlikeOf"
  | "copyReason"
  | "copySince"
  | "verified"
  | "verifiedReason"
  | "latestVersion"
  | "latestVersionSource"
  | "releasedAt"
  | "sources"
  | "createdAt"
  | "updatedAt"
  | "checkedAt"
  | "lastCommitAt"
  | "lastCrawledAt"
  | "scoredAt"
  | "links";

export type DirectorySort =
  | "qualityScore"
  | "recommended"
  | "stars"
  | "downloads"
  | "name"
  | "updated"
  | "created";

export type DiscoverSort =
  | "qualityScore"
  | "stars"
  | "downloads";

export interface Dump {
  /** UTC. */
  date: string;
  bytes: number;
  sha256: string;
  url: string;
}

export interface Dumps {
  dumps: Dump[];
}

/**
 * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
 * send something (`write`), change, overwrite or delete something that exists (`destructive`,
 * as in MCP), or run commands or code of its caller.
 */
export type Effect =
  | "unknown"
  | "read"
  | "write"
  | "destructive"
  | "execute"
  | (string & {});

/** A remote endpoint, as in lists. */
export interface Endpoint {
  type: string;
  url: string;
  /** Result of probing the endpoint; null if it was not probed. */
  liveness: Liveness | null;
}

export type EndpointState =
  | "alive_open"
  | "alive_gated"
  | "gated_undocumented"
  | "wrong_transport"
  | "not_mcp"
  | "paid"
  | "refused"
  | "unreachable"
  | "unknown"
  | (string & {});

export interface EntryLinks {
  html: string;
  health: string;
  readme: string | null;
}

/** Best state of any remote, with the time and uptime of the first remote in that state. */
export interface EntryLiveness {
  state: string;
  checkedAt: string | null;
  /** Share of successful probes in the last 30 days; null if there were none. */
  uptime30: number | null;
  /** Number of probes in the last 30 days. */
  probes: number;
}

export interface EntryMetadata {
  /** Records on this page. */
  count: number;
  /** Absent on the last page. */
  nextCursor?: string;
}

export interface EntryTools {
  count: number | null;
  tokens: number | null;
  fingerprint: string | null;
  source: string | null;
  /** Server version that the tools belong to. */
  version: string | null;
  readAt: string | null;
  /** Whether all tools are known. */
  complete: boolean | null;
}

export interface Evidence {
  type: string;
  ref: string;
  url: string | null;
  text?: string;
}

/** Number of results by value. Null if not requested. */
export interface Facets {
  category: Record<string, number>;
  sdk: Record<string, number>;
  license: Record<string, number>;
  transport: Record<string, number>;
  effect: Record<string, number>;
  grade: Record<string, number>;
}

export interface FieldError {
  field: string;
  message: string;
}

/** Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30. */
export type Grade =
  | "A"
  | "B"
  | "C"
  | "D"
  | "F"
  | (string & {});

export interface Health {
  /** Slug; null if the server is not listed. */
  server: string | null;
  /** URL of the repository. */
  githubUrl: string | null;
  /** Folder of the server in the repository; null for the root. */
  subfolder: string | null;
  /** Whether the server is listed. */
  indexed: boolean;
  /** Null if the code host blocks the repository. */
  isMcpServer: boolean | null;
  /** What the repository contains; null if unknown. */
  kind: Kind | null;
  /** Whether the vendor of the product publishes the server; null if there is no server. */
  official: boolean | null;
  status: HealthStatus;
  /** Health score, 0 to 100; null if there is none. */
  score: number | null;
  /** Grade of the health score; null without a score. */
  grade: Grade | null;
  /** Score if all unknown checks failed. */
  scoreLow: number | null;
  /** Score if all unknown checks passed. */
  scoreHigh: number | null;
  /** Share of the weight of the checks that was measured, 0 to 1. */
  coverage: number | null;
  confidence: Confidence | null;
  /**
   * Estimated probability of a commit by a person in the next 90 days: the share of similar
   * servers that had one. Not part of the score. Null if unknown or if the repository is
   * archived. See docs/scoring.md.
   */
  commitChance: number | null;
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity: number | null;
  /** Version of the score model. */
  scoreVersion: string | null;
  /** Commit that was checked; null if unknown. */
  commit: string | null;
  /** When the score was computed. */
  computedAt: string | null;
  /** Categories with their checks. */
  breakdown: HealthCategory[];
  /** Upper limits on the score. */
  caps: Cap[];
  /** Flags of the report; see docs/scoring.md. */
  flags: string[];
  risks: Risk[];
  /**
   * Latest published or released version, otherwise the version in the manifest; null if
   * unknown.
   */
  latestVersion: string | null;
  /**
   * Source of the latest version and when it was read. The source is the registry type of a
   * package, such as npm, or release or tag (of the repository), official-registry (the entry)
   * or manifest (in the repository).
   */
  latestVersionSource: VersionSource | null;
  /**
   * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
   * rules, not verdicts.
   */
  suspiciousTexts: SuspiciousText[];
  /** Results of starting the packages in a sandbox; empty if none was started. */
  inspections: PackageInspection[];
  /** Fixes that raise the score, largest gain first. */
  improve: Improvement[];
  links: HealthLinks;
  /** Whether the report is outdated because the repository could not be rechecked. */
  stale: boolean;
  /** Problems with the request, such as ignored parameters. */
  warnings: string[];
  /** Servers of the repository, if it has several and the URL does not select one. */
  members?: Member[];
  /** Why a repository that is not listed does or does not count as an MCP server. */
  reason?: string;
}

export interface HealthCategory {
  category: string;
  weight: number;
  /**
   * Score of the category; null if no check applies, or if less than 35% of its weight was
   * measured.
   */
  score: number | null;
  coverage: number;
  checks: Check[];
}

export interface HealthLinks {
  self: string | null;
  history: string | null;
  badge: string | null;
  html: string | null;
}

export type HealthStatus =
  | "scored"
  | "insufficient_data"
  | "gone"
  | "empty"
  | "blocked"
  | (string & {});

export interface HostUse {
  host: string;
  /** A place in the source code. */
  evidence?: string;
  /** Whether the server looked it up in the sandbox. */
  seen?: boolean;
}

export interface Improvement {
  check: string;
  gain: number;
  text: string;
}

/**
 * Result of starting a package in a sandbox, without network access and with made-up values.
 * The check starts of the score uses it. Absent from a package that was not started.
 */
export interface Inspection {
  outcome: InspectionOutcome;
  /** When the package was started. */
  at: string | null;
  /** Last line of its error output, shortened. */
  detail?: string;
  /**
   * Host names that it looked up at startup, before any tool was called. Excludes lookups that
   * bypass the system resolver, and lookups by container images.
   */
  hosts?: string[];
  /** Number of prompts. */
  prompts?: number;
  /** MCP protocol revision. */
  protocol?: string;
  /** Number of resources. */
  resources?: number;
  /** Version that was started. */
  version?: string;
}

export type InspectionOutcome =
  | "listed"
  | "needs_credentials"
  | "needs_service"
  | "crashed"
  | "timeout"
  | "no_stdio"
  | "install_failed"
  | (string & {});

export interface Install {
  /** Command that starts the server. */
  command: string | null;
  /** Why there is no command. */
  reason: string | null;
  /**
   * Sentences: endpoints where users sign in with OAuth, and what documents say that the
   * command leaves out.
   */
  notes: string[];
  /**
   * Configuration by client. `mcpServers` is for most, with placeholders (YOUR_NAME) for
   * values to fill in; others only have ones that their client expands. `windows` has those
   * that differ there.
   */
  clients: Record<string, unknown>;
  /** `read-only` or `full`, of the command or else of the endpoint; null if unknown. */
  access: string | null;
  /** `command` and `clients` with the other access. */
  alternative: Record<string, unknown> | null;
}

export type KeyScope =
  | "read"
  | "analytics"
  | "custom"
  | "webhooks"
  | (string & {});

/**
 * What a repository contains. server, or proxy for a server that passes on to other servers.
 * Others are not listed: framework for writing servers, template or generator of servers,
 * client or tool for servers, library for other programs, list of servers, course (also
 * documentation and examples).
 */
export type Kind =
  | "server"
  | "proxy"
  | "framework"
  | "template"
  | "client"
  | "library"
  | "list"
  | "course"
  | (string & {});

/** URLs relative to the base URL. */
export interface Links {
  /** The complete record. */
  self: string;
  html: string;
  health: string;
  badge: string;
}

/** Result of probing the endpoint; null if it was not probed. */
export interface Liveness {
  state: EndpointState;
  /** When the state was last observed. */
  checkedAt: string | null;
  /** When its summary state (alive, gated, down or unknown) last changed. */
  since: string | null;
  /**
   * When the endpoint was first probed; null if unknown. If since is the same, the state may
   * be older.
   */
  firstProbeAt: string | null;
  /** Share of successful probes in the last 30 days; null if there were none. */
  uptime30: number | null;
  /** Number of probes in the last 30 days. */
  probes: number;
  /** MCP protocol revision. */
  protocol?: string;
  /** Cause of the state, such as dns, tls, timeout, connection or "status 503". */
  reason?: string;
}

export interface ManagedSettings {
  allowedMcpServers: AllowedServer[];
}

export interface Member {
  /** Slug; null if the server is not listed. */
  server: string | null;
  name: string;
  subfolder: string | null;
  score: number | null;
  /** Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30. */
  grade: Grade | null;
  /** When the score was computed. */
  computedAt: string | null;
  /** URL of the server's health report. */
  health: string | null;
}

export interface NumberedPage {
  servers: Server[];
  pagination: PageNumbers;
  /**
   * What there is to know about a search: the index is unavailable, so that READMEs and tool
   * descriptions are not searched; a misspelled word was corrected; some servers match only
   * some words of the text.
   */
  warnings?: string[];
}

/** Metadata of a version, in the format of the official registry. */
export interface OfficialMeta {
  status: OfficialMetaStatus;
  statusChangedAt: string;
  /** When the version was published or, if unknown, when the server was first listed here. */
  publishedAt: string;
  isLatest: boolean;
  statusMessage?: string;
  /** When the record last changed in this registry. */
  updatedAt?: string;
}

export type OfficialMetaStatus =
  | "active"
  | "deprecated"
  | "deleted"
  | (string & {});

export interface OwnAccount {
  plan: OwnAccountPlan;
  limits: OwnAccountLimits;
  key: OwnAccountKey;
}

export interface OwnAccountKey {
  id: number;
  name: string | null;
  prefix: string | null;
  expiresAt: string | null;
  /** Permissions of the key. */
  scopes: KeyScope[];
  /** IP addresses and networks that may use the key. Empty means all. */
  addresses: string[];
}

export interface OwnAccountLimits {
  /** Requests per UTC day; null if unlimited. */
  limit: number | null;
  /** Requests made today, including this one. */
  used: number | null;
  remaining: number | null;
  resetAt: string;
  /** `resetAt` as a Unix timestamp in seconds, as in X-RateLimit-Reset. */
  reset: number;
}

export interface OwnAccountPlan {
  id: PlanId;
  name: string;
  /** Price per month in US dollars. */
  priceUsd: number;
  /** Requests to /v1 per UTC day and account; null if unlimited. */
  requestsPerDay: number | null;
  /** Requests to /api per UTC hour with a key of the account; null if unlimited. */
  requestsPerHour: number | null;
  features: OwnAccountPlanFeatures;
  /** Features of the plan, and promises of the operator. */
  includes: string[];
  /** Whether the plan is available: it is free, or the operator sells it. */
  offered: boolean;
  /** When the plan ends; null if it renews or has no end. */
  until: string | null;
  /** Plan after `until`; null if unchanged. */
  next: string | null;
}

export interface OwnAccountPlanFeatures {
  analytics: boolean;
  bulk: boolean;
  changes: boolean;
  customEndpoints: boolean;
}

export interface Owner {
  login: string;
  type: string | null;
  /**
   * URL of the avatar, served by this registry. A picture of the first letter if there is no
   * avatar.
   */
  avatarUrl: string | null;
}

export interface Package {
  registryType: string;
  identifier: string;
  transport: PackageTransport;
  environmentVariables?: Variable[];
  fileSha256?: string;
  /**
   * Result of starting a package in a sandbox, without network access and with made-up values.
   * The check starts of the score uses it. Absent from a package that was not started.
   */
  inspection?: Inspection;
  packageArguments?: Argument[];
  registryBaseUrl?: string;
  runtimeArguments?: Argument[];
  runtimeHint?: string;
  version?: string;
}

export interface PackageInspection {
  registryType: string;
  identifier: string;
  /**
   * Result of starting a package in a sandbox, without network access and with made-up values.
   * The check starts of the score uses it. Absent from a package that was not started.
   */
  inspection: Inspection;
}

export interface PackageTransport {
  type: string;
  headers?: Variable[];
  url?: string;
}

export interface PageNumbers {
  /** Page number. With a cursor, the page that contains the first returned entry. */
  page: number;
  limit: number;
  /** Exact number of results. */
  total: number;
  /** Number of pages that can be requested. With a search text, results end at the 10,000th. */
  totalPages: number;
  hasNext: boolean;
  hasPrev: boolean;
  nextCursor: string | null;
}

export interface Pagination {
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
  nextOffset: number | null;
  nextCursor: string | null;
}

/** The requested members of a record. */
export interface PartialServer {
  /**
   * What the server can do when it is started with its default settings. Absent members are
   * not known to be used.
   */
  capabilities?: Capabilities;
  /** Best-matching category. */
  category?: Category;
  /** Confidence in category, 0 to 1. */
  categoryConfidence?: number;
  /** Same as lastCrawledAt, as in lists. */
  checkedAt?: string | null;
  /**
   * Estimated probability of a commit by a person in the next 90 days: the share of similar
   * servers that had one. Not part of the score. Null if unknown or if the repository is
   * archived. See docs/scoring.md.
   */
  commitChance?: number | null;
  confidence?: Confidence | null;
  /** Number of people with a commit on the default branch in the last 26 weeks. */
  contributors?: number | null;
  /**
   * Slug of the original, if this server looks like a copy of an older server of another
   * owner; otherwise null.
   */
  copyOf?: string | null;
  /** Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set. */
  copyReason?: string | null;
  /** When copyOf or lookAlikeOf was first set; null if neither is. */
  copySince?: string | null;
  /** Share of the weight of the checks that was measured, 0 to 1. */
  coverage?: number | null;
  /** When the repository was created. */
  createdAt?: string | null;
  description?: string | null;
  /** composed if made of the name and the tools. */
  descriptionSource?: string | null;
  /** Downloads of all packages in the last 30 days. */
  downloads?: number | null;
  /** When the oldest of the download counts was read. */
  downloadsAt?: string | null;
  /** Downloads by registry type. */
  downloadsBreakdown?: Record<string, number | null>;
  downloadsPeriod?: string;
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect?: Effect;
  /** Whether the effect follows only from names, descriptions and parameters. */
  effectGuessed?: boolean;
  /** Environment variables of all packages. */
  environmentVariables?: Variable[];
  /** Forks of the repository. */
  forks?: number | null;
  /** Server framework. */
  framework?: string | null;
  /** Grade of the health score; null without a score. */
  grade?: Grade | null;
  /** Same as qualityScore. */
  healthScore?: number | null;
  /** URL of the website. */
  homepage?: string | null;
  /** URL of the icon; null if there is none. */
  icon?: string | null;
  /** Slug of the server, unique in this registry. */
  id?: string;
  install?: Install;
  /** server or proxy. */
  kind?: Kind | null;
  /** Main programming language. */
  language?: string | null;
  /** When a person last committed. */
  lastCommitAt?: string | null;
  /** When the repository was last crawled; null if it was not. */
  lastCrawledAt?: string | null;
  /** Latest published or released version, otherwise the version in the manifest. */
  latestVersion?: string | null;
  /**
   * Source of the latest version and when it was read. The source is the registry type of a
   * package, such as npm, or release or tag (of the repository), official-registry (the entry)
   * or manifest (in the repository).
   */
  latestVersionSource?: VersionSource | null;
  /** License, usually an SPDX identifier. */
  license?: string | null;
  /** Code host that read the license file, such as github, or manifest. */
  licenseSource?: string | null;
  /** URLs relative to the base URL. */
  links?: Links;
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness?: ServerLiveness | null;
  /** When that endpoint was last probed. */
  livenessAt?: string | null;
  /** Slug of the better-known server whose name or namespace this one imitates; otherwise null. */
  lookAlikeOf?: string | null;
  /** Display name. */
  name?: string;
  /** Whether the vendor of the product publishes the server. */
  official?: boolean;
  /** Evidence that the server is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  /** Open issues, without pull requests. */
  openIssues?: number | null;
  owner?: Owner | null;
  /** Published packages, as in the official server.json (schema 2025-12-11). */
  packages?: Package[];
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity?: number | null;
  /** Health score, 0 to 100; null if the server has none. */
  qualityScore?: number | null;
  /**
   * Whether it can be used read-only: it only reads, or has a switch for that. Null if
   * unknown.
   */
  readOnly?: boolean | null;
  /** Name in the official registry; null if there is none. */
  registryName?: string | null;
  /** When the latest version was released. */
  releasedAt?: string | null;
  remotes?: Remote[];
  repository?: RepositoryDetail;
  /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
  risks?: Risk[];
  /** Score if all unknown checks passed. */
  scoreHigh?: number | null;
  /** Score if all unknown checks failed. */
  scoreLow?: number | null;
  /** Version of the score model. */
  scoreVersion?: string | null;
  /** When the score was computed; null without a score. */
  scoredAt?: string | null;
  /** MCP SDK, from the dependency manifests; null if unknown. */
  sdk?: Sdk | null;
  /** Second-best category if the first is uncertain. */
  secondCategory?: Category | null;
  /** Same as id. */
  slug?: string;
  /** Sources that list the server. */
  sources?: Source[];
  /** Stars of the repository. */
  stars?: number | null;
  status?: Status;
  /** Message from the owner about the status; null if there is none. */
  statusMessage?: string | null;
  /** URL of the replacement that the owner of a deprecated or archived server links to. */
  successor?: string | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools match,
   * each once. Matches are not verdicts. Null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  /**
   * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
   * rules, not verdicts.
   */
  suspiciousTexts?: SuspiciousText[];
  tags?: string[];
  title?: string | null;
  /**
   * Number of tools that a start with the default settings registers; null if unknown, as of
   * an incomplete list.
   */
  toolCount?: number | null;
  /** Source of the tools; null if the tools are unknown. */
  toolList?: ToolList | null;
  /**
   * Approximate number of tokens that the tool definitions use in a model's context
   * (o200k_base).
   */
  toolTokens?: number | null;
  /** Tools of the server. */
  tools?: Tool[] | null;
  /**
   * Number of tools that the detail record lists, also where their list is not complete. Null
   * if the tools are unknown.
   */
  toolsKnown?: number | null;
  transports?: Transport[];
  /** When the record last changed. */
  updatedAt?: string | null;
  /**
   * Whether the package or registry entry and the repository link to each other. Not a safety
   * review.
   */
  verified?: boolean;
  /** Evidence for verified, as a sentence; null if not verified. */
  verifiedReason?: string | null;
}

export interface Pending {
  status: PendingStatus;
  githubUrl: string;
  statusUrl: string;
}

export type PendingStatus =
  | "pending"
  | (string & {});

export interface Plan {
  id: PlanId;
  name: string;
  /** Price per month in US dollars. */
  priceUsd: number;
  /** Requests to /v1 per UTC day and account; null if unlimited. */
  requestsPerDay: number | null;
  /** Requests to /api per UTC hour with a key of the account; null if unlimited. */
  requestsPerHour: number | null;
  features: OwnAccountPlanFeatures;
  /** Features of the plan, and promises of the operator. */
  includes: string[];
  /** Whether the plan is available: it is free, or the operator sells it. */
  offered: boolean;
}

export type PlanId =
  | "basic"
  | "professional"
  | "enterprise"
  | (string & {});

export interface Plans {
  plans: Plan[];
}

/** RFC 9457, with additional members. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  /** Same as title. */
  error: string;
  requestId: string;
  /** With `server_not_found`: similar slugs, best match first. */
  candidates?: string[];
  errors?: FieldError[];
  instance?: string;
  /** With `plan_upgrade_required`: the plans that include the feature, cheapest first. */
  requiredPlans?: PlanId[];
  /** With `scope_required`: the missing scopes. */
  requiredScopes?: string[];
}

/** The setting that makes a command or an endpoint read-only. */
export interface ReadOnlySwitch {
  /** The last three are of endpoints: a parameter, the end of the path, a header. */
  kind: ReadOnlySwitchKind;
  name: string;
  /** Whether that is the default. */
  default?: boolean;
  evidence?: string;
  /** How a documented configuration lets the server write. */
  lifted?: string;
  value?: string;
}

/** The last three are of endpoints: a parameter, the end of the path, a header. */
export type ReadOnlySwitchKind =
  | "flag"
  | "variable"
  | "argument"
  | "query"
  | "path"
  | "header"
  | (string & {});

/** A record or, with the status deleted, a server that is no longer listed. */
export interface RecordChange {
  /** Slug of the server, unique in this registry. */
  id: string;
  status: Status;
  /**
   * What the server can do when it is started with its default settings. Absent members are
   * not known to be used.
   */
  capabilities?: Capabilities;
  /** Best-matching category. */
  category?: Category;
  /** Confidence in category, 0 to 1. */
  categoryConfidence?: number;
  /** When the server was removed. Only with the status deleted. */
  changedAt?: string;
  /** Same as lastCrawledAt, as in lists. */
  checkedAt?: string | null;
  /**
   * Estimated probability of a commit by a person in the next 90 days: the share of similar
   * servers that had one. Not part of the score. Null if unknown or if the repository is
   * archived. See docs/scoring.md.
   */
  commitChance?: number | null;
  confidence?: Confidence | null;
  /** Number of people with a commit on the default branch in the last 26 weeks. */
  contributors?: number | null;
  /**
   * Slug of the original, if this server looks like a copy of an older server of another
   * owner; otherwise null.
   */
  copyOf?: string | null;
  /** Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set. */
  copyReason?: string | null;
  /** When copyOf or lookAlikeOf was first set; null if neither is. */
  copySince?: string | null;
  /** Share of the weight of the checks that was measured, 0 to 1. */
  coverage?: number | null;
  /** When the repository was created. */
  createdAt?: string | null;
  description?: string | null;
  /** composed if made of the name and the tools. */
  descriptionSource?: string | null;
  /** Downloads of all packages in the last 30 days. */
  downloads?: number | null;
  /** When the oldest of the download counts was read. */
  downloadsAt?: string | null;
  /** Downloads by registry type. */
  downloadsBreakdown?: Record<string, number | null>;
  downloadsPeriod?: string;
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect?: Effect;
  /** Whether the effect follows only from names, descriptions and parameters. */
  effectGuessed?: boolean;
  /** Environment variables of all packages. */
  environmentVariables?: Variable[];
  /** Forks of the repository. */
  forks?: number | null;
  /** Server framework. */
  framework?: string | null;
  /** Grade of the health score; null without a score. */
  grade?: Grade | null;
  /** Same as qualityScore. */
  healthScore?: number | null;
  /** URL of the website. */
  homepage?: string | null;
  /** URL of the icon; null if there is none. */
  icon?: string | null;
  install?: Install;
  /** server or proxy. */
  kind?: Kind | null;
  /** Main programming language. */
  language?: string | null;
  /** When a person last committed. */
  lastCommitAt?: string | null;
  /** When the repository was last crawled; null if it was not. */
  lastCrawledAt?: string | null;
  /** Latest published or released version, otherwise the version in the manifest. */
  latestVersion?: string | null;
  /**
   * Source of the latest version and when it was read. The source is the registry type of a
   * package, such as npm, or release or tag (of the repository), official-registry (the entry)
   * or manifest (in the repository).
   */
  latestVersionSource?: VersionSource | null;
  /** License, usually an SPDX identifier. */
  license?: string | null;
  /** Code host that read the license file, such as github, or manifest. */
  licenseSource?: string | null;
  /** URLs relative to the base URL. */
  links?: Links;
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness?: ServerLiveness | null;
  /** When that endpoint was last probed. */
  livenessAt?: string | null;
  /** Slug of the better-known server whose name or namespace this one imitates; otherwise null. */
  lookAlikeOf?: string | null;
  /** Display name. */
  name?: string;
  /** Whether the vendor of the product publishes the server. */
  official?: boolean;
  /** Evidence that the server is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  /** Open issues, without pull requests. */
  openIssues?: number | null;
  owner?: Owner | null;
  /** Published packages, as in the official server.json (schema 2025-12-11). */
  packages?: Package[];
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity?: number | null;
  /** Health score, 0 to 100; null if the server has none. */
  qualityScore?: number | null;
  /**
   * Whether it can be used read-only: it only reads, or has a switch for that. Null if
   * unknown.
   */
  readOnly?: boolean | null;
  /** Name in the official registry; null if there is none. */
  registryName?: string | null;
  /** When the latest version was released. */
  releasedAt?: string | null;
  remotes?: Remote[];
  repository?: RepositoryDetail;
  /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
  risks?: Risk[];
  /** Score if all unknown checks passed. */
  scoreHigh?: number | null;
  /** Score if all unknown checks failed. */
  scoreLow?: number | null;
  /** Version of the score model. */
  scoreVersion?: string | null;
  /** When the score was computed; null without a score. */
  scoredAt?: string | null;
  /** MCP SDK, from the dependency manifests; null if unknown. */
  sdk?: Sdk | null;
  /** Second-best category if the first is uncertain. */
  secondCategory?: Category | null;
  /** Same as id. */
  slug?: string;
  /** Sources that list the server. */
  sources?: Source[];
  /** Stars of the repository. */
  stars?: number | null;
  /** Message from the owner about the status; null if there is none. */
  statusMessage?: string | null;
  /** URL of the replacement that the owner of a deprecated or archived server links to. */
  successor?: string | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools match,
   * each once. Matches are not verdicts. Null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  /**
   * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
   * rules, not verdicts.
   */
  suspiciousTexts?: SuspiciousText[];
  tags?: string[];
  title?: string | null;
  /**
   * Number of tools that a start with the default settings registers; null if unknown, as of
   * an incomplete list.
   */
  toolCount?: number | null;
  /** Source of the tools; null if the tools are unknown. */
  toolList?: ToolList | null;
  /**
   * Approximate number of tokens that the tool definitions use in a model's context
   * (o200k_base).
   */
  toolTokens?: number | null;
  /** Tools of the server. */
  tools?: Tool[] | null;
  /**
   * Number of tools that the detail record lists, also where their list is not complete. Null
   * if the tools are unknown.
   */
  toolsKnown?: number | null;
  transports?: Transport[];
  /** When the record last changed. */
  updatedAt?: string | null;
  /**
   * Whether the package or registry entry and the repository link to each other. Not a safety
   * review.
   */
  verified?: boolean;
  /** Evidence for verified, as a sentence; null if not verified. */
  verifiedReason?: string | null;
}

export interface RecordChangePage {
  /** Servers, in the order of their last changes. */
  changes: RecordChange[];
  /** Value of `after` for the next request. */
  next: number;
  hasMore: boolean;
}

export interface RegistryAppVersion {
  version: string;
  git_commit: string;
  build_time: string;
}

export interface RegistryHealth {
  status: string;
}

/** This registry's data about a server. Unknown values are null. Absent for deleted servers. */
export interface RegistryMeta {
  /** Slug of the server, as in /v1/servers/{id}. */
  id: string;
  score: number | null;
  scoreLow: number | null;
  scoreHigh: number | null;
  grade: string | null;
  scoreVersion: string | null;
  computedAt: string | null;
  popularity: number | null;
  /** composed if made of the name and the tools. */
  descriptionSource: string | null;
  /** server or proxy. */
  kind: string | null;
  category: string;
  tags: string[];
  /** Whether this registry generated the document because its owner has not published one. */
  synthesized: boolean;
  /**
   * Paths in a published document that this registry changed because clients misread the
   * original: versions of tagged images, missing descriptions of variables, and `-y` for npx.
   * `packages` and `remotes` are reduced to the one of the install command, because clients
   * might start another one, such as an older version.
   */
  repaired: string[];
  /**
   * Packages that the document lacks because it cannot name the program to start, such as `npm
   * weather-mcp`. `command` has their command.
   */
  omittedPackages: string[];
  official: boolean;
  verified: boolean;
  stars: number | null;
  downloads30d: number | null;
  /** When the repository was last crawled. */
  lastCrawledAt: string | null;
  /** When the oldest of the download counts was read. */
  downloadsAt: string | null;
  tools: EntryTools | null;
  /** Best state of any remote, with the time and uptime of the first remote in that state. */
  liveness: EntryLiveness | null;
  /** Flags of the report; see docs/scoring.md. */
  flags: string[];
  risks: Risk[];
  /** Slug of the server that this one copies. */
  copyOf: string | null;
  /** Slug of the better known server that this one imitates. */
  lookAlikeOf: string | null;
  /** When copyOf or lookAlikeOf was first set. */
  copySince: string | null;
  /** Install command generated by this registry. */
  command: string | null;
  links: EntryLinks;
}

export interface RegistryPing {
  pong: boolean;
}

export interface Remote {
  type: string;
  url: string;
  headers: Variable[];
  /** Result of probing the endpoint; null if it was not probed. */
  liveness: Liveness | null;
  variables?: Record<string, Variable>;
}

export interface Repository {
  url: string | null;
  owner: string | null;
  name: string | null;
  subfolder: string | null;
  /** Null if unknown. */
  archived: boolean | null;
}

export interface RepositoryDetail {
  url: string | null;
  source: string | null;
  /** Numeric ID on the code host. */
  id: string | null;
  owner: string | null;
  name: string | null;
  subfolder: string | null;
  defaultBranch: string | null;
  archived: boolean | null;
  fork: boolean | null;
  pushedAt: string | null;
  commit: string | null;
}

/** A reason not to use a server. */
export interface Risk {
  /**
   * `malware`, `dead`, `hidden-instructions`, `deprecated`, `vulnerable`, `not-mcp`, `copy`,
   * `look-alike`, `suspicious-text`, `endpoint-down` (all remote endpoints are down) or
   * `tools-changed` (an endpoint lists other tools than before, in the same version).
   */
  kind: string;
  text: string;
  /**
   * How an installation is offered: beside the text (`notice`), behind it (`caution`), or not
   * at all (`harmful`: the API returns no command).
   */
  severity: RiskSeverity;
  /** What to use: the ID of the original, or a URL that the owner recommends. */
  instead: string | null;
  /** What reports it, such as `probe`, `osv` or `github`. Null if unknown. */
  source: string | null;
  /** When it was found or last confirmed. */
  at: string | null;
}

/**
 * How an installation is offered: beside the text (`notice`), behind it (`caution`), or not at
 * all (`harmful`: the API returns no command).
 */
export type RiskSeverity =
  | "notice"
  | "caution"
  | "harmful"
  | (string & {});

/** MCP SDK, from the dependency manifests; null if unknown. */
export type Sdk =
  | "typescript"
  | "python"
  | "go"
  | "java"
  | "kotlin"
  | "csharp"
  | "rust"
  | "swift"
  | "ruby"
  | "php"
  | "other"
  | (string & {});

export type SdkParam =
  | "typescript"
  | "python"
  | "go"
  | "java"
  | "kotlin"
  | "csharp"
  | "rust"
  | "swift"
  | "ruby"
  | "php"
  | "other"
  | "js"
  | "javascript"
  | "ts"
  | "node"
  | "nodejs"
  | "node.js"
  | "py"
  | "golang"
  | "c#"
  | "dotnet"
  | ".net"
  | "rs"
  | "kt"
  | "rb";

export interface SearchPage {
  servers: Server[];
  pagination: PageNumbers;
  query: string | null;
  /** Effective sort order. */
  sort: string;
  /** Number of results by value. Null if not requested. */
  facets: Facets | null;
  /** Duration of the search in milliseconds. Not part of the entity tag. */
  tookMs: number;
  /**
   * What there is to know about a search: the index is unavailable, so that READMEs and tool
   * descriptions are not searched; a misspelled word was corrected; some servers match only
   * some words of the text.
   */
  warnings?: string[];
}

export interface SearchRequest {
  /** Continues after the page that returned this value as `nextCursor`. */
  cursor?: string | null;
  /** Whether to count values over all results. Default: true. */
  facets?: boolean | null;
  /** Conditions that must all match. */
  filters?: Record<string, unknown> | null;
  /** Page size. Default: 20. */
  limit?: number | null;
  /** Which words of `q` must match; see GET /v1/search. Default: some. */
  match?: SearchRequestMatch;
  /** Page number. With `cursor`, it must be 1 or absent. */
  page?: number | null;
  /** Full-text search over names, descriptions, tags, tools, packages and READMEs. */
  q?: string | null;
  /** Sort order, such as `-stars,name`; see GET /v1/search. */
  sort?: string | null;
}

/** Which words of `q` must match; see GET /v1/search. Default: some. */
export type SearchRequestMatch =
  | "all"
  | "some";

export interface Server {
  /** Slug of the server, unique in this registry. */
  id: string;
  /** Same as id. */
  slug: string;
  /** Display name. */
  name: string;
  description: string | null;
  /** composed if made of the name and the tools. */
  descriptionSource: string | null;
  /** server or proxy. */
  kind: Kind | null;
  /** Best-matching category. */
  category: Category;
  /** Second-best category if the first is uncertain. */
  secondCategory: Category | null;
  tags: string[];
  /** MCP SDK, from the dependency manifests; null if unknown. */
  sdk: Sdk | null;
  /** Main programming language. */
  language: string | null;
  /** License, usually an SPDX identifier. */
  license: string | null;
  /** Health score, 0 to 100; null if the server has none. */
  qualityScore: number | null;
  /** Same as qualityScore. */
  healthScore: number | null;
  /** Grade of the health score; null without a score. */
  grade: Grade | null;
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity: number | null;
  /** Stars of the repository. */
  stars: number | null;
  /** Downloads of all packages in the last 30 days. */
  downloads: number | null;
  transports: Transport[];
  remotes: Endpoint[];
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness: ServerLiveness | null;
  /** Number of tools. */
  toolCount: number | null;
  /**
   * Number of tools that the detail record lists, also where their list is not complete. Null
   * if the tools are unknown.
   */
  toolsKnown: number | null;
  /**
   * Approximate number of tokens that the tool definitions use in a model's context
   * (o200k_base).
   */
  toolTokens: number | null;
  /** Source of the tools; null if the tools are unknown. */
  toolList: ToolsRead | null;
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect: Effect;
  /** Whether the effect follows only from names, descriptions and parameters. */
  effectGuessed: boolean;
  /**
   * Whether it can be used read-only: it only reads, or has a switch for that. Null if
   * unknown.
   */
  readOnly: boolean | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools match,
   * each once. Matches are not verdicts. Null if the tools are unknown.
   */
  suspiciousRules: string[] | null;
  /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
  risks: Risk[];
  repository: Repository;
  /** URL of the icon; null if there is none. */
  icon: string | null;
  status: Status;
  /** Whether the vendor of the product publishes the server. */
  official: boolean;
  /** Evidence that the server is official, as a sentence; null if it is not. */
  officialReason: string | null;
  /**
   * Slug of the original, if this server looks like a copy of an older server of another
   * owner; otherwise null.
   */
  copyOf: string | null;
  /** Slug of the better-known server whose name or namespace this one imitates; otherwise null. */
  lookAlikeOf: string | null;
  /** When copyOf or lookAlikeOf was first set; null if neither is. */
  copySince: string | null;
  /**
   * Whether the package or registry entry and the repository link to each other. Not a safety
   * review.
   */
  verified: boolean;
  /** When the record last changed. */
  updatedAt: string | null;
  /**
   * When the repository was last read. The detail record has the dates of its facts, in
   * sources and beside them.
   */
  checkedAt: string | null;
  /** URLs relative to the base URL. */
  links: Links;
}

/** A list entry or, with the status deleted, a server that is no longer listed. */
export interface ServerChange {
  /** Slug of the server, unique in this registry. */
  id: string;
  status: Status;
  /** Best-matching category. */
  category?: Category;
  /** When the server was removed. Only with the status deleted. */
  changedAt?: string;
  /**
   * When the repository was last read. The detail record has the dates of its facts, in
   * sources and beside them.
   */
  checkedAt?: string | null;
  /**
   * Slug of the original, if this server looks like a copy of an older server of another
   * owner; otherwise null.
   */
  copyOf?: string | null;
  /** When copyOf or lookAlikeOf was first set; null if neither is. */
  copySince?: string | null;
  description?: string | null;
  /** composed if made of the name and the tools. */
  descriptionSource?: string | null;
  /** Downloads of all packages in the last 30 days. */
  downloads?: number | null;
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect?: Effect;
  /** Whether the effect follows only from names, descriptions and parameters. */
  effectGuessed?: boolean;
  /** Grade of the health score; null without a score. */
  grade?: Grade | null;
  /** Same as qualityScore. */
  healthScore?: number | null;
  /** URL of the icon; null if there is none. */
  icon?: string | null;
  /** server or proxy. */
  kind?: Kind | null;
  /** Main programming language. */
  language?: string | null;
  /** License, usually an SPDX identifier. */
  license?: string | null;
  /** URLs relative to the base URL. */
  links?: Links;
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness?: ServerLiveness | null;
  /** Slug of the better-known server whose name or namespace this one imitates; otherwise null. */
  lookAlikeOf?: string | null;
  /** Display name. */
  name?: string;
  /** Whether the vendor of the product publishes the server. */
  official?: boolean;
  /** Evidence that the server is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity?: number | null;
  /** Health score, 0 to 100; null if the server has none. */
  qualityScore?: number | null;
  /**
   * Whether it can be used read-only: it only reads, or has a switch for that. Null if
   * unknown.
   */
  readOnly?: boolean | null;
  remotes?: Endpoint[];
  repository?: Repository;
  /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
  risks?: Risk[];
  /** MCP SDK, from the dependency manifests; null if unknown. */
  sdk?: Sdk | null;
  /** Second-best category if the first is uncertain. */
  secondCategory?: Category | null;
  /** Same as id. */
  slug?: string;
  /** Stars of the repository. */
  stars?: number | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools match,
   * each once. Matches are not verdicts. Null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  tags?: string[];
  /** Number of tools. */
  toolCount?: number | null;
  /** Source of the tools; null if the tools are unknown. */
  toolList?: ToolsRead | null;
  /**
   * Approximate number of tokens that the tool definitions use in a model's context
   * (o200k_base).
   */
  toolTokens?: number | null;
  /**
   * Number of tools that the detail record lists, also where their list is not complete. Null
   * if the tools are unknown.
   */
  toolsKnown?: number | null;
  transports?: Transport[];
  /** When the record last changed. */
  updatedAt?: string | null;
  /**
   * Whether the package or registry entry and the repository link to each other. Not a safety
   * review.
   */
  verified?: boolean;
}

export interface ServerDetail {
  /** Slug of the server, unique in this registry. */
  id: string;
  /** Same as id. */
  slug: string;
  /** Display name. */
  name: string;
  /** Name in the official registry; null if there is none. */
  registryName: string | null;
  title: string | null;
  description: string | null;
  /** composed if made of the name and the tools. */
  descriptionSource: string | null;
  /** server or proxy. */
  kind: Kind | null;
  /** Best-matching category. */
  category: Category;
  /** Confidence in category, 0 to 1. */
  categoryConfidence: number;
  /** Second-best category if the first is uncertain. */
  secondCategory: Category | null;
  tags: string[];
  /** MCP SDK, from the dependency manifests; null if unknown. */
  sdk: Sdk | null;
  /** Server framework. */
  framework: string | null;
  /** Main programming language. */
  language: string | null;
  /** License, usually an SPDX identifier. */
  license: string | null;
  /** Code host that read the license file, such as github, or manifest. */
  licenseSource: string | null;
  /** Health score, 0 to 100; null if the server has none. */
  qualityScore: number | null;
  /** Same as qualityScore. */
  healthScore: number | null;
  /** Grade of the health score; null without a score. */
  grade: Grade | null;
  /** Popularity, 0 to 100. Not part of the health score. Null if unknown. */
  popularity: number | null;
  /** Version of the score model. */
  scoreVersion: string | null;
  /** Score if all unknown checks failed. */
  scoreLow: number | null;
  /** Score if all unknown checks passed. */
  scoreHigh: number | null;
  /** Share of the weight of the checks that was measured, 0 to 1. */
  coverage: number | null;
  confidence: Confidence | null;
  /**
   * Estimated probability of a commit by a person in the next 90 days: the share of similar
   * servers that had one. Not part of the score. Null if unknown or if the repository is
   * archived. See docs/scoring.md.
   */
  commitChance: number | null;
  /** Stars of the repository. */
  stars: number | null;
  /** Forks of the repository. */
  forks: number | null;
  /** Open issues, without pull requests. */
  openIssues: number | null;
  /** Number of people with a commit on the default branch in the last 26 weeks. */
  contributors: number | null;
  /** Downloads of all packages in the last 30 days. */
  downloads: number | null;
  downloadsPeriod: string;
  /** Downloads by registry type. */
  downloadsBreakdown: Record<string, number | null>;
  /** When the oldest of the download counts was read. */
  downloadsAt: string | null;
  repository: RepositoryDetail;
  /** URL of the website. */
  homepage: string | null;
  /** URL of the icon; null if there is none. */
  icon: string | null;
  owner: Owner | null;
  transports: Transport[];
  /** Published packages, as in the official server.json (schema 2025-12-11). */
  packages: Package[];
  remotes: Remote[];
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness: ServerLiveness | null;
  /** When that endpoint was last probed. */
  livenessAt: string | null;
  /** Environment variables of all packages. */
  environmentVariables: Variable[];
  /** Tools of the server. */
  tools: Tool[] | null;
  /**
   * Number of tools that a start with the default settings registers; null if unknown, as of
   * an incomplete list.
   */
  toolCount: number | null;
  /**
   * Number of tools that the detail record lists, also where their list is not complete. Null
   * if the tools are unknown.
   */
  toolsKnown: number | null;
  /**
   * Approximate number of tokens that the tool definitions use in a model's context
   * (o200k_base).
   */
  toolTokens: number | null;
  /** Source of the tools; null if the tools are unknown. */
  toolList: ToolList | null;
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect: Effect;
  /** Whether the effect follows only from names, descriptions and parameters. */
  effectGuessed: boolean;
  /**
   * Whether it can be used read-only: it only reads, or has a switch for that. Null if
   * unknown.
   */
  readOnly: boolean | null;
  /**
   * What the server can do when it is started with its default settings. Absent members are
   * not known to be used.
   */
  capabilities: Capabilities;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools match,
   * each once. Matches are not verdicts. Null if the tools are unknown.
   */
  suspiciousRules: string[] | null;
  /**
   * Parts of the tools' texts that may hide instructions or manipulate a model. Matches of
   * rules, not verdicts.
   */
  suspiciousTexts: SuspiciousText[];
  /** Reasons not to use the server, as in `/api/health`; empty if none is known. */
  risks: Risk[];
  install: Install;
  status: Status;
  /** Message from the owner about the status; null if there is none. */
  statusMessage: string | null;
  /** URL of the replacement that the owner of a deprecated or archived server links to. */
  successor: string | null;
  /** Whether the vendor of the product publishes the server. */
  official: boolean;
  /** Evidence that the server is official, as a sentence; null if it is not. */
  officialReason: string | null;
  /**
   * Slug of the original, if this server looks like a copy of an older server of another
   * owner; otherwise null.
   */
  copyOf: string | null;
  /** Slug of the better-known server whose name or namespace this one imitates; otherwise null. */
  lookAlikeOf: string | null;
  /** Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set. */
  copyReason: string | null;
  /** When copyOf or lookAlikeOf was first set; null if neither is. */
  copySince: string | null;
  /**
   * Whether the package or registry entry and the repository link to each other. Not a safety
   * review.
   */
  verified: boolean;
  /** Evidence for verified, as a sentence; null if not verified. */
  verifiedReason: string | null;
  /** Latest published or released version, otherwise the version in the manifest. */
  latestVersion: string | null;
  /**
   * Source of the latest version and when it was read. The source is the registry type of a
   * package, such as npm, or release or tag (of the repository), official-registry (the entry)
   * or manifest (in the repository).
   */
  latestVersionSource: VersionSource | null;
  /** When the latest version was released. */
  releasedAt: string | null;
  /** Sources that list the server. */
  sources: Source[];
  /** When the repository was created. */
  createdAt: string | null;
  /** When the record last changed. */
  updatedAt: string | null;
  /** Same as lastCrawledAt, as in lists. */
  checkedAt: string | null;
  /** When a person last committed. */
  lastCommitAt: string | null;
  /** When the repository was last crawled; null if it was not. */
  lastCrawledAt: string | null;
  /** When the score was computed; null without a score. */
  scoredAt: string | null;
  /** URLs relative to the base URL. */
  links: Links;
}

export interface ServerEntry {
  /**
   * A server.json document, either as published in the official registry or generated by this
   * registry (schema 2025-12-11). See https://github.com/modelcontextprotocol/registry.
   */
  server: ServerJSON;
  /**
   * `io.modelcontextprotocol.registry/official` is an OfficialMeta. The member in this
   * registry's namespace is a RegistryMeta.
   */
  _meta: Record<string, unknown>;
}

export interface ServerEntryList {
  servers: ServerEntry[];
  metadata: EntryMetadata;
}

/**
 * A server.json document, either as published in the official registry or generated by this
 * registry (schema 2025-12-11). See https://github.com/modelcontextprotocol/registry.
 */
export interface ServerJSON {
  name: string;
  description: string;
  version: string;
  [name: string]: unknown;
}

/**
 * Best state of any remote: alive (responds without a login), gated (requires a login,
 * credentials or a payment), down, or unknown. Null if the server has no remotes.
 */
export type ServerLiveness =
  | "alive"
  | "gated"
  | "down"
  | "unknown"
  | (string & {});

export interface ServerPage {
  servers: Server[];
  pagination: Pagination;
  /**
   * What there is to know about a search: the index is unavailable, so that READMEs and tool
   * descriptions are not searched; a misspelled word was corrected; some servers match only
   * some words of the text.
   */
  warnings?: string[];
}

export interface Source {
  name: string;
  firstSeenAt: string | null;
  lastSeenAt: string | null;
}

export interface SourceUse {
  name: string;
  /** A place such as `src/tools.ts:40`. */
  evidence: string;
}

export type Status =
  | "active"
  | "deprecated"
  | "archived"
  | "unreachable"
  | "deleted"
  | (string & {});

export interface SuspiciousText {
  /** R1 to R8; see docs/tools.md */
  rule: string;
  tool: string;
  field: string;
  /** Matching text. Invisible characters are shown as code points. */
  quote: string;
  /** When that list was read. */
  readAt?: string;
  /** Source of the list with the tool. */
  source?: string;
}

export interface Tool {
  name: string;
  title: string | null;
  description: string | null;
  /**
   * JSON Schema of the parameters. A schema derived from prose has a $comment and may lack
   * types and required parameters.
   */
  inputSchema: Record<string, unknown> | null;
  /** Annotations (hints) as defined by MCP; null if absent or unknown. */
  annotations: Record<string, unknown> | null;
  effect: ToolEffect;
  /** SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC 8785). */
  hash: string | null;
  /** Approximate number of tokens that the definition uses in a model's context (o200k_base). */
  tokens: number | null;
  /** Condition under which the source code registers the tool; absent if there is none. */
  conditional?: ToolCondition;
  /** True if the tool is declared to be read-only and its source code is not. */
  contradicts?: boolean;
  /** Source of the description, if it differs from the source of the list. */
  descriptionSource?: string;
  /** Source of the input schema, if it differs from the source of the list. */
  inputSchemaSource?: string;
}

export interface ToolChange {
  name: string;
  kind: ToolChangeKind;
  /** Changed members. */
  fields: ToolChangeField[];
  /** Definition of a tool; null before the tool was added and after it was removed. */
  before: ToolDefinition | null;
  /** Definition of a tool; null before the tool was added and after it was removed. */
  after: ToolDefinition | null;
}

export type ToolChangeField =
  | "description"
  | "inputSchema"
  | "annotations"
  | (string & {});

export type ToolChangeKind =
  | "added"
  | "removed"
  | "changed"
  | (string & {});

export interface ToolChanges {
  /** Slug of the server. */
  server: string;
  /** Newest first. */
  changes: ToolListChange[];
}

/** Condition under which the source code registers the tool; absent if there is none. */
export interface ToolCondition {
  /** Setting that the tool depends on, such as `FEATURE_X=true` or `--feature-x`. */
  setting: string | null;
  /**
   * False if a start with the default settings does not register the tool; null if that is
   * unknown.
   */
  default: boolean | null;
}

/** Definition of a tool; null before the tool was added and after it was removed. */
export interface ToolDefinition {
  description: string | null;
  annotations: Record<string, unknown> | null;
  hash: string | null;
}

export interface ToolEffect {
  /**
   * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add or
   * send something (`write`), change, overwrite or delete something that exists
   * (`destructive`, as in MCP), or run commands or code of its caller.
   */
  effect: Effect;
  /**
   * How it is known: from the annotations, the code of the tool, its parameters, or a verb of
   * its name or description.
   */
  basis?: ToolEffectBasis;
  /** A place such as `src/tools.ts:40`, a parameter, or a word. */
  evidence?: string;
}

/**
 * How it is known: from the annotations, the code of the tool, its parameters, or a verb of
 * its name or description.
 */
export type ToolEffectBasis =
  | "declared"
  | "source"
  | "schema"
  | "name"
  | (string & {});

export interface ToolEntry {
  /** Name of the server. With level=tool, a unique one of the tool. */
  name: string;
  description: string;
  /** URL of the repository, or of the server's folder in it. */
  source: string;
  /** Command that starts the server. */
  installation: string | null;
  quality_score: number | null;
  inputSchema: Record<string, unknown>;
  /** Contains one member, named after the registry. */
  _meta: Record<string, ToolEntryMeta>;
  title?: string;
}

export interface ToolEntryMeta {
  id: string;
  /** Owner of the repository. */
  owner: string | null;
  /** Whether the vendor of the product publishes the server. */
  official: boolean;
  status: Status;
  /** composed if made of the name and the tools. */
  descriptionSource: string | null;
  /** server or proxy. */
  kind: Kind | null;
  category: Category;
  transports: Transport[];
  remotes: Endpoint[];
  /**
   * Best state of any remote: alive (responds without a login), gated (requires a login,
   * credentials or a payment), down, or unknown. Null if the server has no remotes.
   */
  liveness: ServerLiveness | null;
  /** Reasons not to use the server, as in `/api/health`. */
  risks: Risk[];
  install: ToolEntryMetaInstall | null;
  /** When the repository was last read. */
  checkedAt: string | null;
  schemaKnown?: boolean;
  /** Name of the tool, with level=tool. */
  tool?: string;
  /** Source of the tools; null if the tools are unknown. */
  toolList?: ToolsRead;
}

export interface ToolEntryMetaInstall {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Source of the tools; null if the tools are unknown. */
export interface ToolList {
  /**
   * Most reliable first: `probe`, a remote endpoint; `run`, the published package, started in
   * a sandbox; `manifest`, a manifest; `source`, the source code; `readme`, the README.
   */
  source: ToolSource;
  /**
   * Published package whose archive was read, if source is `source`; null if the repository
   * was read, and for other sources.
   */
  package: ToolPackage | null;
  /** Server version that the tools belong to. */
  version: string | null;
  readAt: string | null;
  /** Hash of the list; changes if and only if the hash of a tool changes. Null if unknown. */
  hash: string | null;
  /** Total tokens of the tools of toolCount. `sort=toolTokens` sorts by it. */
  tokens: number | null;
  /**
   * Whether the tools of a start with the default settings are known. Otherwise it may have
   * more or fewer than the list, and toolCount, toolTokens and tokens are null.
   */
  complete: boolean;
  /** URL of the endpoint that listed the tools, if source is `probe`. */
  endpoint?: string;
}

export interface ToolListChange {
  /** When the list was first seen. */
  at: string;
  source: ToolSource;
  /**
   * Published package whose archive was read, if source is `source`; null if the repository
   * was read, and for other sources.
   */
  package: ToolPackage | null;
  /** Server version that the tools belong to. */
  version: string | null;
  /**
   * Source of the previous list, if it is a different one; differences may then result from
   * the source alone. Null otherwise. Both are `source` if one list is from the repository and
   * the other from a package archive.
   */
  formerSource: string | null;
  /** Last version with the previous list of the same source, or else of `formerSource`. */
  formerVersion: string | null;
  /** Whether the tools changed while the version stayed the same. */
  withoutNewVersion: boolean;
  toolCount: number;
  /** Hash of the new list. */
  hash: string | null;
  /** Tools that differ, by name; empty if there is no previous list of the same source. */
  tools: ToolChange[];
}

/**
 * Published package whose archive was read, if source is `source`; null if the repository was
 * read, and for other sources.
 */
export interface ToolPackage {
  registryType: ToolPackageRegistryType;
  identifier: string;
}

export type ToolPackageRegistryType =
  | "npm"
  | "pypi"
  | (string & {});

export interface ToolPage {
  tools: ToolEntry[];
  pagination: Pagination;
  /**
   * What there is to know about a search: the index is unavailable, so that READMEs and tool
   * descriptions are not searched; a misspelled word was corrected; some servers match only
   * some words of the text.
   */
  warnings?: string[];
}

export type ToolSource =
  | "probe"
  | "run"
  | "manifest"
  | "source"
  | "readme"
  | (string & {});

/** Source of the tools; null if the tools are unknown. */
export interface ToolsRead {
  source: ToolSource;
  /** Server version that the tools belong to. */
  version: string | null;
  /** Whether all tools are known. Otherwise the number and tokens of the tools are null. */
  complete: boolean;
}

export type Transport =
  | "stdio"
  | "streamable-http"
  | "sse"
  | (string & {});

export interface Trend {
  delta: number | null;
  percent: number | null;
}

export interface Usage {
  period: UsagePeriod;
  total: number;
  days: UsageDay[];
  usage: UsageEntry[];
}

export interface UsageDay {
  date: string;
  calls: number;
}

export interface UsageEntry {
  date: string;
  endpoint: string;
  /** Key of the calls. The name and prefix of a deleted key are null. */
  key: UsageEntryKey;
  calls: number;
}

/** Key of the calls. The name and prefix of a deleted key are null. */
export interface UsageEntryKey {
  id: number;
  name: string | null;
  prefix: string | null;
}

export interface UsagePeriod {
  from: string;
  to: string;
}

export interface ValidationIssue {
  /**
   * Violated rules: JSON syntax, the JSON schema, the official registry's requirements, or
   * known problems with clients.
   */
  type: ValidationIssueType;
  /** Location in the file, such as `packages[0].transport.url`; empty for the whole file. */
  path: string;
  message: string;
  severity: ValidationIssueSeverity;
  /** Name of the rule, or location in the schema. */
  reference: string;
  /** Column where the value begins, in characters. Absent if unknown. */
  column?: number;
  /** URL of an explanation. */
  docs?: string;
  /** Line where the value begins. Absent if unknown. */
  line?: number;
}

export type ValidationIssueSeverity =
  | "error"
  | "warning"
  | "info"
  | (string & {});

/**
 * Violated rules: JSON syntax, the JSON schema, the official registry's requirements, or known
 * problems with clients.
 */
export type ValidationIssueType =
  | "json"
  | "schema"
  | "semantic"
  | "linter"
  | (string & {});

export interface ValidationResult {
  /** Whether there are no issues of severity error. */
  valid: boolean;
  /** At most 200, errors first. If there are more, the last issue reports how many. */
  issues: ValidationIssue[];
}

export interface Variable {
  choices?: string[];
  default?: string;
  description?: string;
  format?: string;
  isRequired?: boolean;
  isSecret?: boolean;
  name?: string;
  placeholder?: string;
  value?: string;
  /** Variables for the {names} in the value. */
  variables?: Record<string, Variable>;
}

/**
 * Source of the latest version and when it was read. The source is the registry type of a
 * package, such as npm, or release or tag (of the repository), official-registry (the entry)
 * or manifest (in the repository).
 */
export interface VersionSource {
  source: string;
  readAt: string | null;
}

export interface View {
  name: string;
  title: string;
  description: string;
  /** Base URL for clients. */
  url: string;
  /** Maximum number of servers in the view. */
  max: number;
}

export interface Views {
  views: View[];
}

/** Data of `server.advisory`. */
export interface WebhookAdvisoryData {
  server: WebhookServer;
  advisories: WebhookAdvisoryItem[];
  /** Full number, if the lists are truncated. */
  count: number;
}

export interface WebhookAdvisoryItem {
  id: string;
  severity: string;
  /** First version without the vulnerability. */
  fixedIn?: string;
  package?: string;
  title?: string;
  url?: string;
}

export interface WebhookDeliveries {
  deliveries: WebhookDelivery[];
  /** Value of `before` for the next page; null on the last page. */
  before: number | null;
}

export interface WebhookDelivery {
  id: number;
  /** ID of the event, sent as the header `webhook-id`. */
  eventId: string;
  state: WebhookDeliveryState;
  /** Attempts since the delivery was created or resent. */
  attempts: number;
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  /** HTTP status of the last response; null if there was none. */
  responseStatus: number | null;
  error: string | null;
  durationMs: number | null;
  deliveredAt: string | null;
  createdAt: string;
  /**
   * The body of a delivery, less than 20 kB. `data` depends on `type`; ignore unknown types,
   * because more may be added. Server events contain the server after the event, or before it
   * was removed. Long lists are truncated; `count` is the full number.
   */
  payload: WebhookPayload;
}

export type WebhookDeliveryState =
  | "pending"
  | "delivered"
  | "failed"
  | (string & {});

export interface WebhookEndpoint {
  id: number;
  url: string;
  description: string | null;
  /** Null means all. */
  events: WebhookEventType[] | null;
  /** Null means all. */
  servers: string[] | null;
  search: string | null;
  enabled: boolean;
  disabledAt: string | null;
  /**
   * `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries failed
   * for five days. `search`: its custom endpoint was deleted. `events`: the events that it had
   * chosen no longer exist.
   */
  disabledReason: WebhookEndpointDisabledReason | null;
  /** Time of the first failure since the last success; null if the last attempt succeeded. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  links: WebhookEndpointLinks;
}

/**
 * `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries failed
 * for five days. `search`: its custom endpoint was deleted. `events`: the events that it had
 * chosen no longer exist.
 */
export type WebhookEndpointDisabledReason =
  | "owner"
  | "gone"
  | "failing"
  | "search"
  | "events"
  | (string & {});

export interface WebhookEndpointLinks {
  self: string;
  deliveries: string;
}

export interface WebhookEndpointRequest {
  /** https URL with a public host name, and port 443 or 1024 and above. */
  url: string;
  /** Purpose of the endpoint, at most 200 characters. */
  description?: string | null;
  /** Default: true. */
  enabled?: boolean | null;
  /** Types of events to send. All if absent, null or empty. */
  events?: WebhookEventTypeParam[] | null;
  /**
   * Name of a custom endpoint without `q` (Enterprise plan), to send only events of servers
   * among its results after the change. Cannot be combined with `servers`.
   */
  search?: string | null;
  /** IDs of servers. All if absent, null or empty. */
  servers?: string[] | null;
}

export interface WebhookEndpointWithSecret {
  id: number;
  url: string;
  description: string | null;
  /** Null means all. */
  events: WebhookEventType[] | null;
  /** Null means all. */
  servers: string[] | null;
  search: string | null;
  enabled: boolean;
  disabledAt: string | null;
  /**
   * `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries failed
   * for five days. `search`: its custom endpoint was deleted. `events`: the events that it had
   * chosen no longer exist.
   */
  disabledReason: WebhookEndpointDisabledReason | null;
  /** Time of the first failure since the last success; null if the last attempt succeeded. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  links: WebhookEndpointLinks;
  /** Secret that deliveries are signed with: `whsec_` and base64. */
  secret: string;
}

export interface WebhookEndpoints {
  webhooks: WebhookEndpoint[];
  count: number;
  /** Maximum number of endpoints of the plan. Newer endpoints beyond it receive nothing. */
  max: number;
}

export type WebhookEventType =
  | "server.listed"
  | "server.updated"
  | "server.version"
  | "server.score_changed"
  | "server.deprecated"
  | "server.archived"
  | "server.gone"
  | "server.advisory"
  | "server.tools_changed"
  | (string & {});

export type WebhookEventTypeParam =
  | "server.listed"
  | "server.updated"
  | "server.version"
  | "server.score_changed"
  | "server.deprecated"
  | "server.archived"
  | "server.gone"
  | "server.advisory"
  | "server.tools_changed";

/**
 * The body of a delivery, less than 20 kB. `data` depends on `type`; ignore unknown types,
 * because more may be added. Server events contain the server after the event, or before it
 * was removed. Long lists are truncated; `count` is the full number.
 */
export type WebhookPayload =
  | { type: "server.listed"; timestamp: string; data: WebhookServerData }
  | { type: "server.updated"; timestamp: string; data: WebhookUpdatedData }
  | { type: "server.version"; timestamp: string; data: WebhookVersionData }
  | { type: "server.score_changed"; timestamp: string; data: WebhookScoreData }
  | { type: "server.deprecated"; timestamp: string; data: WebhookStatusData }
  | { type: "server.archived"; timestamp: string; data: WebhookStatusData }
  | { type: "server.gone"; timestamp: string; data: WebhookServerData }
  | { type: "server.advisory"; timestamp: string; data: WebhookAdvisoryData }
  | { type: "server.tools_changed"; timestamp: string; data: WebhookToolsData }
  | { type: "webhook.test"; timestamp: string; data: WebhookTestData };

export interface WebhookRating {
  score: number;
  grade: string;
}

/** Data of `server.score_changed`. */
export interface WebhookScoreData {
  server: WebhookServer;
  before: WebhookRating;
  after: WebhookRating;
}

export interface WebhookServer {
  id: string;
  name: string;
  /** URL of the repository. */
  repository: string;
  status: Status;
  score: number | null;
  /** Absent if there is no score. */
  grade?: string;
  /** Latest version; absent if unknown. */
  version?: string;
}

/** Data of `server.listed` and `server.gone`. */
export interface WebhookServerData {
  server: WebhookServer;
}

/** Data of `server.deprecated` and `server.archived`. */
export interface WebhookStatusData {
  server: WebhookServer;
  /** Message from the owner; absent if there is none. */
  message?: string;
  /** URL of the repository that replaces it; absent if unknown. */
  successorUrl?: string;
}

/** Data of `webhook.test`. */
export interface WebhookTestData {
  message: string;
}

/** Data of `server.tools_changed`. The lists contain tool names. */
export interface WebhookToolsData {
  server: WebhookServer;
  /** Source of the list. */
  source: string;
  package: string | null;
  /** Whether the tools changed while the version stayed the same. */
  withoutNewVersion: boolean;
  added: string[];
  removed: string[];
  changed: string[];
  /** Full number, if the lists are truncated. */
  count: number;
  version?: string;
}

/** Data of `server.updated`. */
export interface WebhookUpdatedData {
  server: WebhookServer;
  /** Names of the changed members. */
  changed: string[];
}

/** Data of `server.version`. */
export interface WebhookVersionData {
  server: WebhookServer;
  before: string;
  after: string;
}
