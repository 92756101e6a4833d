// Code generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.

package census

import (
	"encoding/json"
	"time"
)

// AllowedServer: Exactly one of `serverUrl` and `serverCommand` is present.
type AllowedServer struct {
	ServerCommand []string `json:"serverCommand,omitzero"`
	ServerURL     string   `json:"serverUrl,omitzero"`
}

type Analytics struct {
	Server string                 `json:"server"`
	Period AnalyticsPeriod        `json:"period"`
	Totals AnalyticsTotals        `json:"totals"`
	Trends AnalyticsTrends        `json:"trends"`
	Rank   AnalyticsRank          `json:"rank"`
	Series []AnalyticsSeriesEntry `json:"series"`
}

type AnalyticsPeriod struct {
	From     string                  `json:"from"`
	To       string                  `json:"to"`
	Interval AnalyticsPeriodInterval `json:"interval"`
}

type AnalyticsPeriodInterval = string

// Known values of AnalyticsPeriodInterval. A newer registry may have others.
const (
	AnalyticsPeriodIntervalDay  AnalyticsPeriodInterval = "day"
	AnalyticsPeriodIntervalWeek AnalyticsPeriodInterval = "week"
)

type AnalyticsRank struct {
	Overall  *int64 `json:"overall"`
	Category *int64 `json:"category"`
	// Share of listed servers with a lower rank.
	Percentile *float64 `json:"percentile"`
	By         string   `json:"by"`
}

type AnalyticsSeriesEntry struct {
	// For weeks: Monday, or the first day of the period.
	Date  string `json:"date"`
	Stars *int64 `json:"stars"`
	Forks *int64 `json:"forks"`
	// Downloads on the day or in the week; null unless known for every package and day.
	Downloads         *int64 `json:"downloads"`
	Score             *int64 `json:"score"`
	Views             *int64 `json:"views"`
	APIHits           *int64 `json:"apiHits"`
	SearchImpressions *int64 `json:"searchImpressions"`
	HealthChecks      *int64 `json:"healthChecks"`
	InstallClicks     *int64 `json:"installClicks"`
	BadgeViews        *int64 `json:"badgeViews"`
}

type AnalyticsTotals struct {
	Stars *int64 `json:"stars"`
	Forks *int64 `json:"forks"`
	// Of the last 30 days: total, and by registry type.
	Downloads AnalyticsTotalsDownloads `json:"downloads"`
	// Events counted by this registry in the period.
	Directory AnalyticsTotalsDirectory `json:"directory"`
}

// AnalyticsTotalsDirectory: Events counted by this registry in the period.
type AnalyticsTotalsDirectory struct {
	Views             *int64 `json:"views"`
	APIHits           *int64 `json:"apiHits"`
	SearchImpressions *int64 `json:"searchImpressions"`
	HealthChecks      *int64 `json:"healthChecks"`
	InstallClicks     *int64 `json:"installClicks"`
	BadgeViews        *int64 `json:"badgeViews"`
}

// AnalyticsTotalsDownloads: Of the last 30 days: total, and by registry type.
type AnalyticsTotalsDownloads struct {
	Total *int64 `json:"total"`
	// Others are the other members.
	Others map[string]*int64 `json:"-"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *AnalyticsTotalsDownloads) UnmarshalJSON(text []byte) error {
	type named AnalyticsTotalsDownloads
	return readOpen(text, (*named)(v), &v.Others)
}

// MarshalJSON implements [json.Marshaler].
func (v AnalyticsTotalsDownloads) MarshalJSON() ([]byte, error) {
	type named AnalyticsTotalsDownloads
	return writeOpen(named(v), v.Others)
}

type AnalyticsTrends struct {
	Stars     Trend                `json:"stars"`
	Downloads Trend                `json:"downloads"`
	Score     AnalyticsTrendsScore `json:"score"`
}

type AnalyticsTrendsScore struct {
	Delta *int64 `json:"delta"`
}

type Argument struct {
	Type        string   `json:"type"`
	Choices     []string `json:"choices,omitzero"`
	Default     string   `json:"default,omitzero"`
	Description string   `json:"description,omitzero"`
	Format      string   `json:"format,omitzero"`
	IsRepeated  bool     `json:"isRepeated,omitzero"`
	IsRequired  bool     `json:"isRequired,omitzero"`
	IsSecret    bool     `json:"isSecret,omitzero"`
	Name        string   `json:"name,omitzero"`
	// An example value.
	Placeholder string `json:"placeholder,omitzero"`
	Value       string `json:"value,omitzero"`
	ValueHint   string `json:"valueHint,omitzero"`
	// Variables for the {names} in the value.
	Variables map[string]Variable `json:"variables,omitzero"`
}

type BulkAnswer struct {
	Servers  []PartialServer `json:"servers"`
	NotFound []string        `json:"notFound"`
	Count    int64           `json:"count"`
}

type BulkRequest struct {
	Fields     []DetailMember `json:"fields,omitempty"`
	GithubURLs []string       `json:"githubUrls,omitempty"`
	IDs        []string       `json:"ids,omitempty"`
	Names      []string       `json:"names,omitempty"`
}

type Cap struct {
	ID     string `json:"id"`
	Max    int64  `json:"max"`
	Reason string `json:"reason"`
	// Whether it lowered this score.
	Applied bool `json:"applied"`
	// Source of the reason, as of a risk. Null if it follows from the results of all checks
	// or is unknown.
	Source *string `json:"source"`
	// When the source was read.
	At *time.Time `json:"at"`
}

type Categories struct {
	Categories []CategoryCount `json:"categories"`
	// Number of listed servers.
	Total int64 `json:"total"`
}

type Category = string

// Known values of Category. A newer registry may have others.
const (
	CategoryDatabase      Category = "database"
	CategoryTools         Category = "tools"
	CategoryCommunication Category = "communication"
	CategoryIntegration   Category = "integration"
	CategoryAPI           Category = "api"
	CategorySecurity      Category = "security"
	CategoryAnalytics     Category = "analytics"
	CategoryAutomation    Category = "automation"
	CategoryData          Category = "data"
	CategoryProductivity  Category = "productivity"
)

type CategoryCount struct {
	ID          Category `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Count       int64    `json:"count"`
}

type ChangePage struct {
	// Servers, in the order of their last changes.
	Changes []ServerChange `json:"changes"`
	// Value of `after` for the next request.
	Next    int64 `json:"next"`
	HasMore bool  `json:"hasMore"`
}

type Check struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Outcome of the check.
	Result CheckResult `json:"result"`
	State  CheckState  `json:"state"`
	// Points earned.
	Points float64 `json:"points"`
	// Points available.
	Max float64 `json:"max"`
	// Explanation of the result.
	Reason   string     `json:"reason"`
	Evidence []Evidence `json:"evidence"`
	// How to pass the check; null if there is nothing to fix.
	Fix *string `json:"fix"`
	// Source of the fact; null if unknown.
	Source *string `json:"source"`
	// When the fact was observed; null if unknown.
	ObservedAt *time.Time `json:"observedAt"`
	// Path of the documentation of the check.
	Docs string `json:"docs"`
}

// CheckResult: Outcome of the check.
type CheckResult = string

// Known values of CheckResult. A newer registry may have others.
const (
	CheckResultPass          CheckResult = "pass"
	CheckResultPartial       CheckResult = "partial"
	CheckResultFail          CheckResult = "fail"
	CheckResultUnknown       CheckResult = "unknown"
	CheckResultNotApplicable CheckResult = "notApplicable"
)

type CheckState = string

// Known values of CheckState. A newer registry may have others.
const (
	CheckStateOk       CheckState = "ok"
	CheckStateUnknown  CheckState = "unknown"
	CheckStateNa       CheckState = "na"
	CheckStateWithheld CheckState = "withheld"
)

type Confidence = string

// Known values of Confidence. A newer registry may have others.
const (
	ConfidenceHigh   Confidence = "high"
	ConfidenceMedium Confidence = "medium"
	ConfidenceLow    Confidence = "low"
)

type Custom struct {
	Name string  `json:"name"`
	Q    *string `json:"q"`
	// Fields: category, sdk, language, framework, tags, license, transport, type (remote or
	// package), liveness (alive, gated, down, unknown), registryType, owner, source, risks
	// (kinds of risks), status, official, verified, copy, archived, grade, qualityScore,
	// minScore (qualityScore gte), popularity, stars, downloads, toolCount, toolTokens,
	// tools, updatedAt, createdAt. At most 16 kB, 40 conditions and 100 values per list.
	// Numbers are at least 0.
	Filters map[string]any `json:"filters"`
	Sort    *string        `json:"sort"`
	// Members of the records; null means those of a list entry.
	Fields    []DetailMember `json:"fields"`
	Limit     int64          `json:"limit"`
	Facets    bool           `json:"facets"`
	CreatedAt time.Time      `json:"createdAt"`
	UpdatedAt time.Time      `json:"updatedAt"`
	Links     CustomLinks    `json:"links"`
}

type CustomLinks struct {
	Self       string `json:"self"`
	Definition string `json:"definition"`
}

