// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.

/** Exactly one of the two. */
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
  /** On the day or in the week; null unless known for every package and day. */
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
  /** Of the last 30 days: total, and by registry type. */
  downloads: AnalyticsTotalsDownloads;
  /** Events that the registry counted in the period. */
  directory: AnalyticsTotalsDirectory;
}

/** Events that the registry counted in the period. */
export interface AnalyticsTotalsDirectory {
  views: number | null;
  apiHits: number | null;
  searchImpressions: number | null;
  healthChecks: number | null;
  installClicks: number | null;
  badgeViews: number | null;
}

/** Of the last 30 days: total, and by registry type. */
export interface AnalyticsTotalsDownloads {
  total: number | null;
  [name: string]: number | null;
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
  /** What the {names} in the value mean. */
  variables?: Record<string, Variable>;
}

export interface BulkAnswer {
  servers: PartialServer[];
  notFound: string[];
  count: number;
}

export interface BulkRequest {
  fields?: DetailMember[] | null;
  githubUrls?: string[] | null;
  ids?: string[] | null;
  names?: string[] | null;
}

export interface Cap {
  id: string;
  max: number;
  reason: string;
  applied: boolean;
}

export interface Categories {
  categories: CategoryCount[];
  /** All listed servers. */
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

export interface ChangePage {
  /** In the order of the changes. */
  changes: ServerChange[];
  /** The value of `after` that continues here. */
  next: number;
  hasMore: boolean;
}

export interface Check {
  id: string;
  name: string;
  result: CheckResult;
  state: CheckState;
  points: number;
  max: number;
  reason: string;
  evidence: Evidence[];
  fix: string | null;
  source: string | null;
  observedAt: string | null;
  docs: string;
}

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
   * Keys: category, sdk, language, framework, tags, license, transport, type (remote or
   * package), liveness (alive, gated, down, unknown), registryType, owner, source, status,
   * official, verified, copy, archived, grade, qualityScore, minScore (qualityScore gte),
   * popularity, stars, downloads, toolCount, toolTokens, tools, updatedAt, createdAt. At most
   * 16 kB, 40 conditions, 100 values in a list.
   */
  filters: Record<string, unknown>;
  sort: string | null;
  /** Null stands for those of a list entry. */
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
  /** List entries, or the members that the definition names. */
  servers: PartialServer[];
  pagination: PageNumbers;
  name: string;
  query: string | null;
  sort: string;
  /** Number of results with each value. Null if not requested. */
  facets: Facets | null;
  tookMs: number;
  /**
   * Present while the search index is unavailable. All servers are then scanned without
   * READMEs and descriptions of tools, so results may be missing.
   */
  warnings?: string[];
}