type CustomPage struct {
	// List entries, or the members listed in the definition.
	Servers    []PartialServer `json:"servers"`
	Pagination PageNumbers     `json:"pagination"`
	Name       string          `json:"name"`
	Query      *string         `json:"query"`
	Sort       string          `json:"sort"`
	// Number of results by value. Null if not requested.
	Facets *Facets `json:"facets"`
	TookMs float64 `json:"tookMs"`
	// Present while the search index is unavailable. The search then does not cover READMEs
	// and tool descriptions, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

type CustomRequest struct {
	Facets  *bool          `json:"facets,omitempty"`
	Fields  []DetailMember `json:"fields,omitempty"`
	Filters map[string]any `json:"filters,omitempty"`
	Limit   *int64         `json:"limit,omitempty"`
	Q       *string        `json:"q,omitempty"`
	Sort    *string        `json:"sort,omitempty"`
}

type CustomView struct {
	URL string `json:"url"`
}

type Customs struct {
	Customs []Custom `json:"customs"`
	Count   int64    `json:"count"`
	Max     int64    `json:"max"`
}

type DetailMember = string

// Known values of DetailMember. A newer registry may have others.
const (
	DetailMemberID                   DetailMember = "id"
	DetailMemberSlug                 DetailMember = "slug"
	DetailMemberName                 DetailMember = "name"
	DetailMemberRegistryName         DetailMember = "registryName"
	DetailMemberTitle                DetailMember = "title"
	DetailMemberDescription          DetailMember = "description"
	DetailMemberCategory             DetailMember = "category"
	DetailMemberCategoryConfidence   DetailMember = "categoryConfidence"
	DetailMemberSecondCategory       DetailMember = "secondCategory"
	DetailMemberTags                 DetailMember = "tags"
	DetailMemberSDK                  DetailMember = "sdk"
	DetailMemberFramework            DetailMember = "framework"
	DetailMemberLanguage             DetailMember = "language"
	DetailMemberLicense              DetailMember = "license"
	DetailMemberLicenseSource        DetailMember = "licenseSource"
	DetailMemberQualityScore         DetailMember = "qualityScore"
	DetailMemberHealthScore          DetailMember = "healthScore"
	DetailMemberGrade                DetailMember = "grade"
	DetailMemberPopularity           DetailMember = "popularity"
	DetailMemberScoreVersion         DetailMember = "scoreVersion"
	DetailMemberScoreLow             DetailMember = "scoreLow"
	DetailMemberScoreHigh            DetailMember = "scoreHigh"
	DetailMemberCoverage             DetailMember = "coverage"
	DetailMemberConfidence           DetailMember = "confidence"
	DetailMemberCommitChance         DetailMember = "commitChance"
	DetailMemberStars                DetailMember = "stars"
	DetailMemberForks                DetailMember = "forks"
	DetailMemberOpenIssues           DetailMember = "openIssues"
	DetailMemberContributors         DetailMember = "contributors"
	DetailMemberDownloads            DetailMember = "downloads"
	DetailMemberDownloadsPeriod      DetailMember = "downloadsPeriod"
	DetailMemberDownloadsBreakdown   DetailMember = "downloadsBreakdown"
	DetailMemberDownloadsAt          DetailMember = "downloadsAt"
	DetailMemberRepository           DetailMember = "repository"
	DetailMemberHomepage             DetailMember = "homepage"
	DetailMemberIcon                 DetailMember = "icon"
	DetailMemberOwner                DetailMember = "owner"
	DetailMemberTransports           DetailMember = "transports"
	DetailMemberPackages             DetailMember = "packages"
	DetailMemberRemotes              DetailMember = "remotes"
	DetailMemberLiveness             DetailMember = "liveness"
	DetailMemberLivenessAt           DetailMember = "livenessAt"
	DetailMemberEnvironmentVariables DetailMember = "environmentVariables"
	DetailMemberTools                DetailMember = "tools"
	DetailMemberToolCount            DetailMember = "toolCount"
	DetailMemberToolTokens           DetailMember = "toolTokens"
	DetailMemberToolList             DetailMember = "toolList"
	DetailMemberSuspiciousRules      DetailMember = "suspiciousRules"
	DetailMemberSuspiciousTexts      DetailMember = "suspiciousTexts"
	DetailMemberRisks                DetailMember = "risks"
	DetailMemberInstall              DetailMember = "install"
	DetailMemberStatus               DetailMember = "status"
	DetailMemberStatusMessage        DetailMember = "statusMessage"
	DetailMemberSuccessor            DetailMember = "successor"
	DetailMemberOfficial             DetailMember = "official"
	DetailMemberOfficialReason       DetailMember = "officialReason"
	DetailMemberCopyOf               DetailMember = "copyOf"
	DetailMemberLookAlikeOf          DetailMember = "lookAlikeOf"
	DetailMemberCopyReason           DetailMember = "copyReason"
	DetailMemberCopySince            DetailMember = "copySince"
	DetailMemberVerified             DetailMember = "verified"
	DetailMemberVerifiedReason       DetailMember = "verifiedReason"
	DetailMemberLatestVersion        DetailMember = "latestVersion"
	DetailMemberLatestVersionSource  DetailMember = "latestVersionSource"
	DetailMemberReleasedAt           DetailMember = "releasedAt"
	DetailMemberSources              DetailMember = "sources"
	DetailMemberCreatedAt            DetailMember = "createdAt"
	DetailMemberUpdatedAt            DetailMember = "updatedAt"
	DetailMemberLastCommitAt         DetailMember = "lastCommitAt"
	DetailMemberLastCrawledAt        DetailMember = "lastCrawledAt"
	DetailMemberScoredAt             DetailMember = "scoredAt"
	DetailMemberLinks                DetailMember = "links"
)

type Dump struct {
	// UTC.
	Date   string `json:"date"`
	Bytes  int64  `json:"bytes"`
	Sha256 string `json:"sha256"`
	URL    string `json:"url"`
}

type Dumps struct {
	Dumps []Dump `json:"dumps"`
}

// Endpoint: A remote endpoint, as in lists.
type Endpoint struct {
	Type string `json:"type"`
	URL  string `json:"url"`
	// Result of probing the endpoint; null if it was not probed.
	Liveness *Liveness `json:"liveness"`
}

type EndpointState = string

// Known values of EndpointState. A newer registry may have others.
const (
	EndpointStateAliveOpen         EndpointState = "alive_open"
	EndpointStateAliveGated        EndpointState = "alive_gated"
	EndpointStateGatedUndocumented EndpointState = "gated_undocumented"
	EndpointStateWrongTransport    EndpointState = "wrong_transport"
	EndpointStateNotMCP            EndpointState = "not_mcp"
	EndpointStatePaid              EndpointState = "paid"
	EndpointStateRefused           EndpointState = "refused"
	EndpointStateUnreachable       EndpointState = "unreachable"
	EndpointStateUnknown           EndpointState = "unknown"
)

type EntryLinks struct {
	HTML   string `json:"html"`
	Health string `json:"health"`
}

// EntryLiveness: Best state of any remote, with the time and uptime of the first remote
// in that state.
type EntryLiveness struct {
	State     string     `json:"state"`
	CheckedAt *time.Time `json:"checkedAt"`
	// Share of successful probes in the last 30 days; null if there were none.
	Uptime30 *float64 `json:"uptime30"`
	// Number of probes in the last 30 days.
	Probes int64 `json:"probes"`
}

type EntryMetadata struct {
	// Records on this page.
	Count int64 `json:"count"`
	// Absent on the last page.
	NextCursor string `json:"nextCursor,omitzero"`
}

type EntryTools struct {
	Count       *int64  `json:"count"`
	Tokens      *int64  `json:"tokens"`
	Fingerprint *string `json:"fingerprint"`
	Source      *string `json:"source"`
	// Server version that the tools belong to.
	Version *string    `json:"version"`
	ReadAt  *time.Time `json:"readAt"`
}

type Evidence struct {
	Type string  `json:"type"`
	Ref  string  `json:"ref"`
	URL  *string `json:"url"`
	Text string  `json:"text,omitzero"`
}

// Facets: Number of results by value. Null if not requested.
type Facets struct {
	Category  map[string]int64 `json:"category"`
	SDK       map[string]int64 `json:"sdk"`
	License   map[string]int64 `json:"license"`
	Transport map[string]int64 `json:"transport"`
	Grade     map[string]int64 `json:"grade"`
}

type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Grade: Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30.
type Grade = string

// Known values of Grade. A newer registry may have others.
const (
	GradeA Grade = "A"
	GradeB Grade = "B"
	GradeC Grade = "C"
	GradeD Grade = "D"
	GradeF Grade = "F"
)

type Health struct {
	// Slug; null if the server is not listed.
	Server *string `json:"server"`
	// URL of the repository.
	GithubURL *string `json:"githubUrl"`
	// Folder of the server in the repository; null for the root.
	Subfolder *string `json:"subfolder"`
	// Whether the server is listed.
	Indexed bool `json:"indexed"`
	// Null if the code host blocks the repository.
	IsMCPServer *bool `json:"isMcpServer"`
	// Whether the vendor of the product publishes the server; null if there is no server.
	Official *bool        `json:"official"`
	Status   HealthStatus `json:"status"`
	// Health score, 0 to 100; null if there is none.
	Score *int64 `json:"score"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade"`
	// Score if all unknown checks failed.
	ScoreLow *int64 `json:"scoreLow"`
	// Score if all unknown checks passed.
	ScoreHigh *int64 `json:"scoreHigh"`
	// Share of the weight of the checks that was measured, 0 to 1.
	Coverage   *float64    `json:"coverage"`
	Confidence *Confidence `json:"confidence"`
	// Estimated probability of a commit by a person in the next 90 days: the share of
	// similar servers that had one. Not part of the score. Null if unknown or if the
	// repository is archived. See docs/scoring.md.
	CommitChance *float64 `json:"commitChance"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity"`
	// Version of the score model.
	ScoreVersion *string `json:"scoreVersion"`
	// Commit that was checked; null if unknown.
	Commit *string `json:"commit"`
	// When the score was computed.
	ComputedAt *time.Time `json:"computedAt"`
	// Categories with their checks.
	Breakdown []HealthCategory `json:"breakdown"`
	// Upper limits on the score.
	Caps []Cap `json:"caps"`
	// Flags of the report; see docs/scoring.md.
	Flags []string `json:"flags"`
	Risks []Risk   `json:"risks"`
	// Latest published or released version, otherwise the version in the manifest; null if
	// unknown.
	LatestVersion *string `json:"latestVersion"`
	// Source of the latest version and when it was read; null if unknown. The source is the
	// registry type of a package, such as npm, or release or tag (of the repository),
	// official-registry (the entry) or manifest (in the repository).
	LatestVersionSource *VersionSource `json:"latestVersionSource"`
	// Parts of the tools' texts that may hide instructions or manipulate a model. Matches
	// of rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts"`
	// Results of starting the packages in a sandbox; empty if none was started.
	Inspections []PackageInspection `json:"inspections"`
	// Fixes that raise the score, largest gain first.
	Improve []Improvement `json:"improve"`
	Links   HealthLinks   `json:"links"`
	// Whether the report is outdated because the repository could not be rechecked.
	Stale bool `json:"stale"`
	// Problems with the request, such as ignored parameters.
	Warnings []string `json:"warnings"`
	// Servers of the repository, if it has several and the URL does not select one.
	Members []Member `json:"members,omitzero"`
	// Why a repository that is not listed does or does not count as an MCP server.
	Reason string `json:"reason,omitzero"`
}

type HealthCategory struct {
	Category string  `json:"category"`
	Weight   float64 `json:"weight"`
	// Score of the category; null if no check applies, or if less than 35% of its weight
	// was measured.
	Score    *float64 `json:"score"`
	Coverage float64  `json:"coverage"`
	Checks   []Check  `json:"checks"`
}

type HealthLinks struct {
	Self    *string `json:"self"`
	History *string `json:"history"`
	Badge   *string `json:"badge"`
	HTML    *string `json:"html"`
}

type HealthStatus = string

// Known values of HealthStatus. A newer registry may have others.
const (
	HealthStatusScored           HealthStatus = "scored"
	HealthStatusInsufficientData HealthStatus = "insufficient_data"
	HealthStatusGone             HealthStatus = "gone"
	HealthStatusEmpty            HealthStatus = "empty"
	HealthStatusBlocked          HealthStatus = "blocked"
)

type Improvement struct {
	Check string  `json:"check"`
	Gain  float64 `json:"gain"`
	Text  string  `json:"text"`
}

// Inspection: Result of starting a package in a sandbox, without network access and with
// made-up values. Does not affect the score. Absent from a package that was not started.
type Inspection struct {
	Outcome InspectionOutcome `json:"outcome"`
	// When the package was started.
	At *time.Time `json:"at"`
	// Last line of its error output, shortened.
	Detail string `json:"detail,omitzero"`
	// Host names that it looked up at startup, before any tool was called. Excludes lookups
	// that bypass the system resolver, and lookups by container images.
	Hosts []string `json:"hosts,omitzero"`
	// Number of prompts.
	Prompts int64 `json:"prompts,omitzero"`
	// MCP protocol revision.
	Protocol string `json:"protocol,omitzero"`
	// Number of resources.
	Resources int64 `json:"resources,omitzero"`
	// Version that was started.
	Version string `json:"version,omitzero"`
}

type InspectionOutcome = string

// Known values of InspectionOutcome. A newer registry may have others.
const (
	InspectionOutcomeListed           InspectionOutcome = "listed"
	InspectionOutcomeNeedsCredentials InspectionOutcome = "needs_credentials"
	InspectionOutcomeNeedsService     InspectionOutcome = "needs_service"
	InspectionOutcomeCrashed          InspectionOutcome = "crashed"
	InspectionOutcomeTimeout          InspectionOutcome = "timeout"
	InspectionOutcomeNoStdio          InspectionOutcome = "no_stdio"
	InspectionOutcomeInstallFailed    InspectionOutcome = "install_failed"
)

type Install struct {
	// Command that starts the server; null if unknown.
	Command *string `json:"command"`
	// Reason why there is no command; null if there is one.
	Reason *string `json:"reason"`
	// Configuration for each client. `mcpServers` is the format that most clients accept,
	// with placeholders (YOUR_NAME) for values to fill in; the other members only contain
	// placeholders that their client expands.
	Clients map[string]any `json:"clients"`
}

type KeyScope = string

// Known values of KeyScope. A newer registry may have others.
const (
	KeyScopeRead      KeyScope = "read"
	KeyScopeAnalytics KeyScope = "analytics"
	KeyScopeCustom    KeyScope = "custom"
	KeyScopeWebhooks  KeyScope = "webhooks"
)

// Links: URLs relative to the base URL.
type Links struct {
	// The complete record. Requires a key; the others do not.
	Self   string `json:"self"`
	HTML   string `json:"html"`
	Health string `json:"health"`
	Badge  string `json:"badge"`
}

// Liveness: Result of probing the endpoint; null if it was not probed.
type Liveness struct {
	State EndpointState `json:"state"`
	// When the state was last observed.
	CheckedAt *time.Time `json:"checkedAt"`
	// When its summary state (alive, gated, down or unknown) last changed.
	Since *time.Time `json:"since"`
	// When the endpoint was first probed; null if unknown. If since is the same, the state
	// may be older.
	FirstProbeAt *time.Time `json:"firstProbeAt"`
	// Share of successful probes in the last 30 days; null if there were none.
	Uptime30 *float64 `json:"uptime30"`
	// Number of probes in the last 30 days.
	Probes int64 `json:"probes"`
	// MCP protocol revision.
	Protocol string `json:"protocol,omitzero"`
	// Cause of the state, such as dns, tls, timeout, connection or "status 503".
	Reason string `json:"reason,omitzero"`
}

type ManagedSettings struct {
	AllowedMCPServers []AllowedServer `json:"allowedMcpServers"`
}

type Member struct {
	// Slug; null if the server is not listed.
	Server    *string `json:"server"`
	Name      string  `json:"name"`
	Subfolder *string `json:"subfolder"`
	Score     *int64  `json:"score"`
	// Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30.
	Grade *Grade `json:"grade"`
	// When the score was computed.
	ComputedAt *time.Time `json:"computedAt"`
	// URL of the server's health report.
	Health *string `json:"health"`
}

type NumberedPage struct {
	Servers    []Server    `json:"servers"`
	Pagination PageNumbers `json:"pagination"`
	// Present while the search index is unavailable. The search then does not cover READMEs
	// and tool descriptions, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

// OfficialMeta: Metadata of a version, in the format of the official registry.
type OfficialMeta struct {
	Status          OfficialMetaStatus `json:"status"`
	StatusChangedAt time.Time          `json:"statusChangedAt"`
	// When the version was published or, if unknown, when the server was first listed here.
	PublishedAt   time.Time `json:"publishedAt"`
	IsLatest      bool      `json:"isLatest"`
	StatusMessage string    `json:"statusMessage,omitzero"`
	// When the record last changed in this registry.
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
}

type OfficialMetaStatus = string

// Known values of OfficialMetaStatus. A newer registry may have others.
const (
	OfficialMetaStatusActive     OfficialMetaStatus = "active"
	OfficialMetaStatusDeprecated OfficialMetaStatus = "deprecated"
	OfficialMetaStatusDeleted    OfficialMetaStatus = "deleted"
)

type OwnAccount struct {
	Plan   OwnAccountPlan   `json:"plan"`
	Limits OwnAccountLimits `json:"limits"`
	Key    OwnAccountKey    `json:"key"`
}

type OwnAccountKey struct {
	ID        int64      `json:"id"`
	Name      *string    `json:"name"`
	Prefix    *string    `json:"prefix"`
	ExpiresAt *time.Time `json:"expiresAt"`
	// Permissions of the key.
	Scopes []KeyScope `json:"scopes"`
	// IP addresses and networks that may use the key. Empty means all.
	Addresses []string `json:"addresses"`
}

type OwnAccountLimits struct {
	// Requests per UTC day; null if unlimited.
	Limit *int64 `json:"limit"`
	// Requests made today, including this one; null if unknown.
	Used      *int64    `json:"used"`
	Remaining *int64    `json:"remaining"`
	ResetAt   time.Time `json:"resetAt"`
	// `resetAt` as a Unix timestamp in seconds, as in X-RateLimit-Reset.
	Reset int64 `json:"reset"`
}

type OwnAccountPlan struct {
	ID   PlanID `json:"id"`
	Name string `json:"name"`
	// Price per month in US dollars.
	PriceUsd int64 `json:"priceUsd"`
	// Requests to /v1 per UTC day and account; null if unlimited.
	RequestsPerDay *int64 `json:"requestsPerDay"`
	// Requests to /api per UTC hour with a key of the account; null if unlimited.
	RequestsPerHour *int64                 `json:"requestsPerHour"`
	Features        OwnAccountPlanFeatures `json:"features"`
	// Features of the plan, and promises of the operator.
	Includes []string `json:"includes"`
	// Whether the plan is available: it is free, or the operator sells it.
	Offered bool `json:"offered"`
	// When the plan ends; null if it renews or has no end.
	Until *time.Time `json:"until"`
	// Plan after `until`; null if unchanged.
	Next *string `json:"next"`
}

type OwnAccountPlanFeatures struct {
	Analytics       bool `json:"analytics"`
	Bulk            bool `json:"bulk"`
	Changes         bool `json:"changes"`
	CustomEndpoints bool `json:"customEndpoints"`
}

type Owner struct {
	Login string  `json:"login"`
	Type  *string `json:"type"`
	// URL of the avatar, served by this registry. A picture of the first letter if there is
	// no avatar.
	AvatarURL *string `json:"avatarUrl"`
}

type Package struct {
	RegistryType         string           `json:"registryType"`
	Identifier           string           `json:"identifier"`
	Transport            PackageTransport `json:"transport"`
	EnvironmentVariables []Variable       `json:"environmentVariables,omitzero"`
	FileSha256           string           `json:"fileSha256,omitzero"`
	// Result of starting a package in a sandbox, without network access and with made-up
	// values. Does not affect the score. Absent from a package that was not started.
	Inspection       Inspection `json:"inspection,omitzero"`
	PackageArguments []Argument `json:"packageArguments,omitzero"`
	RegistryBaseURL  string     `json:"registryBaseUrl,omitzero"`
	RuntimeArguments []Argument `json:"runtimeArguments,omitzero"`
	RuntimeHint      string     `json:"runtimeHint,omitzero"`
	Version          string     `json:"version,omitzero"`
}

type PackageInspection struct {
	RegistryType string `json:"registryType"`
	Identifier   string `json:"identifier"`
	// Result of starting a package in a sandbox, without network access and with made-up
	// values. Does not affect the score. Absent from a package that was not started.
	Inspection Inspection `json:"inspection"`
}

type PackageTransport struct {
	Type    string     `json:"type"`
	Headers []Variable `json:"headers,omitzero"`
	URL     string     `json:"url,omitzero"`
}

type PageNumbers struct {
	// Page number. With a cursor, the page that contains the first returned entry.
	Page  int64 `json:"page"`
	Limit int64 `json:"limit"`
	// Exact number of results.
	Total int64 `json:"total"`
	// Number of pages that can be requested. With a search text, results end at the
	// 10,000th.
	TotalPages int64   `json:"totalPages"`
	HasNext    bool    `json:"hasNext"`
	HasPrev    bool    `json:"hasPrev"`
	NextCursor *string `json:"nextCursor"`
}

type Pagination struct {
	Total      int64   `json:"total"`
	Limit      int64   `json:"limit"`
	Offset     int64   `json:"offset"`
	HasMore    bool    `json:"hasMore"`
	NextOffset *int64  `json:"nextOffset"`
	NextCursor *string `json:"nextCursor"`
}

// PartialServer: The requested members of a record.
type PartialServer struct {
	// Best-matching category.
	Category Category `json:"category,omitzero"`
	// Confidence in category, 0 to 1.
	CategoryConfidence float64 `json:"categoryConfidence,omitzero"`
	// Estimated probability of a commit by a person in the next 90 days: the share of
	// similar servers that had one. Not part of the score. Null if unknown or if the
	// repository is archived. See docs/scoring.md.
	CommitChance *float64    `json:"commitChance,omitzero"`
	Confidence   *Confidence `json:"confidence,omitzero"`
	// Number of contributors; null if unknown.
	Contributors *int64 `json:"contributors,omitzero"`
	// Slug of the original, if this server looks like a copy of an older server of another
	// owner; otherwise null.
	CopyOf *string `json:"copyOf,omitzero"`
	// Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set.
	CopyReason *string `json:"copyReason,omitzero"`
	// When copyOf or lookAlikeOf was first set; null if neither is.
	CopySince *time.Time `json:"copySince,omitzero"`
	// Share of the weight of the checks that was measured, 0 to 1.
	Coverage *float64 `json:"coverage,omitzero"`
	// When the repository was created; null if unknown.
	CreatedAt   *time.Time `json:"createdAt,omitzero"`
	Description *string    `json:"description,omitzero"`
	// Downloads of all packages in the last 30 days; null if unknown.
	Downloads *int64 `json:"downloads,omitzero"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// Downloads by registry type; null if unknown.
	DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown,omitzero"`
	DownloadsPeriod    string            `json:"downloadsPeriod,omitzero"`
	// Environment variables of all packages.
	EnvironmentVariables []Variable `json:"environmentVariables,omitzero"`
	// Forks of the repository; null if unknown.
	Forks *int64 `json:"forks,omitzero"`
	// Server framework; null if unknown.
	Framework *string `json:"framework,omitzero"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade,omitzero"`
	// Same as qualityScore.
	HealthScore *int64 `json:"healthScore,omitzero"`
	// URL of the website; null if unknown.
	Homepage *string `json:"homepage,omitzero"`
	// URL of the icon; null if there is none.
	Icon *string `json:"icon,omitzero"`
	// Slug of the server, unique in this registry.
	ID      string  `json:"id,omitzero"`
	Install Install `json:"install,omitzero"`
	// Main programming language; null if unknown.
	Language *string `json:"language,omitzero"`
	// When a person last committed; null if unknown.
	LastCommitAt *time.Time `json:"lastCommitAt,omitzero"`
	// When the repository was last crawled; null if it was not.
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	// Latest published or released version, otherwise the version in the manifest; null if
	// unknown.
	LatestVersion *string `json:"latestVersion,omitzero"`
	// Source of the latest version and when it was read; null if unknown. The source is the
	// registry type of a package, such as npm, or release or tag (of the repository),
	// official-registry (the entry) or manifest (in the repository).
	LatestVersionSource *VersionSource `json:"latestVersionSource,omitzero"`
	// License, usually an SPDX identifier; null if unknown.
	License *string `json:"license,omitzero"`
	// Code host, such as github, which read the license file; manifest if only a manifest
	// names the license. Read at lastCrawledAt.
	LicenseSource *string `json:"licenseSource,omitzero"`
	// URLs relative to the base URL.
	Links Links `json:"links,omitzero"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt,omitzero"`
	// Slug of the better-known server whose name or namespace this one imitates; otherwise
	// null.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	// Display name.
	Name string `json:"name,omitzero"`
	// Whether the vendor of the product publishes the server.
	Official bool `json:"official,omitzero"`
	// Evidence that the server is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason,omitzero"`
	// Open issues, without pull requests; null if unknown.
	OpenIssues *int64 `json:"openIssues,omitzero"`
	Owner      *Owner `json:"owner,omitzero"`
	// Published packages, as in the official server.json (schema 2025-12-11).
	Packages []Package `json:"packages,omitzero"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity,omitzero"`
	// Health score, 0 to 100; null if the server has none.
	QualityScore *int64 `json:"qualityScore,omitzero"`
	// Name in the official registry; null if there is none.
	RegistryName *string `json:"registryName,omitzero"`
	// When the latest version was released; null if unknown.
	ReleasedAt *time.Time       `json:"releasedAt,omitzero"`
	Remotes    []Remote         `json:"remotes,omitzero"`
	Repository RepositoryDetail `json:"repository,omitzero"`
	// Reasons not to use the server, as in `/api/health`; empty if none is known.
	Risks []Risk `json:"risks,omitzero"`
	// Score if all unknown checks passed.
	ScoreHigh *int64 `json:"scoreHigh,omitzero"`
	// Score if all unknown checks failed.
	ScoreLow *int64 `json:"scoreLow,omitzero"`
	// Version of the score model.
	ScoreVersion *string `json:"scoreVersion,omitzero"`
	// When the score was computed; null without a score.
	ScoredAt *time.Time `json:"scoredAt,omitzero"`
	// MCP SDK, from the dependency manifests; null if unknown.
	SDK *SDK `json:"sdk,omitzero"`
	// Second-best category if the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// Same as id.
	Slug string `json:"slug,omitzero"`
	// Sources that list the server.
	Sources []Source `json:"sources,omitzero"`
	// Stars of the repository; null if unknown.
	Stars  *int64 `json:"stars,omitzero"`
	Status Status `json:"status,omitzero"`
	// Message from the owner about the status; null if there is none.
	StatusMessage *string `json:"statusMessage,omitzero"`
	// URL of the replacement that the owner of a deprecated or archived server links to;
	// null if unknown.
	Successor *string `json:"successor,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// match, each once. Matches are not verdicts. Null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	// Parts of the tools' texts that may hide instructions or manipulate a model. Matches
	// of rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts,omitzero"`
	Tags            []string         `json:"tags,omitzero"`
	Title           *string          `json:"title,omitzero"`
	// Number of tools; null if unknown.
	ToolCount *int64 `json:"toolCount,omitzero"`
	// Source of the tools; null if the tools are unknown.
	ToolList *ToolList `json:"toolList,omitzero"`
	// Approximate number of tokens that the tool definitions use in a model's context
	// (o200k_base); null if unknown.
	ToolTokens *int64 `json:"toolTokens,omitzero"`
	// Tools of the server; null if unknown.
	Tools      []Tool      `json:"tools,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	// When the record last changed.
	UpdatedAt *time.Time `json:"updatedAt,omitzero"`
	// Whether the package or registry entry and the repository link to each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
	// Evidence for verified, as a sentence; null if not verified.
	VerifiedReason *string `json:"verifiedReason,omitzero"`
}

type Pending struct {
	Status    PendingStatus `json:"status"`
	GithubURL string        `json:"githubUrl"`
	StatusURL string        `json:"statusUrl"`
}

type PendingStatus = string

// Known values of PendingStatus. A newer registry may have others.
const (
	PendingStatusPending PendingStatus = "pending"
)

type Plan struct {
	ID   PlanID `json:"id"`
	Name string `json:"name"`
	// Price per month in US dollars.
	PriceUsd int64 `json:"priceUsd"`
	// Requests to /v1 per UTC day and account; null if unlimited.
	RequestsPerDay *int64 `json:"requestsPerDay"`
	// Requests to /api per UTC hour with a key of the account; null if unlimited.
	RequestsPerHour *int64                 `json:"requestsPerHour"`
	Features        OwnAccountPlanFeatures `json:"features"`
	// Features of the plan, and promises of the operator.
	Includes []string `json:"includes"`
	// Whether the plan is available: it is free, or the operator sells it.
	Offered bool `json:"offered"`
}

type PlanID = string

// Known values of PlanID. A newer registry may have others.
const (
	PlanIDBasic        PlanID = "basic"
	PlanIDProfessional PlanID = "professional"
	PlanIDEnterprise   PlanID = "enterprise"
)

type Plans struct {
	Plans []Plan `json:"plans"`
}

// Problem: RFC 9457, with additional members.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int64  `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
	// Same as title.
	Error     string `json:"error"`
	RequestID string `json:"requestId"`
	// With `server_not_found`: similar slugs, best match first.
	Candidates []string     `json:"candidates,omitzero"`
	Errors     []FieldError `json:"errors,omitzero"`
	Instance   string       `json:"instance,omitzero"`
	// With `plan_upgrade_required`: the plans that include the feature, cheapest first.
	RequiredPlans []PlanID `json:"requiredPlans,omitzero"`
	// With `scope_required`: the missing scopes.
	RequiredScopes []string `json:"requiredScopes,omitzero"`
}

// RecordChange: A record or, with the status deleted, a server that is no longer listed.
type RecordChange struct {
	// Slug of the server, unique in this registry.
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Best-matching category.
	Category Category `json:"category,omitzero"`
	// Confidence in category, 0 to 1.
	CategoryConfidence float64 `json:"categoryConfidence,omitzero"`
	// When the server was removed. Only with the status deleted.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Estimated probability of a commit by a person in the next 90 days: the share of
	// similar servers that had one. Not part of the score. Null if unknown or if the
	// repository is archived. See docs/scoring.md.
	CommitChance *float64    `json:"commitChance,omitzero"`
	Confidence   *Confidence `json:"confidence,omitzero"`
	// Number of contributors; null if unknown.
	Contributors *int64 `json:"contributors,omitzero"`
	// Slug of the original, if this server looks like a copy of an older server of another
	// owner; otherwise null.
	CopyOf *string `json:"copyOf,omitzero"`
	// Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set.
	CopyReason *string `json:"copyReason,omitzero"`
	// When copyOf or lookAlikeOf was first set; null if neither is.
	CopySince *time.Time `json:"copySince,omitzero"`
	// Share of the weight of the checks that was measured, 0 to 1.
	Coverage *float64 `json:"coverage,omitzero"`
	// When the repository was created; null if unknown.
	CreatedAt   *time.Time `json:"createdAt,omitzero"`
	Description *string    `json:"description,omitzero"`
	// Downloads of all packages in the last 30 days; null if unknown.
	Downloads *int64 `json:"downloads,omitzero"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// Downloads by registry type; null if unknown.
	DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown,omitzero"`
	DownloadsPeriod    string            `json:"downloadsPeriod,omitzero"`
	// Environment variables of all packages.
	EnvironmentVariables []Variable `json:"environmentVariables,omitzero"`
	// Forks of the repository; null if unknown.
	Forks *int64 `json:"forks,omitzero"`
	// Server framework; null if unknown.
	Framework *string `json:"framework,omitzero"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade,omitzero"`
	// Same as qualityScore.
	HealthScore *int64 `json:"healthScore,omitzero"`
	// URL of the website; null if unknown.
	Homepage *string `json:"homepage,omitzero"`
	// URL of the icon; null if there is none.
	Icon    *string `json:"icon,omitzero"`
	Install Install `json:"install,omitzero"`
	// Main programming language; null if unknown.
	Language *string `json:"language,omitzero"`
	// When a person last committed; null if unknown.
	LastCommitAt *time.Time `json:"lastCommitAt,omitzero"`
	// When the repository was last crawled; null if it was not.
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	// Latest published or released version, otherwise the version in the manifest; null if
	// unknown.
	LatestVersion *string `json:"latestVersion,omitzero"`
	// Source of the latest version and when it was read; null if unknown. The source is the
	// registry type of a package, such as npm, or release or tag (of the repository),
	// official-registry (the entry) or manifest (in the repository).
	LatestVersionSource *VersionSource `json:"latestVersionSource,omitzero"`
	// License, usually an SPDX identifier; null if unknown.
	License *string `json:"license,omitzero"`
	// Code host, such as github, which read the license file; manifest if only a manifest
	// names the license. Read at lastCrawledAt.
	LicenseSource *string `json:"licenseSource,omitzero"`
	// URLs relative to the base URL.
	Links Links `json:"links,omitzero"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt,omitzero"`
	// Slug of the better-known server whose name or namespace this one imitates; otherwise
	// null.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	// Display name.
	Name string `json:"name,omitzero"`
	// Whether the vendor of the product publishes the server.
	Official bool `json:"official,omitzero"`
	// Evidence that the server is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason,omitzero"`
	// Open issues, without pull requests; null if unknown.
	OpenIssues *int64 `json:"openIssues,omitzero"`
	Owner      *Owner `json:"owner,omitzero"`
	// Published packages, as in the official server.json (schema 2025-12-11).
	Packages []Package `json:"packages,omitzero"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity,omitzero"`
	// Health score, 0 to 100; null if the server has none.
	QualityScore *int64 `json:"qualityScore,omitzero"`
	// Name in the official registry; null if there is none.
	RegistryName *string `json:"registryName,omitzero"`
	// When the latest version was released; null if unknown.
	ReleasedAt *time.Time       `json:"releasedAt,omitzero"`
	Remotes    []Remote         `json:"remotes,omitzero"`
	Repository RepositoryDetail `json:"repository,omitzero"`
	// Reasons not to use the server, as in `/api/health`; empty if none is known.
	Risks []Risk `json:"risks,omitzero"`
	// Score if all unknown checks passed.
	ScoreHigh *int64 `json:"scoreHigh,omitzero"`
	// Score if all unknown checks failed.
	ScoreLow *int64 `json:"scoreLow,omitzero"`
	// Version of the score model.
	ScoreVersion *string `json:"scoreVersion,omitzero"`
	// When the score was computed; null without a score.
	ScoredAt *time.Time `json:"scoredAt,omitzero"`
	// MCP SDK, from the dependency manifests; null if unknown.
	SDK *SDK `json:"sdk,omitzero"`
	// Second-best category if the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// Same as id.
	Slug string `json:"slug,omitzero"`
	// Sources that list the server.
	Sources []Source `json:"sources,omitzero"`
	// Stars of the repository; null if unknown.
	Stars *int64 `json:"stars,omitzero"`
	// Message from the owner about the status; null if there is none.
	StatusMessage *string `json:"statusMessage,omitzero"`
	// URL of the replacement that the owner of a deprecated or archived server links to;
	// null if unknown.
	Successor *string `json:"successor,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// match, each once. Matches are not verdicts. Null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	// Parts of the tools' texts that may hide instructions or manipulate a model. Matches
	// of rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts,omitzero"`
	Tags            []string         `json:"tags,omitzero"`
	Title           *string          `json:"title,omitzero"`
	// Number of tools; null if unknown.
	ToolCount *int64 `json:"toolCount,omitzero"`
	// Source of the tools; null if the tools are unknown.
	ToolList *ToolList `json:"toolList,omitzero"`
	// Approximate number of tokens that the tool definitions use in a model's context
	// (o200k_base); null if unknown.
	ToolTokens *int64 `json:"toolTokens,omitzero"`
	// Tools of the server; null if unknown.
	Tools      []Tool      `json:"tools,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	// When the record last changed.
	UpdatedAt *time.Time `json:"updatedAt,omitzero"`
	// Whether the package or registry entry and the repository link to each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
	// Evidence for verified, as a sentence; null if not verified.
	VerifiedReason *string `json:"verifiedReason,omitzero"`
}

type RecordChangePage struct {
	// Servers, in the order of their last changes.
	Changes []RecordChange `json:"changes"`
	// Value of `after` for the next request.
	Next    int64 `json:"next"`
	HasMore bool  `json:"hasMore"`
}

type RegistryAppVersion struct {
	Version   string `json:"version"`
	GitCommit string `json:"git_commit"`
	BuildTime string `json:"build_time"`
}

type RegistryHealth struct {
	Status string `json:"status"`
}

// RegistryMeta: This registry's data about a server. Unknown values are null. Absent for
// deleted servers.
type RegistryMeta struct {
	// Slug of the server, as in /v1/servers/{id}.
	ID           string     `json:"id"`
	Score        *int64     `json:"score"`
	ScoreLow     *int64     `json:"scoreLow"`
	ScoreHigh    *int64     `json:"scoreHigh"`
	Grade        *string    `json:"grade"`
	ScoreVersion *string    `json:"scoreVersion"`
	ComputedAt   *time.Time `json:"computedAt"`
	Popularity   *int64     `json:"popularity"`
	Category     string     `json:"category"`
	Tags         []string   `json:"tags"`
	// Whether this registry generated the document because its owner has not published one.
	Synthesized bool `json:"synthesized"`
	// Paths in a published document that this registry changed because clients misread the
	// original: versions of tagged images, missing descriptions of variables, and `-y` for
	// npx. `packages` and `remotes` are reduced to the one of the install command, because
	// clients might start another one, such as an older version.
	Repaired     []string `json:"repaired"`
	Official     bool     `json:"official"`
	Verified     bool     `json:"verified"`
	Stars        *int64   `json:"stars"`
	Downloads30d *int64   `json:"downloads30d"`
	// When the repository was last crawled.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time  `json:"downloadsAt"`
	Tools       *EntryTools `json:"tools"`
	// Best state of any remote, with the time and uptime of the first remote in that state.
	Liveness *EntryLiveness `json:"liveness"`
	// Flags of the report; see docs/scoring.md.
	Flags []string `json:"flags"`
	Risks []Risk   `json:"risks"`
	// Slug of the server that this one copies.
	CopyOf *string `json:"copyOf"`
	// Slug of the better known server that this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf"`
	// When copyOf or lookAlikeOf was first set.
	CopySince *time.Time `json:"copySince"`
	// Install command generated by this registry.
	Command *string    `json:"command"`
	Links   EntryLinks `json:"links"`
}

type RegistryPing struct {
	Pong bool `json:"pong"`
}

type Remote struct {
	Type    string     `json:"type"`
	URL     string     `json:"url"`
	Headers []Variable `json:"headers"`
	// Result of probing the endpoint; null if it was not probed.
	Liveness  *Liveness           `json:"liveness"`
	Variables map[string]Variable `json:"variables,omitzero"`
}

type Repository struct {
	URL       *string `json:"url"`
	Owner     *string `json:"owner"`
	Name      *string `json:"name"`
	Subfolder *string `json:"subfolder"`
	Archived  bool    `json:"archived"`
}

type RepositoryDetail struct {
	URL    *string `json:"url"`
	Source *string `json:"source"`
	// Numeric ID on the code host.
	ID            *string    `json:"id"`
	Owner         *string    `json:"owner"`
	Name          *string    `json:"name"`
	Subfolder     *string    `json:"subfolder"`
	DefaultBranch *string    `json:"defaultBranch"`
	Archived      bool       `json:"archived"`
	Fork          bool       `json:"fork"`
	PushedAt      *time.Time `json:"pushedAt"`
	Commit        *string    `json:"commit"`
}

// Risk: A reason not to use a server.
type Risk struct {
	// `malware`, `dead`, `hidden-instructions`, `deprecated`, `vulnerable`, `not-mcp`,
	// `copy`, `look-alike`, `suspicious-text`, `endpoint-down` (all remote endpoints are
	// down) or `tools-changed` (an endpoint lists other tools than before, in the same
	// version).
	Kind string `json:"kind"`
	Text string `json:"text"`
	// What reports it, such as `probe`, `osv` or `github`. Null if unknown.
	Source *string `json:"source"`
	// When it was found or last confirmed.
	At *time.Time `json:"at"`
}

// SDK: MCP SDK, from the dependency manifests; null if unknown.
type SDK = string

// Known values of SDK. A newer registry may have others.
const (
	SDKTypescript SDK = "typescript"
	SDKPython     SDK = "python"
	SDKGo         SDK = "go"
	SDKJava       SDK = "java"
	SDKKotlin     SDK = "kotlin"
	SDKCsharp     SDK = "csharp"
	SDKRust       SDK = "rust"
	SDKSwift      SDK = "swift"
	SDKRuby       SDK = "ruby"
	SDKPhp        SDK = "php"
	SDKOther      SDK = "other"
)

type SearchPage struct {
	Servers    []Server    `json:"servers"`
	Pagination PageNumbers `json:"pagination"`
	Query      *string     `json:"query"`
	// Effective sort order.
	Sort string `json:"sort"`
	// Number of results by value. Null if not requested.
	Facets *Facets `json:"facets"`
	// Duration of the search in milliseconds. Not part of the entity tag.
	TookMs float64 `json:"tookMs"`
	// Present while the search index is unavailable. The search then does not cover READMEs
	// and tool descriptions, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

type SearchRequest struct {
	Cursor  *string        `json:"cursor,omitempty"`
	Facets  *bool          `json:"facets,omitempty"`
	Filters map[string]any `json:"filters,omitempty"`
	Limit   *int64         `json:"limit,omitempty"`
	Page    *int64         `json:"page,omitempty"`
	Q       *string        `json:"q,omitempty"`
	Sort    *string        `json:"sort,omitempty"`
}

type Server struct {
	// Slug of the server, unique in this registry.
	ID string `json:"id"`
	// Same as id.
	Slug string `json:"slug"`
	// Display name.
	Name        string  `json:"name"`
	Description *string `json:"description"`
	// Best-matching category.
	Category Category `json:"category"`
	// Second-best category if the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory"`
	Tags           []string  `json:"tags"`
	// MCP SDK, from the dependency manifests; null if unknown.
	SDK *SDK `json:"sdk"`
	// Main programming language; null if unknown.
	Language *string `json:"language"`
	// License, usually an SPDX identifier; null if unknown.
	License *string `json:"license"`
	// Code host, such as github, which read the license file; manifest if only a manifest
	// names the license. Read at lastCrawledAt.
	LicenseSource *string `json:"licenseSource"`
	// Health score, 0 to 100; null if the server has none.
	QualityScore *int64 `json:"qualityScore"`
	// Same as qualityScore.
	HealthScore *int64 `json:"healthScore"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity"`
	// Stars of the repository; null if unknown.
	Stars *int64 `json:"stars"`
	// Downloads of all packages in the last 30 days; null if unknown.
	Downloads *int64 `json:"downloads"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time  `json:"downloadsAt"`
	Transports  []Transport `json:"transports"`
	Remotes     []Endpoint  `json:"remotes"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt"`
	// Number of tools; null if unknown.
	ToolCount *int64 `json:"toolCount"`
	// Approximate number of tokens that the tool definitions use in a model's context
	// (o200k_base); null if unknown.
	ToolTokens *int64 `json:"toolTokens"`
	// Source of the tools and when they were read; null if the tools are unknown.
	ToolList *ToolsRead `json:"toolList"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// match, each once. Matches are not verdicts. Null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules"`
	// Reasons not to use the server, as in `/api/health`; empty if none is known.
	Risks      []Risk     `json:"risks"`
	Repository Repository `json:"repository"`
	// URL of the icon; null if there is none.
	Icon   *string `json:"icon"`
	Status Status  `json:"status"`
	// Whether the vendor of the product publishes the server.
	Official bool `json:"official"`
	// Evidence that the server is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason"`
	// Slug of the original, if this server looks like a copy of an older server of another
	// owner; otherwise null.
	CopyOf *string `json:"copyOf"`
	// Slug of the better-known server whose name or namespace this one imitates; otherwise
	// null.
	LookAlikeOf *string `json:"lookAlikeOf"`
	// When copyOf or lookAlikeOf was first set; null if neither is.
	CopySince *time.Time `json:"copySince"`
	// Whether the package or registry entry and the repository link to each other. Not a
	// safety review.
	Verified bool `json:"verified"`
	// When the record last changed.
	UpdatedAt *time.Time `json:"updatedAt"`
	// When the repository was last crawled. All facts without a separate date are from
	// then.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	// When the score was computed; null without a score.
	ScoredAt *time.Time `json:"scoredAt"`
	// URLs relative to the base URL.
	Links Links `json:"links"`
}

// ServerChange: A list entry or, with the status deleted, a server that is no longer
// listed.
type ServerChange struct {
	// Slug of the server, unique in this registry.
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Best-matching category.
	Category Category `json:"category,omitzero"`
	// When the server was removed. Only with the status deleted.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Slug of the original, if this server looks like a copy of an older server of another
	// owner; otherwise null.
	CopyOf *string `json:"copyOf,omitzero"`
	// When copyOf or lookAlikeOf was first set; null if neither is.
	CopySince   *time.Time `json:"copySince,omitzero"`
	Description *string    `json:"description,omitzero"`
	// Downloads of all packages in the last 30 days; null if unknown.
	Downloads *int64 `json:"downloads,omitzero"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade,omitzero"`
	// Same as qualityScore.
	HealthScore *int64 `json:"healthScore,omitzero"`
	// URL of the icon; null if there is none.
	Icon *string `json:"icon,omitzero"`
	// Main programming language; null if unknown.
	Language *string `json:"language,omitzero"`
	// When the repository was last crawled. All facts without a separate date are from
	// then.
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	// License, usually an SPDX identifier; null if unknown.
	License *string `json:"license,omitzero"`
	// Code host, such as github, which read the license file; manifest if only a manifest
	// names the license. Read at lastCrawledAt.
	LicenseSource *string `json:"licenseSource,omitzero"`
	// URLs relative to the base URL.
	Links Links `json:"links,omitzero"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt,omitzero"`
	// Slug of the better-known server whose name or namespace this one imitates; otherwise
	// null.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	// Display name.
	Name string `json:"name,omitzero"`
	// Whether the vendor of the product publishes the server.
	Official bool `json:"official,omitzero"`
	// Evidence that the server is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason,omitzero"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity,omitzero"`
	// Health score, 0 to 100; null if the server has none.
	QualityScore *int64     `json:"qualityScore,omitzero"`
	Remotes      []Endpoint `json:"remotes,omitzero"`
	Repository   Repository `json:"repository,omitzero"`
	// Reasons not to use the server, as in `/api/health`; empty if none is known.
	Risks []Risk `json:"risks,omitzero"`
	// When the score was computed; null without a score.
	ScoredAt *time.Time `json:"scoredAt,omitzero"`
	// MCP SDK, from the dependency manifests; null if unknown.
	SDK *SDK `json:"sdk,omitzero"`
	// Second-best category if the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// Same as id.
	Slug string `json:"slug,omitzero"`
	// Stars of the repository; null if unknown.
	Stars *int64 `json:"stars,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// match, each once. Matches are not verdicts. Null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	Tags            []string `json:"tags,omitzero"`
	// Number of tools; null if unknown.
	ToolCount *int64 `json:"toolCount,omitzero"`
	// Source of the tools and when they were read; null if the tools are unknown.
	ToolList *ToolsRead `json:"toolList,omitzero"`
	// Approximate number of tokens that the tool definitions use in a model's context
	// (o200k_base); null if unknown.
	ToolTokens *int64      `json:"toolTokens,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	// When the record last changed.
	UpdatedAt *time.Time `json:"updatedAt,omitzero"`
	// Whether the package or registry entry and the repository link to each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
}

type ServerDetail struct {
	// Slug of the server, unique in this registry.
	ID string `json:"id"`
	// Same as id.
	Slug string `json:"slug"`
	// Display name.
	Name string `json:"name"`
	// Name in the official registry; null if there is none.
	RegistryName *string `json:"registryName"`
	Title        *string `json:"title"`
	Description  *string `json:"description"`
	// Best-matching category.
	Category Category `json:"category"`
	// Confidence in category, 0 to 1.
	CategoryConfidence float64 `json:"categoryConfidence"`
	// Second-best category if the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory"`
	Tags           []string  `json:"tags"`
	// MCP SDK, from the dependency manifests; null if unknown.
	SDK *SDK `json:"sdk"`
	// Server framework; null if unknown.
	Framework *string `json:"framework"`
	// Main programming language; null if unknown.
	Language *string `json:"language"`
	// License, usually an SPDX identifier; null if unknown.
	License *string `json:"license"`
	// Code host, such as github, which read the license file; manifest if only a manifest
	// names the license. Read at lastCrawledAt.
	LicenseSource *string `json:"licenseSource"`
	// Health score, 0 to 100; null if the server has none.
	QualityScore *int64 `json:"qualityScore"`
	// Same as qualityScore.
	HealthScore *int64 `json:"healthScore"`
	// Grade of the health score; null without a score.
	Grade *Grade `json:"grade"`
	// Popularity, 0 to 100. Not part of the health score. Null if unknown.
	Popularity *int64 `json:"popularity"`
	// Version of the score model.
	ScoreVersion *string `json:"scoreVersion"`
	// Score if all unknown checks failed.
	ScoreLow *int64 `json:"scoreLow"`
	// Score if all unknown checks passed.
	ScoreHigh *int64 `json:"scoreHigh"`
	// Share of the weight of the checks that was measured, 0 to 1.
	Coverage   *float64    `json:"coverage"`
	Confidence *Confidence `json:"confidence"`
	// Estimated probability of a commit by a person in the next 90 days: the share of
	// similar servers that had one. Not part of the score. Null if unknown or if the
	// repository is archived. See docs/scoring.md.
	CommitChance *float64 `json:"commitChance"`
	// Stars of the repository; null if unknown.
	Stars *int64 `json:"stars"`
	// Forks of the repository; null if unknown.
	Forks *int64 `json:"forks"`
	// Open issues, without pull requests; null if unknown.
	OpenIssues *int64 `json:"openIssues"`
	// Number of contributors; null if unknown.
	Contributors *int64 `json:"contributors"`
	// Downloads of all packages in the last 30 days; null if unknown.
	Downloads       *int64 `json:"downloads"`
	DownloadsPeriod string `json:"downloadsPeriod"`
	// Downloads by registry type; null if unknown.
	DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown"`
	// When the oldest of the download counts was read.
	DownloadsAt *time.Time       `json:"downloadsAt"`
	Repository  RepositoryDetail `json:"repository"`
	// URL of the website; null if unknown.
	Homepage *string `json:"homepage"`
	// URL of the icon; null if there is none.
	Icon       *string     `json:"icon"`
	Owner      *Owner      `json:"owner"`
	Transports []Transport `json:"transports"`
	// Published packages, as in the official server.json (schema 2025-12-11).
	Packages []Package `json:"packages"`
	Remotes  []Remote  `json:"remotes"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt"`
	// Environment variables of all packages.
	EnvironmentVariables []Variable `json:"environmentVariables"`
	// Tools of the server; null if unknown.
	Tools []Tool `json:"tools"`
	// Number of tools; null if unknown.
	ToolCount *int64 `json:"toolCount"`
	// Approximate number of tokens that the tool definitions use in a model's context
	// (o200k_base); null if unknown.
	ToolTokens *int64 `json:"toolTokens"`
	// Source of the tools; null if the tools are unknown.
	ToolList *ToolList `json:"toolList"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// match, each once. Matches are not verdicts. Null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules"`
	// Parts of the tools' texts that may hide instructions or manipulate a model. Matches
	// of rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts"`
	// Reasons not to use the server, as in `/api/health`; empty if none is known.
	Risks   []Risk  `json:"risks"`
	Install Install `json:"install"`
	Status  Status  `json:"status"`
	// Message from the owner about the status; null if there is none.
	StatusMessage *string `json:"statusMessage"`
	// URL of the replacement that the owner of a deprecated or archived server links to;
	// null if unknown.
	Successor *string `json:"successor"`
	// Whether the vendor of the product publishes the server.
	Official bool `json:"official"`
	// Evidence that the server is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason"`
	// Slug of the original, if this server looks like a copy of an older server of another
	// owner; otherwise null.
	CopyOf *string `json:"copyOf"`
	// Slug of the better-known server whose name or namespace this one imitates; otherwise
	// null.
	LookAlikeOf *string `json:"lookAlikeOf"`
	// Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set.
	CopyReason *string `json:"copyReason"`
	// When copyOf or lookAlikeOf was first set; null if neither is.
	CopySince *time.Time `json:"copySince"`
	// Whether the package or registry entry and the repository link to each other. Not a
	// safety review.
	Verified bool `json:"verified"`
	// Evidence for verified, as a sentence; null if not verified.
	VerifiedReason *string `json:"verifiedReason"`
	// Latest published or released version, otherwise the version in the manifest; null if
	// unknown.
	LatestVersion *string `json:"latestVersion"`
	// Source of the latest version and when it was read; null if unknown. The source is the
	// registry type of a package, such as npm, or release or tag (of the repository),
	// official-registry (the entry) or manifest (in the repository).
	LatestVersionSource *VersionSource `json:"latestVersionSource"`
	// When the latest version was released; null if unknown.
	ReleasedAt *time.Time `json:"releasedAt"`
	// Sources that list the server.
	Sources []Source `json:"sources"`
	// When the repository was created; null if unknown.
	CreatedAt *time.Time `json:"createdAt"`
	// When the record last changed.
	UpdatedAt *time.Time `json:"updatedAt"`
	// When a person last committed; null if unknown.
	LastCommitAt *time.Time `json:"lastCommitAt"`
	// When the repository was last crawled; null if it was not.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	// When the score was computed; null without a score.
	ScoredAt *time.Time `json:"scoredAt"`
	// URLs relative to the base URL.
	Links Links `json:"links"`
}

type ServerEntry struct {
	// A server.json document, either as published in the official registry or generated by
	// this registry (schema 2025-12-11). See
	// https://github.com/modelcontextprotocol/registry.
	Server ServerJSON `json:"server"`
	// `io.modelcontextprotocol.registry/official` is an OfficialMeta. The member in this
	// registry's namespace is a RegistryMeta.
	Meta map[string]any `json:"_meta"`
}

type ServerEntryList struct {
	Servers  []ServerEntry `json:"servers"`
	Metadata EntryMetadata `json:"metadata"`
}

// ServerJSON: A server.json document, either as published in the official registry or
// generated by this registry (schema 2025-12-11). See
// https://github.com/modelcontextprotocol/registry.
type ServerJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	// Others are the other members.
	Others map[string]any `json:"-"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *ServerJSON) UnmarshalJSON(text []byte) error {
	type named ServerJSON
	return readOpen(text, (*named)(v), &v.Others)
}

// MarshalJSON implements [json.Marshaler].
func (v ServerJSON) MarshalJSON() ([]byte, error) {
	type named ServerJSON
	return writeOpen(named(v), v.Others)
}

// ServerLiveness: Best state of any remote: alive (responds without a login), gated
// (requires a login, credentials or a payment), down, or unknown. Null if the server has
// no remotes.
type ServerLiveness = string

// Known values of ServerLiveness. A newer registry may have others.
const (
	ServerLivenessAlive   ServerLiveness = "alive"
	ServerLivenessGated   ServerLiveness = "gated"
	ServerLivenessDown    ServerLiveness = "down"
	ServerLivenessUnknown ServerLiveness = "unknown"
)

type ServerPage struct {
	Servers    []Server   `json:"servers"`
	Pagination Pagination `json:"pagination"`
	// Present while the search index is unavailable. The search then does not cover READMEs
	// and tool descriptions, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

type Source struct {
	Name        string     `json:"name"`
	FirstSeenAt *time.Time `json:"firstSeenAt"`
	LastSeenAt  *time.Time `json:"lastSeenAt"`
}

type Status = string

// Known values of Status. A newer registry may have others.
const (
	StatusActive      Status = "active"
	StatusDeprecated  Status = "deprecated"
	StatusArchived    Status = "archived"
	StatusUnreachable Status = "unreachable"
	StatusDeleted     Status = "deleted"
)

type SuspiciousText struct {
	// R1 to R8; see docs/tools.md
	Rule  string `json:"rule"`
	Tool  string `json:"tool"`
	Field string `json:"field"`
	// Matching text. Invisible characters are shown as code points.
	Quote string `json:"quote"`
	// When that list was read.
	ReadAt time.Time `json:"readAt,omitzero"`
	// Source of the list with the tool.
	Source string `json:"source,omitzero"`
}

type Tool struct {
	Name        string  `json:"name"`
	Title       *string `json:"title"`
	Description *string `json:"description"`
	// JSON Schema of the parameters; null if unknown. A schema derived from prose has a
	// $comment and may lack types and required parameters.
	InputSchema map[string]any `json:"inputSchema"`
	// Annotations (hints) as defined by MCP; null if absent or unknown.
	Annotations map[string]any `json:"annotations"`
	// SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC
	// 8785); null if unknown.
	Hash *string `json:"hash"`
	// Approximate number of tokens that the definition uses in a model's context
	// (o200k_base); null if unknown.
	Tokens *int64 `json:"tokens"`
	// Source of the description, if it differs from the source of the list.
	DescriptionSource string `json:"descriptionSource,omitzero"`
	// Source of the input schema, if it differs from the source of the list.
	InputSchemaSource string `json:"inputSchemaSource,omitzero"`
}

type ToolChange struct {
	Name string         `json:"name"`
	Kind ToolChangeKind `json:"kind"`
	// Changed members.
	Fields []ToolChangeField `json:"fields"`
	// Definition of a tool; null before the tool was added and after it was removed.
	Before *ToolDefinition `json:"before"`
	// Definition of a tool; null before the tool was added and after it was removed.
	After *ToolDefinition `json:"after"`
}

type ToolChangeField = string

// Known values of ToolChangeField. A newer registry may have others.
const (
	ToolChangeFieldDescription ToolChangeField = "description"
	ToolChangeFieldInputSchema ToolChangeField = "inputSchema"
	ToolChangeFieldAnnotations ToolChangeField = "annotations"
)

type ToolChangeKind = string

// Known values of ToolChangeKind. A newer registry may have others.
const (
	ToolChangeKindAdded   ToolChangeKind = "added"
	ToolChangeKindRemoved ToolChangeKind = "removed"
	ToolChangeKindChanged ToolChangeKind = "changed"
)

type ToolChanges struct {
	// Slug of the server.
	Server string `json:"server"`
	// Newest first.
	Changes []ToolListChange `json:"changes"`
}

// ToolDefinition: Definition of a tool; null before the tool was added and after it was
// removed.
type ToolDefinition struct {
	Description *string        `json:"description"`
	Annotations map[string]any `json:"annotations"`
	Hash        *string        `json:"hash"`
}

type ToolEntry struct {
	// Name of the server. With level=tool, slug and tool name: "server/tool".
	Name        string `json:"name"`
	Description string `json:"description"`
	// URL of the repository, or of the server's folder in it.
	Source string `json:"source"`
	// Command that starts the server; null if unknown.
	Installation *string        `json:"installation"`
	QualityScore *int64         `json:"quality_score"`
	InputSchema  map[string]any `json:"inputSchema"`
	// Contains one member, named after the registry.
	Meta map[string]ToolEntryMeta `json:"_meta"`
}

type ToolEntryMeta struct {
	ID string `json:"id"`
	// Owner of the repository.
	Owner *string `json:"owner"`
	// Whether the vendor of the product publishes the server.
	Official   bool        `json:"official"`
	Status     Status      `json:"status"`
	Category   Category    `json:"category"`
	Transports []Transport `json:"transports"`
	Remotes    []Endpoint  `json:"remotes"`
	// Best state of any remote: alive (responds without a login), gated (requires a login,
	// credentials or a payment), down, or unknown. Null if the server has no remotes.
	Liveness *ServerLiveness `json:"liveness"`
	// When the endpoint with this liveness was last probed; null if none was.
	LivenessAt *time.Time `json:"livenessAt"`
	// Reasons not to use the server, as in `/api/health`.
	Risks   []Risk                `json:"risks"`
	Install *ToolEntryMetaInstall `json:"install"`
	// When the repository was last crawled.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	ScoredAt      *time.Time `json:"scoredAt"`
	// Name of the tool, with level=tool.
	Tool string `json:"tool,omitzero"`
	// Source of the tools and when they were read; null if the tools are unknown.
	ToolList ToolsRead `json:"toolList,omitzero"`
}

type ToolEntryMetaInstall struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// ToolList: Source of the tools; null if the tools are unknown.
type ToolList struct {
	// Most reliable first: `probe`, a remote endpoint; `run`, the published package,
	// started in a sandbox; `manifest`, a manifest; `source`, the source code; `readme`,
	// the README.
	Source ToolSource `json:"source"`
	// Published package whose archive was read, if source is `source`; null if the
	// repository was read, and for other sources.
	Package *ToolPackage `json:"package"`
	// Server version that the tools belong to.
	Version *string    `json:"version"`
	ReadAt  *time.Time `json:"readAt"`
	// Hash of the list; changes if and only if the hash of a tool changes. Null if unknown.
	Hash *string `json:"hash"`
	// Total tokens of the tools; null if unknown. `sort=toolTokens` sorts by it.
	Tokens *int64 `json:"tokens"`
	// URL of the endpoint that listed the tools, if source is `probe`.
	Endpoint string `json:"endpoint,omitzero"`
}

type ToolListChange struct {
	// When the list was first seen.
	At     time.Time  `json:"at"`
	Source ToolSource `json:"source"`
	// Published package whose archive was read, if source is `source`; null if the
	// repository was read, and for other sources.
	Package *ToolPackage `json:"package"`
	// Server version that the tools belong to; null if unknown.
	Version *string `json:"version"`
	// Source of the previous list, if it is a different one; differences may then result
	// from the source alone. Null otherwise. Both are `source` if one list is from the
	// repository and the other from a package archive.
	FormerSource *string `json:"formerSource"`
	// Last version with the previous list of the same source, or else of `formerSource`;
	// null if unknown.
	FormerVersion *string `json:"formerVersion"`
	// Whether the tools changed while the version stayed the same.
	WithoutNewVersion bool  `json:"withoutNewVersion"`
	ToolCount         int64 `json:"toolCount"`
	// Hash of the new list.
	Hash *string `json:"hash"`
	// Tools that differ, by name; empty if there is no previous list of the same source.
	Tools []ToolChange `json:"tools"`
}

// ToolPackage: Published package whose archive was read, if source is `source`; null if
// the repository was read, and for other sources.
type ToolPackage struct {
	RegistryType ToolPackageRegistryType `json:"registryType"`
	Identifier   string                  `json:"identifier"`
}

type ToolPackageRegistryType = string

// Known values of ToolPackageRegistryType. A newer registry may have others.
const (
	ToolPackageRegistryTypeNpm  ToolPackageRegistryType = "npm"
	ToolPackageRegistryTypePypi ToolPackageRegistryType = "pypi"
)

type ToolPage struct {
	Tools      []ToolEntry `json:"tools"`
	Pagination Pagination  `json:"pagination"`
	// Present while the search index is unavailable. The search then does not cover READMEs
	// and tool descriptions, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

type ToolSource = string

// Known values of ToolSource. A newer registry may have others.
const (
	ToolSourceProbe    ToolSource = "probe"
	ToolSourceRun      ToolSource = "run"
	ToolSourceManifest ToolSource = "manifest"
	ToolSourceSource   ToolSource = "source"
	ToolSourceReadme   ToolSource = "readme"
)

// ToolsRead: Source of the tools and when they were read; null if the tools are unknown.
type ToolsRead struct {
	Source ToolSource `json:"source"`
	// Server version that the tools belong to.
	Version *string    `json:"version"`
	ReadAt  *time.Time `json:"readAt"`
}

type Transport = string

// Known values of Transport. A newer registry may have others.
const (
	TransportStdio          Transport = "stdio"
	TransportStreamableHttp Transport = "streamable-http"
	TransportSse            Transport = "sse"
)

type Trend struct {
	Delta   *int64   `json:"delta"`
	Percent *float64 `json:"percent"`
}

type Usage struct {
	Period UsagePeriod  `json:"period"`
	Total  int64        `json:"total"`
	Days   []UsageDay   `json:"days"`
	Usage  []UsageEntry `json:"usage"`
}

type UsageDay struct {
	Date  string `json:"date"`
	Calls int64  `json:"calls"`
}

type UsageEntry struct {
	Date     string `json:"date"`
	Endpoint string `json:"endpoint"`
	// Key of the calls. The name and prefix of a deleted key are null.
	Key   UsageEntryKey `json:"key"`
	Calls int64         `json:"calls"`
}

// UsageEntryKey: Key of the calls. The name and prefix of a deleted key are null.
type UsageEntryKey struct {
	ID     int64   `json:"id"`
	Name   *string `json:"name"`
	Prefix *string `json:"prefix"`
}

type UsagePeriod struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type ValidationIssue struct {
	// Violated rules: JSON syntax, the JSON schema, the official registry's requirements,
	// or known problems with clients.
	Type ValidationIssueType `json:"type"`
	// Location in the file, such as `packages[0].transport.url`; empty for the whole file.
	Path     string                  `json:"path"`
	Message  string                  `json:"message"`
	Severity ValidationIssueSeverity `json:"severity"`
	// Name of the rule, or location in the schema.
	Reference string `json:"reference"`
	// Column where the value begins, in characters. Absent if unknown.
	Column int64 `json:"column,omitzero"`
	// URL of an explanation.
	Docs string `json:"docs,omitzero"`
	// Line where the value begins. Absent if unknown.
	Line int64 `json:"line,omitzero"`
}

type ValidationIssueSeverity = string

// Known values of ValidationIssueSeverity. A newer registry may have others.
const (
	ValidationIssueSeverityError   ValidationIssueSeverity = "error"
	ValidationIssueSeverityWarning ValidationIssueSeverity = "warning"
	ValidationIssueSeverityInfo    ValidationIssueSeverity = "info"
)

// ValidationIssueType: Violated rules: JSON syntax, the JSON schema, the official
// registry's requirements, or known problems with clients.
type ValidationIssueType = string

// Known values of ValidationIssueType. A newer registry may have others.
const (
	ValidationIssueTypeJSON     ValidationIssueType = "json"
	ValidationIssueTypeSchema   ValidationIssueType = "schema"
	ValidationIssueTypeSemantic ValidationIssueType = "semantic"
	ValidationIssueTypeLinter   ValidationIssueType = "linter"
)

type ValidationResult struct {
	// Whether there are no issues of severity error.
	Valid bool `json:"valid"`
	// At most 200, errors first. If there are more, the last issue reports how many.
	Issues []ValidationIssue `json:"issues"`
}

type Variable struct {
	Choices     []string `json:"choices,omitzero"`
	Default     string   `json:"default,omitzero"`
	Description string   `json:"description,omitzero"`
	Format      string   `json:"format,omitzero"`
	IsRequired  bool     `json:"isRequired,omitzero"`
	IsSecret    bool     `json:"isSecret,omitzero"`
	Name        string   `json:"name,omitzero"`
	Placeholder string   `json:"placeholder,omitzero"`
	Value       string   `json:"value,omitzero"`
	// Variables for the {names} in the value.
	Variables map[string]Variable `json:"variables,omitzero"`
}

// VersionSource: Source of the latest version and when it was read; null if unknown. The
// source is the registry type of a package, such as npm, or release or tag (of the
// repository), official-registry (the entry) or manifest (in the repository).
type VersionSource struct {
	Source string     `json:"source"`
	ReadAt *time.Time `json:"readAt"`
}

type View struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Base URL for clients.
	URL string `json:"url"`
	// Maximum number of servers in the view.
	Max int64 `json:"max"`
}

type Views struct {
	Views []View `json:"views"`
}

// WebhookAdvisoryData: Data of `server.advisory`.
type WebhookAdvisoryData struct {
	Server     WebhookServer         `json:"server"`
	Advisories []WebhookAdvisoryItem `json:"advisories"`
	// Full number, if the lists are truncated.
	Count int64 `json:"count"`
}

type WebhookAdvisoryItem struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	// First version without the vulnerability.
	FixedIn string `json:"fixedIn,omitzero"`
	Package string `json:"package,omitzero"`
	Title   string `json:"title,omitzero"`
	URL     string `json:"url,omitzero"`
}

type WebhookDeliveries struct {
	Deliveries []WebhookDelivery `json:"deliveries"`
	// Value of `before` for the next page; null on the last page.
	Before *int64 `json:"before"`
}

type WebhookDelivery struct {
	ID int64 `json:"id"`
	// ID of the event, sent as the header `webhook-id`.
	EventID string               `json:"eventId"`
	State   WebhookDeliveryState `json:"state"`
	// Attempts since the delivery was created or resent.
	Attempts      int64      `json:"attempts"`
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	LastAttemptAt *time.Time `json:"lastAttemptAt"`
	// HTTP status of the last response; null if there was none.
	ResponseStatus *int64     `json:"responseStatus"`
	Error          *string    `json:"error"`
	DurationMs     *int64     `json:"durationMs"`
	DeliveredAt    *time.Time `json:"deliveredAt"`
	CreatedAt      time.Time  `json:"createdAt"`
	// The body of a delivery, less than 20 kB. `data` depends on `type`; ignore unknown
	// types, because more may be added. Server events contain the server after the event,
	// or before it was removed. Long lists are truncated; `count` is the full number.
	Payload WebhookPayload `json:"payload"`
}

type WebhookDeliveryState = string

// Known values of WebhookDeliveryState. A newer registry may have others.
const (
	WebhookDeliveryStatePending   WebhookDeliveryState = "pending"
	WebhookDeliveryStateDelivered WebhookDeliveryState = "delivered"
	WebhookDeliveryStateFailed    WebhookDeliveryState = "failed"
)

type WebhookEndpoint struct {
	ID          int64   `json:"id"`
	URL         string  `json:"url"`
	Description *string `json:"description"`
	// Null means all.
	Events []WebhookEventType `json:"events"`
	// Null means all.
	Servers    []string   `json:"servers"`
	Search     *string    `json:"search"`
	Enabled    bool       `json:"enabled"`
	DisabledAt *time.Time `json:"disabledAt"`
	// `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries
	// failed for five days. `search`: its custom endpoint was deleted.
	DisabledReason *WebhookEndpointDisabledReason `json:"disabledReason"`
	// Time of the first failure since the last success; null if the last attempt succeeded.
	FailingSince *time.Time           `json:"failingSince"`
	CreatedAt    time.Time            `json:"createdAt"`
	UpdatedAt    time.Time            `json:"updatedAt"`
	Links        WebhookEndpointLinks `json:"links"`
}

// WebhookEndpointDisabledReason: `owner`: you disabled it. `gone`: it responded with
// 410. `failing`: all deliveries failed for five days. `search`: its custom endpoint was
// deleted.
type WebhookEndpointDisabledReason = string

// Known values of WebhookEndpointDisabledReason. A newer registry may have others.
const (
	WebhookEndpointDisabledReasonOwner   WebhookEndpointDisabledReason = "owner"
	WebhookEndpointDisabledReasonGone    WebhookEndpointDisabledReason = "gone"
	WebhookEndpointDisabledReasonFailing WebhookEndpointDisabledReason = "failing"
	WebhookEndpointDisabledReasonSearch  WebhookEndpointDisabledReason = "search"
)

type WebhookEndpointLinks struct {
	Self       string `json:"self"`
	Deliveries string `json:"deliveries"`
}

type WebhookEndpointRequest struct {
	// https URL with a public host name, and port 443 or 1024 and above.
	URL         string  `json:"url"`
	Description *string `json:"description,omitempty"`
	Enabled     *bool   `json:"enabled,omitempty"`
	// Types of events to send. All if absent, null or empty.
	Events []WebhookEventType `json:"events,omitempty"`
	// Name of a custom endpoint without `q` (Enterprise plan), to send only events of
	// servers that are or were among its results. Required for `view.changed`. Cannot be
	// combined with `servers`.
	Search *string `json:"search,omitempty"`
	// IDs of servers. All if absent, null or empty.
	Servers []string `json:"servers,omitempty"`
}

type WebhookEndpointWithSecret struct {
	ID          int64   `json:"id"`
	URL         string  `json:"url"`
	Description *string `json:"description"`
	// Null means all.
	Events []WebhookEventType `json:"events"`
	// Null means all.
	Servers    []string   `json:"servers"`
	Search     *string    `json:"search"`
	Enabled    bool       `json:"enabled"`
	DisabledAt *time.Time `json:"disabledAt"`
	// `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries
	// failed for five days. `search`: its custom endpoint was deleted.
	DisabledReason *WebhookEndpointDisabledReason `json:"disabledReason"`
	// Time of the first failure since the last success; null if the last attempt succeeded.
	FailingSince *time.Time           `json:"failingSince"`
	CreatedAt    time.Time            `json:"createdAt"`
	UpdatedAt    time.Time            `json:"updatedAt"`
	Links        WebhookEndpointLinks `json:"links"`
	// Secret that deliveries are signed with: `whsec_` and base64.
	Secret string `json:"secret"`
}

type WebhookEndpoints struct {
	Webhooks []WebhookEndpoint `json:"webhooks"`
	Count    int64             `json:"count"`
	// Maximum number of endpoints of the plan. Newer endpoints beyond it receive nothing.
	Max int64 `json:"max"`
}

type WebhookEventType = string

// Known values of WebhookEventType. A newer registry may have others.
const (
	WebhookEventTypeServerListed       WebhookEventType = "server.listed"
	WebhookEventTypeServerUpdated      WebhookEventType = "server.updated"
	WebhookEventTypeServerVersion      WebhookEventType = "server.version"
	WebhookEventTypeServerScoreChanged WebhookEventType = "server.score_changed"
	WebhookEventTypeServerDeprecated   WebhookEventType = "server.deprecated"
	WebhookEventTypeServerArchived     WebhookEventType = "server.archived"
	WebhookEventTypeServerGone         WebhookEventType = "server.gone"
	WebhookEventTypeServerAdvisory     WebhookEventType = "server.advisory"
	WebhookEventTypeServerToolsChanged WebhookEventType = "server.tools_changed"
	WebhookEventTypeViewChanged        WebhookEventType = "view.changed"
)

// WebhookPayload: The body of a delivery, less than 20 kB. `data` depends on `type`;
// ignore unknown types, because more may be added. Server events contain the server
// after the event, or before it was removed. Long lists are truncated; `count` is the
// full number.
// Data is a *WebhookServerData, *WebhookUpdatedData, *WebhookVersionData,
// *WebhookScoreData, *WebhookStatusData, *WebhookAdvisoryData, *WebhookToolsData,
// *WebhookViewData, *WebhookTestData, or a map[string]any for another Type.
type WebhookPayload struct {
	// What happened. A newer registry may have other types.
	Type string `json:"type"`
	// When the event happened.
	Timestamp time.Time `json:"timestamp"`
	// Depends on type.
	Data any `json:"data"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *WebhookPayload) UnmarshalJSON(text []byte) error {
	type named WebhookPayload
	if err := json.Unmarshal(text, (*named)(v)); err != nil {
		return err
	}
	var data any
	switch v.Type {
	case "server.listed", "server.gone":
		data = new(WebhookServerData)
	case "server.updated":
		data = new(WebhookUpdatedData)
	case "server.version":
		data = new(WebhookVersionData)
	case "server.score_changed":
		data = new(WebhookScoreData)
	case "server.deprecated", "server.archived":
		data = new(WebhookStatusData)
	case "server.advisory":
		data = new(WebhookAdvisoryData)
	case "server.tools_changed":
		data = new(WebhookToolsData)
	case "view.changed":
		data = new(WebhookViewData)
	case "webhook.test":
		data = new(WebhookTestData)
	default:
		return nil
	}
	raw := struct {
		Data any `json:"data"`
	}{data}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	v.Data = raw.Data
	return nil
}

type WebhookRating struct {
	Score int64  `json:"score"`
	Grade string `json:"grade"`
}

// WebhookScoreData: Data of `server.score_changed`.
type WebhookScoreData struct {
	Server WebhookServer `json:"server"`
	Before WebhookRating `json:"before"`
	After  WebhookRating `json:"after"`
}

type WebhookServer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// URL of the repository.
	Repository string `json:"repository"`
	Status     Status `json:"status"`
	Score      *int64 `json:"score"`
	// Absent if there is no score.
	Grade string `json:"grade,omitzero"`
	// Latest version; absent if unknown.
	Version string `json:"version,omitzero"`
}

// WebhookServerData: Data of `server.listed` and `server.gone`.
type WebhookServerData struct {
	Server WebhookServer `json:"server"`
}

// WebhookStatusData: Data of `server.deprecated` and `server.archived`.
type WebhookStatusData struct {
	Server WebhookServer `json:"server"`
	// Message from the owner; absent if there is none.
	Message string `json:"message,omitzero"`
	// URL of the repository that replaces it; absent if unknown.
	SuccessorURL string `json:"successorUrl,omitzero"`
}

// WebhookTestData: Data of `webhook.test`.
type WebhookTestData struct {
	Message string `json:"message"`
}

// WebhookToolsData: Data of `server.tools_changed`. The lists contain tool names.
type WebhookToolsData struct {
	Server WebhookServer `json:"server"`
	// Source of the list.
	Source  string  `json:"source"`
	Package *string `json:"package"`
	// Whether the tools changed while the version stayed the same.
	WithoutNewVersion bool     `json:"withoutNewVersion"`
	Added             []string `json:"added"`
	Removed           []string `json:"removed"`
	Changed           []string `json:"changed"`
	// Full number, if the lists are truncated.
	Count   int64  `json:"count"`
	Version string `json:"version,omitzero"`
}

// WebhookUpdatedData: Data of `server.updated`.
type WebhookUpdatedData struct {
	Server WebhookServer `json:"server"`
	// Names of the changed members.
	Changed []string `json:"changed"`
}

// WebhookVersionData: Data of `server.version`.
type WebhookVersionData struct {
	Server WebhookServer `json:"server"`
	Before string        `json:"before"`
	After  string        `json:"after"`
}

// WebhookViewData: Data of `view.changed`. The lists contain server IDs.
type WebhookViewData struct {
	// Name of the custom endpoint.
	View    string   `json:"view"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	// Full number, if the lists are truncated.
	Count int64 `json:"count"`
}