export interface CustomRequest {
  facets?: boolean | null;
  fields?: DetailMember[] | null;
  filters?: Record<string, unknown> | null;
  limit?: number | null;
  q?: string | null;
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
  | "category"
  | "categoryConfidence"
  | "secondCategory"
  | "tags"
  | "sdk"
  | "framework"
  | "language"
  | "license"
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
  | "environmentVariables"
  | "tools"
  | "toolCount"
  | "toolTokens"
  | "toolList"
  | "suspiciousRules"
  | "suspiciousTexts"
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
  | "releasedAt"
  | "sources"
  | "createdAt"
  | "updatedAt"
  | "lastCommitAt"
  | "lastCrawledAt"
  | "scoredAt"
  | "links"
  | (string & {});

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

/** A remote in lists. */
export interface Endpoint {
  type: string;
  url: string;
  /** Whether the endpoint answers our probes; null if it was not probed. */
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
}

/** The best state of the remotes, with the date and uptime of the first one that has it. */
export interface EntryLiveness {
  state: string;
  checkedAt: string | null;
  /** Share of the probes of the last 30 days that were answered. */
  uptime30: number | null;
  /** Number of these probes. */
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
  /** Version of the server that has these tools. */
  version: string | null;
  readAt: string | null;
}

export interface Evidence {
  type: string;
  ref: string;
  url: string | null;
  text?: string;
}

/** Number of results with each value. Null if not requested. */
export interface Facets {
  category: Record<string, number>;
  sdk: Record<string, number>;
  license: Record<string, number>;
  transport: Record<string, number>;
  grade: Record<string, number>;
}

export interface FieldError {
  field: string;
  message: string;
}

/** A from 80, B from 65, C from 50, D from 30. */
export type Grade =
  | "A"
  | "B"
  | "C"
  | "D"
  | "F"
  | (string & {});

export interface Health {
  server: string | null;
  githubUrl: string | null;
  subfolder: string | null;
  /** Whether it is listed. */
  indexed: boolean;
  /** Null if the code host blocks the repository. */
  isMcpServer: boolean | null;
  /** The vendor of the product itself publishes the server. Null if there is no server. */
  official: boolean | null;
  status: HealthStatus;
  score: number | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade: Grade | null;
  /** The score if all unknown checks failed. */
  scoreLow: number | null;
  /** The score if all unknown checks passed. */
  scoreHigh: number | null;
  coverage: number | null;
  confidence: Confidence | null;
  /**
   * Share of servers like this one that had a commit by a person in the next 90 days. Not part
   * of the score. `null` if it is not known or the repository is archived. See
   * docs/scoring.md.
   */
  commitChance: number | null;
  popularity: number | null;
  scoreVersion: string | null;
  commit: string | null;
  computedAt: string | null;
  breakdown: HealthCategory[];
  caps: Cap[];
  flags: string[];
  improve: Improvement[];
  links: HealthLinks;
  stale: boolean;
  warnings: string[];
  /** The servers of the repository, if it has several and the address names none of them. */
  members?: Member[];
  /** If the repository is not listed: why it does or does not count as a server. */
  reason?: string;
}

export interface HealthCategory {
  category: string;
  weight: number;
  /**
   * The category's score; null if no check applies, or if less than 35% of its weight was
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

export interface Improvement {
  check: string;
  gain: number;
  text: string;
}

/**
 * How the package answered when it was started in a sandbox, without a network and with
 * made-up values; absent if it was not. It does not affect the score.
 */
export interface Inspection {
  outcome: InspectionOutcome;
  /** When it was started. */
  at: string | null;
  /** The last line of its error output, shortened. */
  detail?: string;
  /**
   * Names of hosts that it looked up when it started, before any tool was called. Lookups that
   * bypass the system's resolver, and those of images, are not seen.
   */
  hosts?: string[];
  /** Number of prompts. */
  prompts?: number;
  /** Revision of MCP. */
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
  /** Starts the server; null if unknown. */
  command: string | null;
  /** Why there is no command; null if there is one. */
  reason: string | null;
  /**
   * How clients are set up, by client. mcpServers is the configuration that most clients take,
   * with placeholders (YOUR_NAME) for values to fill in; the others have only what their
   * client expands.
   */
  clients: Record<string, unknown>;
}

export type KeyScope =
  | "read"
  | "analytics"
  | "custom"
  | "webhooks"
  | (string & {});

/** Relative to the base address. */
export interface Links {
  self: string;
  html: string;
  health: string;
  badge: string;
}

/** Whether the endpoint answers our probes; null if it was not probed. */
export interface Liveness {
  state: EndpointState;
  /** When the endpoint had the state. */
  checkedAt: string | null;
  /** Since when it is alive, gated, down or unknown. */
  since: string | null;
  /** Share of the probes of the last 30 days that were answered. */
  uptime30: number | null;
  /** Number of these probes. */
  probes: number;
  /** Revision of MCP. */
  protocol?: string;
  /** Such as dns, tls, timeout, connection or "status 503". */
  reason?: string;
}

export interface ManagedSettings {
  allowedMcpServers: AllowedServer[];
}

export interface Member {
  /** Slug; null if it is not listed. */
  server: string | null;
  name: string;
  subfolder: string | null;
  score: number | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade: Grade | null;
  /** When the score was computed. */
  computedAt: string | null;
  /** URL of its report. */
  health: string | null;
}

export interface NumberedPage {
  servers: Server[];
  pagination: PageNumbers;
  /**
   * Present while the search index is unavailable. All servers are then scanned without
   * READMEs and descriptions of tools, so results may be missing.
   */
  warnings?: string[];
}

/** The metadata of a version, as the official registry has them. */
export interface OfficialMeta {
  status: OfficialMetaStatus;
  statusChangedAt: string;
  /** When the version was published, else when the server was listed here. */
  publishedAt: string;
  isLatest: boolean;
  statusMessage?: string;
  /** When the record last changed here. */
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
  /** What the key may be used for. */
  scopes: KeyScope[];
  /** Addresses and networks of clients that may use the key; none is all. */
  addresses: string[];
}

export interface OwnAccountLimits {
  /** Requests per UTC day; null is unlimited. */
  limit: number | null;
  /** Today, including this request; null if unknown. */
  used: number | null;
  remaining: number | null;
  resetAt: string;
  /** The same in seconds since 1970, as in X-RateLimit-Reset. */
  reset: number;
}

export interface OwnAccountPlan {
  id: PlanId;
  name: string;
  /** Of a month. */
  priceUsd: number;
  /** On /v1, per UTC day and account; null is unlimited. */
  requestsPerDay: number | null;
  /** On /api, with a key of the plan, per UTC hour; null is unlimited. */
  requestsPerHour: number | null;
  features: OwnAccountPlanFeatures;
  /** What the plan has besides limits, and what the operator promises. */
  includes: string[];
  /** Whether the plan can be had: it is free, or the operator sells it. */
  offered: boolean;
  /** When the plan ends; null if it continues. */
  until: string | null;
  /** The next plan. */
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
  /** A copy of the avatar that this registry serves, or a picture of the first letter. */
  avatarUrl: string | null;
}

export interface Package {
  registryType: string;
  identifier: string;
  transport: PackageTransport;
  environmentVariables?: Variable[];
  fileSha256?: string;
  /**
   * How the package answered when it was started in a sandbox, without a network and with
   * made-up values; absent if it was not. It does not affect the score.
   */
  inspection?: Inspection;
  packageArguments?: Argument[];
  registryBaseUrl?: string;
  runtimeArguments?: Argument[];
  runtimeHint?: string;
  version?: string;
}

export interface PackageTransport {
  type: string;
  headers?: Variable[];
  url?: string;
}

export interface PageNumbers {
  /** With a cursor, the page that contains its first entry. */
  page: number;
  limit: number;
  /** Exact. */
  total: number;
  /**
   * Number of pages that can be requested: with a search text, those up to the 10,000th
   * result.
   */
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

/** The members of a record that were asked for. */
export interface PartialServer {
  category?: Category;
  categoryConfidence?: number;
  /**
   * Share of servers like this one that had a commit by a person in the next 90 days. Not part
   * of the score. `null` if it is not known or the repository is archived. See
   * docs/scoring.md.
   */
  commitChance?: number | null;
  confidence?: Confidence | null;
  contributors?: number | null;
  /** Slug of an older server of another owner that this one looks like a copy of. */
  copyOf?: string | null;
  /** Why it looks like a copy or look-alike, in sentences. */
  copyReason?: string | null;
  /** When copyOf or lookAlikeOf was first found. */
  copySince?: string | null;
  coverage?: number | null;
  createdAt?: string | null;
  description?: string | null;
  downloads?: number | null;
  /** When the oldest of these counts was read. */
  downloadsAt?: string | null;
  /** By registry type */
  downloadsBreakdown?: Record<string, number | null>;
  downloadsPeriod?: string;
  environmentVariables?: Variable[];
  forks?: number | null;
  framework?: string | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade?: Grade | null;
  healthScore?: number | null;
  homepage?: string | null;
  icon?: string | null;
  id?: string;
  install?: Install;
  language?: string | null;
  lastCommitAt?: string | null;
  lastCrawledAt?: string | null;
  latestVersion?: string | null;
  license?: string | null;
  /** Relative to the base address. */
  links?: Links;
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness?: ServerLiveness | null;
  /** Slug of a better known server whose name or namespace this one imitates. */
  lookAlikeOf?: string | null;
  name?: string;
  /** The vendor of the product itself publishes the server. */
  official?: boolean;
  /** Why it is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  openIssues?: number | null;
  owner?: Owner | null;
  /** As in the official server.json, schema 2025-12-11. */
  packages?: Package[];
  popularity?: number | null;
  qualityScore?: number | null;
  registryName?: string | null;
  releasedAt?: string | null;
  remotes?: Remote[];
  repository?: RepositoryDetail;
  scoreHigh?: number | null;
  scoreLow?: number | null;
  scoreVersion?: string | null;
  scoredAt?: string | null;
  /** Read from dependency manifests. */
  sdk?: Sdk | null;
  /** The next category that fits, where the first is uncertain; null otherwise. */
  secondCategory?: Category | null;
  /** The same as id. */
  slug?: string;
  sources?: Source[];
  stars?: number | null;
  status?: Status;
  statusMessage?: string | null;
  /** The replacement that the owner of a deprecated or archived server links. */
  successor?: string | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools break,
   * each once. Findings of rules, not verdicts; null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  /**
   * Parts of the tools' texts that may hide something or manipulate a model. Findings of
   * rules, not verdicts.
   */
  suspiciousTexts?: SuspiciousText[];
  tags?: string[];
  title?: string | null;
  toolCount?: number | null;
  /** Where the tools are from; null if they are unknown. */
  toolList?: ToolList | null;
  /** About how many tokens the tools take of a model's context (o200k_base). */
  toolTokens?: number | null;
  /** Null if unknown. */
  tools?: Tool[] | null;
  transports?: Transport[];
  updatedAt?: string | null;
  /**
   * Linked: the package or registry entry and the repository name each other. Not a safety
   * review.
   */
  verified?: boolean;
  /** Which name each other, as a sentence; null if not verified. */
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
  /** Of a month. */
  priceUsd: number;
  /** On /v1, per UTC day and account; null is unlimited. */
  requestsPerDay: number | null;
  /** On /api, with a key of the plan, per UTC hour; null is unlimited. */
  requestsPerHour: number | null;
  features: OwnAccountPlanFeatures;
  /** What the plan has besides limits, and what the operator promises. */
  includes: string[];
  /** Whether the plan can be had: it is free, or the operator sells it. */
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
  /** The title again. */
  error: string;
  requestId: string;
  /** With server_not_found: slugs that may have been meant, best first. */
  candidates?: string[];
  errors?: FieldError[];
  instance?: string;
  /** With plan_upgrade_required: the plans that include it, the cheapest first. */
  requiredPlans?: PlanId[];
  /** With scope_required: what the key lacks. */
  requiredScopes?: string[];
}

/** A record or, with the status deleted, a server that is no longer listed. */
export interface RecordChange {
  id: string;
  status: Status;
  category?: Category;
  categoryConfidence?: number;
  /** When it was removed; only with the status deleted. */
  changedAt?: string;
  /**
   * Share of servers like this one that had a commit by a person in the next 90 days. Not part
   * of the score. `null` if it is not known or the repository is archived. See
   * docs/scoring.md.
   */
  commitChance?: number | null;
  confidence?: Confidence | null;
  contributors?: number | null;
  /** Slug of an older server of another owner that this one looks like a copy of. */
  copyOf?: string | null;
  /** Why it looks like a copy or look-alike, in sentences. */
  copyReason?: string | null;
  /** When copyOf or lookAlikeOf was first found. */
  copySince?: string | null;
  coverage?: number | null;
  createdAt?: string | null;
  description?: string | null;
  downloads?: number | null;
  /** When the oldest of these counts was read. */
  downloadsAt?: string | null;
  /** By registry type */
  downloadsBreakdown?: Record<string, number | null>;
  downloadsPeriod?: string;
  environmentVariables?: Variable[];
  forks?: number | null;
  framework?: string | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade?: Grade | null;
  healthScore?: number | null;
  homepage?: string | null;
  icon?: string | null;
  install?: Install;
  language?: string | null;
  lastCommitAt?: string | null;
  lastCrawledAt?: string | null;
  latestVersion?: string | null;
  license?: string | null;
  /** Relative to the base address. */
  links?: Links;
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness?: ServerLiveness | null;
  /** Slug of a better known server whose name or namespace this one imitates. */
  lookAlikeOf?: string | null;
  name?: string;
  /** The vendor of the product itself publishes the server. */
  official?: boolean;
  /** Why it is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  openIssues?: number | null;
  owner?: Owner | null;
  /** As in the official server.json, schema 2025-12-11. */
  packages?: Package[];
  popularity?: number | null;
  qualityScore?: number | null;
  registryName?: string | null;
  releasedAt?: string | null;
  remotes?: Remote[];
  repository?: RepositoryDetail;
  scoreHigh?: number | null;
  scoreLow?: number | null;
  scoreVersion?: string | null;
  scoredAt?: string | null;
  /** Read from dependency manifests. */
  sdk?: Sdk | null;
  /** The next category that fits, where the first is uncertain; null otherwise. */
  secondCategory?: Category | null;
  /** The same as id. */
  slug?: string;
  sources?: Source[];
  stars?: number | null;
  statusMessage?: string | null;
  /** The replacement that the owner of a deprecated or archived server links. */
  successor?: string | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools break,
   * each once. Findings of rules, not verdicts; null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  /**
   * Parts of the tools' texts that may hide something or manipulate a model. Findings of
   * rules, not verdicts.
   */
  suspiciousTexts?: SuspiciousText[];
  tags?: string[];
  title?: string | null;
  toolCount?: number | null;
  /** Where the tools are from; null if they are unknown. */
  toolList?: ToolList | null;
  /** About how many tokens the tools take of a model's context (o200k_base). */
  toolTokens?: number | null;
  /** Null if unknown. */
  tools?: Tool[] | null;
  transports?: Transport[];
  updatedAt?: string | null;
  /**
   * Linked: the package or registry entry and the repository name each other. Not a safety
   * review.
   */
  verified?: boolean;
  /** Which name each other, as a sentence; null if not verified. */
  verifiedReason?: string | null;
}

export interface RecordChangePage {
  /** In the order of the changes. */
  changes: RecordChange[];
  /** The value of `after` that continues here. */
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

/** What this registry knows of a server. Unknown values are null. Absent for deleted servers. */
export interface RegistryMeta {
  /** The slug, as in /v1/servers/{id}. */
  id: string;
  score: number | null;
  scoreLow: number | null;
  scoreHigh: number | null;
  grade: string | null;
  scoreVersion: string | null;
  computedAt: string | null;
  popularity: number | null;
  category: string;
  tags: string[];
  /** The document was made by this registry; its owner has not published it. */
  synthesized: boolean;
  /**
   * Paths in a published document that were changed because clients misread them: versions of
   * images that have a tag, missing descriptions of variables, and `-y` for npx. `packages`
   * and `remotes` are those of the install command, because clients would start another one of
   * the document, such as an older version.
   */
  repaired: string[];
  official: boolean;
  verified: boolean;
  stars: number | null;
  downloads30d: number | null;
  /** When the repository was read. */
  lastCrawledAt: string | null;
  /** When the oldest of the counts of downloads was read. */
  downloadsAt: string | null;
  tools: EntryTools | null;
  /** The best state of the remotes, with the date and uptime of the first one that has it. */
  liveness: EntryLiveness | null;
  flags: string[];
  copyOf: string | null;
  /** When copyOf was first found. */
  copySince: string | null;
  /** The install command of this registry. */
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
  /** Whether the endpoint answers our probes; null if it was not probed. */
  liveness: Liveness | null;
  variables?: Record<string, Variable>;
}

export interface Repository {
  url: string | null;
  owner: string | null;
  name: string | null;
  subfolder: string | null;
  archived: boolean;
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
  archived: boolean;
  fork: boolean;
  pushedAt: string | null;
  commit: string | null;
}

/** Read from dependency manifests. */
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

export interface SearchPage {
  servers: Server[];
  pagination: PageNumbers;
  query: string | null;
  /** The sort in effect. */
  sort: string;
  /** Number of results with each value. Null if not requested. */
  facets: Facets | null;
  /** Milliseconds. Not part of the entity tag. */
  tookMs: number;
  /**
   * Present while the search index is unavailable. All servers are then scanned without
   * READMEs and descriptions of tools, so results may be missing.
   */
  warnings?: string[];
}

export interface SearchRequest {
  cursor?: string | null;
  facets?: boolean | null;
  filters?: Record<string, unknown> | null;
  limit?: number | null;
  page?: number | null;
  q?: string | null;
  sort?: string | null;
}

export interface Server {
  id: string;
  /** The same as id. */
  slug: string;
  name: string;
  description: string | null;
  category: Category;
  /** The next category that fits, where the first is uncertain; null otherwise. */
  secondCategory: Category | null;
  tags: string[];
  /** Read from dependency manifests. */
  sdk: Sdk | null;
  language: string | null;
  license: string | null;
  qualityScore: number | null;
  healthScore: number | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade: Grade | null;
  popularity: number | null;
  stars: number | null;
  downloads: number | null;
  /** When the oldest of the counts of downloads was read. */
  downloadsAt: string | null;
  transports: Transport[];
  remotes: Endpoint[];
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness: ServerLiveness | null;
  toolCount: number | null;
  /** About how many tokens the tools take of a model's context (o200k_base). */
  toolTokens: number | null;
  /** Where the tools are from, and when they were read; null if they are unknown. */
  toolList: ToolsRead | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools break,
   * each once. Findings of rules, not verdicts; null if the tools are unknown.
   */
  suspiciousRules: string[] | null;
  repository: Repository;
  icon: string | null;
  status: Status;
  /** The vendor of the product itself publishes the server. */
  official: boolean;
  /** Why it is official, as a sentence; null if it is not. */
  officialReason: string | null;
  /** Slug of an older server of another owner that this one looks like a copy of. */
  copyOf: string | null;
  /** Slug of a better known server whose name or namespace this one imitates. */
  lookAlikeOf: string | null;
  /** When copyOf or lookAlikeOf was first found. */
  copySince: string | null;
  /**
   * Linked: the package or registry entry and the repository name each other. Not a safety
   * review.
   */
  verified: boolean;
  updatedAt: string | null;
  /** When the repository was read, which all facts without a date of their own are from. */
  lastCrawledAt: string | null;
  scoredAt: string | null;
  /** Relative to the base address. */
  links: Links;
}

/** A list entry or, with the status deleted, a server that is no longer listed. */
export interface ServerChange {
  id: string;
  status: Status;
  category?: Category;
  /** When it was removed; only with the status deleted. */
  changedAt?: string;
  /** Slug of an older server of another owner that this one looks like a copy of. */
  copyOf?: string | null;
  /** When copyOf or lookAlikeOf was first found. */
  copySince?: string | null;
  description?: string | null;
  downloads?: number | null;
  /** When the oldest of the counts of downloads was read. */
  downloadsAt?: string | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade?: Grade | null;
  healthScore?: number | null;
  icon?: string | null;
  language?: string | null;
  /** When the repository was read, which all facts without a date of their own are from. */
  lastCrawledAt?: string | null;
  license?: string | null;
  /** Relative to the base address. */
  links?: Links;
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness?: ServerLiveness | null;
  /** Slug of a better known server whose name or namespace this one imitates. */
  lookAlikeOf?: string | null;
  name?: string;
  /** The vendor of the product itself publishes the server. */
  official?: boolean;
  /** Why it is official, as a sentence; null if it is not. */
  officialReason?: string | null;
  popularity?: number | null;
  qualityScore?: number | null;
  remotes?: Endpoint[];
  repository?: Repository;
  scoredAt?: string | null;
  /** Read from dependency manifests. */
  sdk?: Sdk | null;
  /** The next category that fits, where the first is uncertain; null otherwise. */
  secondCategory?: Category | null;
  /** The same as id. */
  slug?: string;
  stars?: number | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools break,
   * each once. Findings of rules, not verdicts; null if the tools are unknown.
   */
  suspiciousRules?: string[] | null;
  tags?: string[];
  toolCount?: number | null;
  /** Where the tools are from, and when they were read; null if they are unknown. */
  toolList?: ToolsRead | null;
  /** About how many tokens the tools take of a model's context (o200k_base). */
  toolTokens?: number | null;
  transports?: Transport[];
  updatedAt?: string | null;
  /**
   * Linked: the package or registry entry and the repository name each other. Not a safety
   * review.
   */
  verified?: boolean;
}

export interface ServerDetail {
  id: string;
  /** The same as id. */
  slug: string;
  name: string;
  registryName: string | null;
  title: string | null;
  description: string | null;
  category: Category;
  categoryConfidence: number;
  /** The next category that fits, where the first is uncertain; null otherwise. */
  secondCategory: Category | null;
  tags: string[];
  /** Read from dependency manifests. */
  sdk: Sdk | null;
  framework: string | null;
  language: string | null;
  license: string | null;
  qualityScore: number | null;
  healthScore: number | null;
  /** A from 80, B from 65, C from 50, D from 30. */
  grade: Grade | null;
  popularity: number | null;
  scoreVersion: string | null;
  scoreLow: number | null;
  scoreHigh: number | null;
  coverage: number | null;
  confidence: Confidence | null;
  /**
   * Share of servers like this one that had a commit by a person in the next 90 days. Not part
   * of the score. `null` if it is not known or the repository is archived. See
   * docs/scoring.md.
   */
  commitChance: number | null;
  stars: number | null;
  forks: number | null;
  openIssues: number | null;
  contributors: number | null;
  downloads: number | null;
  downloadsPeriod: string;
  /** By registry type */
  downloadsBreakdown: Record<string, number | null>;
  /** When the oldest of these counts was read. */
  downloadsAt: string | null;
  repository: RepositoryDetail;
  homepage: string | null;
  icon: string | null;
  owner: Owner | null;
  transports: Transport[];
  /** As in the official server.json, schema 2025-12-11. */
  packages: Package[];
  remotes: Remote[];
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness: ServerLiveness | null;
  environmentVariables: Variable[];
  /** Null if unknown. */
  tools: Tool[] | null;
  toolCount: number | null;
  /** About how many tokens the tools take of a model's context (o200k_base). */
  toolTokens: number | null;
  /** Where the tools are from; null if they are unknown. */
  toolList: ToolList | null;
  /**
   * Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools break,
   * each once. Findings of rules, not verdicts; null if the tools are unknown.
   */
  suspiciousRules: string[] | null;
  /**
   * Parts of the tools' texts that may hide something or manipulate a model. Findings of
   * rules, not verdicts.
   */
  suspiciousTexts: SuspiciousText[];
  install: Install;
  status: Status;
  statusMessage: string | null;
  /** The replacement that the owner of a deprecated or archived server links. */
  successor: string | null;
  /** The vendor of the product itself publishes the server. */
  official: boolean;
  /** Why it is official, as a sentence; null if it is not. */
  officialReason: string | null;
  /** Slug of an older server of another owner that this one looks like a copy of. */
  copyOf: string | null;
  /** Slug of a better known server whose name or namespace this one imitates. */
  lookAlikeOf: string | null;
  /** Why it looks like a copy or look-alike, in sentences. */
  copyReason: string | null;
  /** When copyOf or lookAlikeOf was first found. */
  copySince: string | null;
  /**
   * Linked: the package or registry entry and the repository name each other. Not a safety
   * review.
   */
  verified: boolean;
  /** Which name each other, as a sentence; null if not verified. */
  verifiedReason: string | null;
  latestVersion: string | null;
  releasedAt: string | null;
  sources: Source[];
  createdAt: string | null;
  updatedAt: string | null;
  lastCommitAt: string | null;
  lastCrawledAt: string | null;
  scoredAt: string | null;
  /** Relative to the base address. */
  links: Links;
}

export interface ServerEntry {
  /**
   * A server.json: as its owner published it in the official registry, or made from what this
   * registry knows (schema 2025-12-11). See https://github.com/modelcontextprotocol/registry.
   */
  server: ServerJSON;
  /**
   * `io.modelcontextprotocol.registry/official` is an OfficialMeta. The member of this
   * registry's namespace is a RegistryMeta.
   */
  _meta: Record<string, unknown>;
}

export interface ServerEntryList {
  servers: ServerEntry[];
  metadata: EntryMetadata;
}

/**
 * A server.json: as its owner published it in the official registry, or made from what this
 * registry knows (schema 2025-12-11). See https://github.com/modelcontextprotocol/registry.
 */
export interface ServerJSON {
  name: string;
  description: string;
  version: string;
  [name: string]: unknown;
}

/**
 * The best of the remotes: alive (answers without a login), gated (requires a login,
 * credentials or a payment), down, unknown. Null without remotes.
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
   * Present while the search index is unavailable. All servers are then scanned without
   * READMEs and descriptions of tools, so results may be missing.
   */
  warnings?: string[];
}

export interface Source {
  name: string;
  firstSeenAt: string | null;
  lastSeenAt: string | null;
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
  /** Invisible characters are shown as their code points. */
  quote: string;
}

export interface Tool {
  name: string;
  title: string | null;
  description: string | null;
  /**
   * JSON Schema of the parameters; null if unknown. A schema read from prose says so in
   * $comment, and may omit types and required parameters.
   */
  inputSchema: Record<string, unknown> | null;
  /** The hints of the tool, as MCP defines them; null if it has none or they are unknown. */
  annotations: Record<string, unknown> | null;
  /** SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC 8785). */
  hash: string | null;
  /** About how many tokens the definition takes of a model's context (o200k_base). */
  tokens: number | null;
  /** Source of the description, if that is not the source of the list. */
  descriptionSource?: string;
  /** Source of the input schema, if that is not the source of the list. */
  inputSchemaSource?: string;
}

export interface ToolChange {
  name: string;
  kind: ToolChangeKind;
  /** What was changed. */
  fields: ToolChangeField[];
  /** Null before a tool was added and after it was removed. */
  before: ToolDefinition | null;
  /** Null before a tool was added and after it was removed. */
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
  /** The slug. */
  server: string;
  /** Newest first. */
  changes: ToolListChange[];
}

/** Null before a tool was added and after it was removed. */
export interface ToolDefinition {
  description: string | null;
  annotations: Record<string, unknown> | null;
  hash: string | null;
}

export interface ToolEntry {
  /** The name of the server, or with level=tool the slug and the tool, "server/tool". */
  name: string;
  description: string;
  /** URL of the repository, or of the folder of the server in it. */
  source: string;
  /** Command that starts the server; null if unknown. */
  installation: string | null;
  quality_score: number | null;
  inputSchema: Record<string, unknown> | null;
  /** One member, named by the registry. */
  _meta: Record<string, ToolEntryMeta>;
}

export interface ToolEntryMeta {
  id: string;
  /** Owner of the repository. */
  owner: string | null;
  /** The vendor of the product itself publishes the server. */
  official: boolean;
  status: Status;
  category: Category;
  transports: Transport[];
  remotes: Endpoint[];
  /**
   * The best of the remotes: alive (answers without a login), gated (requires a login,
   * credentials or a payment), down, unknown. Null without remotes.
   */
  liveness: ServerLiveness | null;
  install: ToolEntryMetaInstall | null;
  /** When the repository was read. */
  lastCrawledAt: string | null;
  scoredAt: string | null;
  /** With level=tool: name of the tool. */
  tool?: string;
  /** Where the tools are from, and when they were read; null if they are unknown. */
  toolList?: ToolsRead;
}

export interface ToolEntryMetaInstall {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Where the tools are from; null if they are unknown. */
export interface ToolList {
  /**
   * From the most to the least reliable: a remote endpoint answered, the published package
   * answered in a sandbox, a manifest lists them, the source code registers them, the README
   * lists them.
   */
  source: ToolSource;
  /**
   * The published package whose archive was read, if source is `source`; null if the
   * repository was read, and for other sources.
   */
  package: ToolPackage | null;
  /** The version of the server that has these tools. */
  version: string | null;
  readAt: string | null;
  /** Changes if and only if the hash of a tool changes. */
  hash: string | null;
  /** Sum over the tools. Sort by it with sort=toolTokens. */
  tokens: number | null;
  /** URL of the endpoint that listed the tools, if one did. */
  endpoint?: string;
}

export interface ToolListChange {
  /** When the list was first seen. */
  at: string;
  source: ToolSource;
  /**
   * The published package whose archive was read, if source is `source`; null if the
   * repository was read, and for other sources.
   */
  package: ToolPackage | null;
  /** Of the server that has these tools; null if unknown. */
  version: string | null;
  /**
   * The source of the list before, if it is another one: then the change may be one of the
   * source only. It is `source` for both if one list is from the repository and the other from
   * the archive of a package.
   */
  formerSource: string | null;
  /**
   * The last version with the former list of the same source or, if there is none, with the
   * list of `formerSource`; null if unknown.
   */
  formerVersion: string | null;
  /** The tools changed while the version stayed the same. */
  withoutNewVersion: boolean;
  toolCount: number;
  /** Hash of the new list. */
  hash: string | null;
  /** The tools that differ, by name; empty if there is no former list of the same source. */
  tools: ToolChange[];
}

/**
 * The published package whose archive was read, if source is `source`; null if the repository
 * was read, and for other sources.
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
   * Present while the search index is unavailable. All servers are then scanned without
   * READMEs and descriptions of tools, so results may be missing.
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

/** Where the tools are from, and when they were read; null if they are unknown. */
export interface ToolsRead {
  source: ToolSource;
  /** The version of the server that has these tools. */
  version: string | null;
  readAt: string | null;
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
  /** A deleted key has neither name nor prefix. */
  key: UsageEntryKey;
  calls: number;
}

/** A deleted key has neither name nor prefix. */
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
   * Against what: JSON, the JSON schema, the rules of the official registry, or the rules
   * about clients.
   */
  type: ValidationIssueType;
  /** Where: `packages[0].transport.url`; empty for the whole file. */
  path: string;
  message: string;
  severity: ValidationIssueSeverity;
  /** The name of the rule, or the place in the schema. */
  reference: string;
  /** In characters. Absent if unknown. */
  column?: number;
  /** URL of an explanation. */
  docs?: string;
  /** Where the value begins. Absent if unknown. */
  line?: number;
}

export type ValidationIssueSeverity =
  | "error"
  | "warning"
  | "info"
  | (string & {});

/**
 * Against what: JSON, the JSON schema, the rules of the official registry, or the rules about
 * clients.
 */
export type ValidationIssueType =
  | "json"
  | "schema"
  | "semantic"
  | "linter"
  | (string & {});

export interface ValidationResult {
  /** Whether no issue has the severity error. */
  valid: boolean;
  /** At most 200, errors first. If there are more, the last one says how many. */
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
  /** What the {names} in the value mean. */
  variables?: Record<string, Variable>;
}

export interface View {
  name: string;
  title: string;
  description: string;
  /** The base URL for clients. */
  url: string;
  /** The most servers that the view has. */
  max: number;
}

export interface Views {
  views: View[];
}

/** Data of `server.advisory`. */
export interface WebhookAdvisoryData {
  server: WebhookServer;
  advisories: WebhookAdvisoryItem[];
  /** The number of all. */
  count: number;
}

export interface WebhookAdvisoryItem {
  id: string;
  severity: string;
  /** The first version without it. */
  fixedIn?: string;
  package?: string;
  title?: string;
  url?: string;
}

export interface WebhookDeliveries {
  deliveries: WebhookDelivery[];
  /** The parameter of the next page; null on the last. */
  before: number | null;
}

export interface WebhookDelivery {
  id: number;
  /** The header `webhook-id`. */
  eventId: string;
  state: WebhookDeliveryState;
  /** Since it was created or resent. */
  attempts: number;
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  /** Null if there was no response. */
  responseStatus: number | null;
  error: string | null;
  durationMs: number | null;
  deliveredAt: string | null;
  createdAt: string;
  /**
   * The body of a delivery, less than 20 kB. `data` depends on `type`, of which there may be
   * more in future. Events of servers have the server as it is after the event, or was before
   * it was gone. Long lists are shortened; `count` is the number of all.
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
  /** Null for all. */
  events: WebhookEventType[] | null;
  /** Null for all. */
  servers: string[] | null;
  search: string | null;
  enabled: boolean;
  disabledAt: string | null;
  /**
   * `owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for five
   * days. `search`: its custom endpoint was deleted.
   */
  disabledReason: WebhookEndpointDisabledReason | null;
  /** Null if the last attempt succeeded. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  links: WebhookEndpointLinks;
}

/**
 * `owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for five
 * days. `search`: its custom endpoint was deleted.
 */
export type WebhookEndpointDisabledReason =
  | "owner"
  | "gone"
  | "failing"
  | "search"
  | (string & {});

export interface WebhookEndpointLinks {
  self: string;
  deliveries: string;
}

export interface WebhookEndpointRequest {
  /** https, with a public host name and the port 443 or one from 1024 on. */
  url: string;
  description?: string | null;
  enabled?: boolean | null;
  /** Types to send. Absent, null or empty: all. */
  events?: WebhookEventType[] | null;
  /**
   * Name of a custom endpoint without `q` (Enterprise plan): only events of servers that are
   * or were among its results. Required for `view.changed`. Not together with `servers`.
   */
  search?: string | null;
  /** IDs of servers. Absent, null or empty: all servers. */
  servers?: string[] | null;
}

export interface WebhookEndpointWithSecret {
  id: number;
  url: string;
  description: string | null;
  /** Null for all. */
  events: WebhookEventType[] | null;
  /** Null for all. */
  servers: string[] | null;
  search: string | null;
  enabled: boolean;
  disabledAt: string | null;
  /**
   * `owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for five
   * days. `search`: its custom endpoint was deleted.
   */
  disabledReason: WebhookEndpointDisabledReason | null;
  /** Null if the last attempt succeeded. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  links: WebhookEndpointLinks;
  /** `whsec_` and base64. Signs the deliveries. */
  secret: string;
}

export interface WebhookEndpoints {
  webhooks: WebhookEndpoint[];
  count: number;
  /** Of the plan. Beyond it, the newest endpoints receive nothing. */
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
  | "view.changed"
  | (string & {});

/**
 * The body of a delivery, less than 20 kB. `data` depends on `type`, of which there may be
 * more in future. Events of servers have the server as it is after the event, or was before it
 * was gone. Long lists are shortened; `count` is the number of all.
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
  | { type: "view.changed"; timestamp: string; data: WebhookViewData }
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
  /** The URL. */
  repository: string;
  status: Status;
  score: number | null;
  /** Absent without a score. */
  grade?: string;
  /** The latest version; absent if it is unknown. */
  version?: string;
}

/** Data of `server.listed` and `server.gone`. */
export interface WebhookServerData {
  server: WebhookServer;
}

/** Data of `server.deprecated` and `server.archived`. */
export interface WebhookStatusData {
  server: WebhookServer;
  /** What its owner says; absent if nothing. */
  message?: string;
  /** The repository that replaces it; absent if it is unknown. */
  successorUrl?: string;
}

/** Data of `webhook.test`. */
export interface WebhookTestData {
  message: string;
}

/** Data of `server.tools_changed`. The lists have names of tools. */
export interface WebhookToolsData {
  server: WebhookServer;
  /** Where the list is from. */
  source: string;
  package: string | null;
  /** Whether the list before was of the same version. */
  withoutNewVersion: boolean;
  added: string[];
  removed: string[];
  changed: string[];
  /** The number of all. */
  count: number;
  version?: string;
}

/** Data of `server.updated`. */
export interface WebhookUpdatedData {
  server: WebhookServer;
  /** Names of members. */
  changed: string[];
}

/** Data of `server.version`. */
export interface WebhookVersionData {
  server: WebhookServer;
  before: string;
  after: string;
}

/** Data of `view.changed`. The lists have IDs of servers. */
export interface WebhookViewData {
  /** The name of the custom endpoint. */
  view: string;
  added: string[];
  removed: string[];
  /** The number of all. */
  count: number;
}
