// Code generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.

package census

import (
	"encoding/json"
	"time"
)

// AllowedServer: Exactly one of the two.
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
	// On the day or in the week; null unless known for every package and day.
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
	// Events that the registry counted in the period.
	Directory AnalyticsTotalsDirectory `json:"directory"`
}

// AnalyticsTotalsDirectory: Events that the registry counted in the period.
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
	// What the {names} in the value mean.
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
	ID      string `json:"id"`
	Max     int64  `json:"max"`
	Reason  string `json:"reason"`
	Applied bool   `json:"applied"`
}

type Categories struct {
	Categories []CategoryCount `json:"categories"`
	// All listed servers.
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
	// In the order of the changes.
	Changes []ServerChange `json:"changes"`
	// The value of `after` that continues here.
	Next    int64 `json:"next"`
	HasMore bool  `json:"hasMore"`
}

type Check struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Result     CheckResult `json:"result"`
	State      CheckState  `json:"state"`
	Points     float64     `json:"points"`
	Max        float64     `json:"max"`
	Reason     string      `json:"reason"`
	Evidence   []Evidence  `json:"evidence"`
	Fix        *string     `json:"fix"`
	Source     *string     `json:"source"`
	ObservedAt *time.Time  `json:"observedAt"`
	Docs       string      `json:"docs"`
}

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
	// Keys: category, sdk, language, framework, tags, license, transport, type (remote or
	// package), liveness (alive, gated, down, unknown), registryType, owner, source,
	// status, official, verified, copy, archived, grade, qualityScore, minScore
	// (qualityScore gte), popularity, stars, downloads, toolCount, toolTokens, tools,
	// updatedAt, createdAt. At most 16 kB, 40 conditions, 100 values in a list.
	Filters map[string]any `json:"filters"`
	Sort    *string        `json:"sort"`
	// Null stands for those of a list entry.
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
	// List entries, or the members that the definition names.
	Servers    []PartialServer `json:"servers"`
	Pagination PageNumbers     `json:"pagination"`
	Name       string          `json:"name"`
	Query      *string         `json:"query"`
	Sort       string          `json:"sort"`
	// Number of results with each value. Null if not requested.
	Facets *Facets `json:"facets"`
	TookMs float64 `json:"tookMs"`
	// Present while the search index is unavailable. All servers are then scanned without
	// READMEs and descriptions of tools, so results may be missing.
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
	DetailMemberEnvironmentVariables DetailMember = "environmentVariables"
	DetailMemberTools                DetailMember = "tools"
	DetailMemberToolCount            DetailMember = "toolCount"
	DetailMemberToolTokens           DetailMember = "toolTokens"
	DetailMemberToolList             DetailMember = "toolList"
	DetailMemberSuspiciousRules      DetailMember = "suspiciousRules"
	DetailMemberSuspiciousTexts      DetailMember = "suspiciousTexts"
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

// Endpoint: A remote in lists.
type Endpoint struct {
	Type string `json:"type"`
	URL  string `json:"url"`
	// Whether the endpoint answers our probes; null if it was not probed.
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

// EntryLiveness: The best state of the remotes, with the date and uptime of the first
// one that has it.
type EntryLiveness struct {
	State     string     `json:"state"`
	CheckedAt *time.Time `json:"checkedAt"`
	// Share of the probes of the last 30 days that were answered.
	Uptime30 *float64 `json:"uptime30"`
	// Number of these probes.
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
	// Version of the server that has these tools.
	Version *string    `json:"version"`
	ReadAt  *time.Time `json:"readAt"`
}

type Evidence struct {
	Type string  `json:"type"`
	Ref  string  `json:"ref"`
	URL  *string `json:"url"`
	Text string  `json:"text,omitzero"`
}

// Facets: Number of results with each value. Null if not requested.
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

// Grade: A from 80, B from 65, C from 50, D from 30.
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
	Server    *string `json:"server"`
	GithubURL *string `json:"githubUrl"`
	Subfolder *string `json:"subfolder"`
	// Whether it is listed.
	Indexed bool `json:"indexed"`
	// Null if the code host blocks the repository.
	IsMCPServer *bool `json:"isMcpServer"`
	// The vendor of the product itself publishes the server. Null if there is no server.
	Official *bool        `json:"official"`
	Status   HealthStatus `json:"status"`
	Score    *int64       `json:"score"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade *Grade `json:"grade"`
	// The score if all unknown checks failed.
	ScoreLow *int64 `json:"scoreLow"`
	// The score if all unknown checks passed.
	ScoreHigh  *int64      `json:"scoreHigh"`
	Coverage   *float64    `json:"coverage"`
	Confidence *Confidence `json:"confidence"`
	// Share of servers like this one that had a commit by a person in the next 90 days. Not
	// part of the score. `null` if it is not known or the repository is archived. See
	// docs/scoring.md.
	CommitChance *float64         `json:"commitChance"`
	Popularity   *int64           `json:"popularity"`
	ScoreVersion *string          `json:"scoreVersion"`
	Commit       *string          `json:"commit"`
	ComputedAt   *time.Time       `json:"computedAt"`
	Breakdown    []HealthCategory `json:"breakdown"`
	Caps         []Cap            `json:"caps"`
	Flags        []string         `json:"flags"`
	Improve      []Improvement    `json:"improve"`
	Links        HealthLinks      `json:"links"`
	Stale        bool             `json:"stale"`
	Warnings     []string         `json:"warnings"`
	// The servers of the repository, if it has several and the address names none of them.
	Members []Member `json:"members,omitzero"`
	// If the repository is not listed: why it does or does not count as a server.
	Reason string `json:"reason,omitzero"`
}

type HealthCategory struct {
	Category string  `json:"category"`
	Weight   float64 `json:"weight"`
	// The category's score; null if no check applies, or if less than 35% of its weight was
	// measured.
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

// Inspection: How the package answered when it was started in a sandbox, without a
// network and with made-up values; absent if it was not. It does not affect the score.
type Inspection struct {
	Outcome InspectionOutcome `json:"outcome"`
	// When it was started.
	At *time.Time `json:"at"`
	// The last line of its error output, shortened.
	Detail string `json:"detail,omitzero"`
	// Names of hosts that it looked up when it started, before any tool was called. Lookups
	// that bypass the system's resolver, and those of images, are not seen.
	Hosts []string `json:"hosts,omitzero"`
	// Number of prompts.
	Prompts int64 `json:"prompts,omitzero"`
	// Revision of MCP.
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
	// Starts the server; null if unknown.
	Command *string `json:"command"`
	// Why there is no command; null if there is one.
	Reason *string `json:"reason"`
	// How clients are set up, by client. mcpServers is the configuration that most clients
	// take, with placeholders (YOUR_NAME) for values to fill in; the others have only what
	// their client expands.
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

// Links: Relative to the base address.
type Links struct {
	Self   string `json:"self"`
	HTML   string `json:"html"`
	Health string `json:"health"`
	Badge  string `json:"badge"`
}

// Liveness: Whether the endpoint answers our probes; null if it was not probed.
type Liveness struct {
	State EndpointState `json:"state"`
	// When the endpoint had the state.
	CheckedAt *time.Time `json:"checkedAt"`
	// Since when it is alive, gated, down or unknown.
	Since *time.Time `json:"since"`
	// Share of the probes of the last 30 days that were answered.
	Uptime30 *float64 `json:"uptime30"`
	// Number of these probes.
	Probes int64 `json:"probes"`
	// Revision of MCP.
	Protocol string `json:"protocol,omitzero"`
	// Such as dns, tls, timeout, connection or "status 503".
	Reason string `json:"reason,omitzero"`
}

type ManagedSettings struct {
	AllowedMCPServers []AllowedServer `json:"allowedMcpServers"`
}

type Member struct {
	// Slug; null if it is not listed.
	Server    *string `json:"server"`
	Name      string  `json:"name"`
	Subfolder *string `json:"subfolder"`
	Score     *int64  `json:"score"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade *Grade `json:"grade"`
	// When the score was computed.
	ComputedAt *time.Time `json:"computedAt"`
	// URL of its report.
	Health *string `json:"health"`
}

type NumberedPage struct {
	Servers    []Server    `json:"servers"`
	Pagination PageNumbers `json:"pagination"`
	// Present while the search index is unavailable. All servers are then scanned without
	// READMEs and descriptions of tools, so results may be missing.
	Warnings []string `json:"warnings,omitzero"`
}

// OfficialMeta: The metadata of a version, as the official registry has them.
type OfficialMeta struct {
	Status          OfficialMetaStatus `json:"status"`
	StatusChangedAt time.Time          `json:"statusChangedAt"`
	// When the version was published, else when the server was listed here.
	PublishedAt   time.Time `json:"publishedAt"`
	IsLatest      bool      `json:"isLatest"`
	StatusMessage string    `json:"statusMessage,omitzero"`
	// When the record last changed here.
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
	// What the key may be used for.
	Scopes []KeyScope `json:"scopes"`
	// Addresses and networks of clients that may use the key; none is all.
	Addresses []string `json:"addresses"`
}

type OwnAccountLimits struct {
	// Requests per UTC day; null is unlimited.
	Limit *int64 `json:"limit"`
	// Today, including this request; null if unknown.
	Used      *int64    `json:"used"`
	Remaining *int64    `json:"remaining"`
	ResetAt   time.Time `json:"resetAt"`
	// The same in seconds since 1970, as in X-RateLimit-Reset.
	Reset int64 `json:"reset"`
}

type OwnAccountPlan struct {
	ID   PlanID `json:"id"`
	Name string `json:"name"`
	// Of a month.
	PriceUsd int64 `json:"priceUsd"`
	// On /v1, per UTC day and account; null is unlimited.
	RequestsPerDay *int64 `json:"requestsPerDay"`
	// On /api, with a key of the plan, per UTC hour; null is unlimited.
	RequestsPerHour *int64                 `json:"requestsPerHour"`
	Features        OwnAccountPlanFeatures `json:"features"`
	// What the plan has besides limits, and what the operator promises.
	Includes []string `json:"includes"`
	// Whether the plan can be had: it is free, or the operator sells it.
	Offered bool `json:"offered"`
	// When the plan ends; null if it continues.
	Until *time.Time `json:"until"`
	// The next plan.
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
	// A copy of the avatar that this registry serves, or a picture of the first letter.
	AvatarURL *string `json:"avatarUrl"`
}

type Package struct {
	RegistryType         string           `json:"registryType"`
	Identifier           string           `json:"identifier"`
	Transport            PackageTransport `json:"transport"`
	EnvironmentVariables []Variable       `json:"environmentVariables,omitzero"`
	FileSha256           string           `json:"fileSha256,omitzero"`
	// How the package answered when it was started in a sandbox, without a network and with
	// made-up values; absent if it was not. It does not affect the score.
	Inspection       Inspection `json:"inspection,omitzero"`
	PackageArguments []Argument `json:"packageArguments,omitzero"`
	RegistryBaseURL  string     `json:"registryBaseUrl,omitzero"`
	RuntimeArguments []Argument `json:"runtimeArguments,omitzero"`
	RuntimeHint      string     `json:"runtimeHint,omitzero"`
	Version          string     `json:"version,omitzero"`
}

type PackageTransport struct {
	Type    string     `json:"type"`
	Headers []Variable `json:"headers,omitzero"`
	URL     string     `json:"url,omitzero"`
}

type PageNumbers struct {
	// With a cursor, the page that contains its first entry.
	Page  int64 `json:"page"`
	Limit int64 `json:"limit"`
	// Exact.
	Total int64 `json:"total"`
	// Number of pages that can be requested: with a search text, those up to the 10,000th
	// result.
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

// PartialServer: The members of a record that were asked for.
type PartialServer struct {
	Category           Category `json:"category,omitzero"`
	CategoryConfidence float64  `json:"categoryConfidence,omitzero"`
	// Share of servers like this one that had a commit by a person in the next 90 days. Not
	// part of the score. `null` if it is not known or the repository is archived. See
	// docs/scoring.md.
	CommitChance *float64    `json:"commitChance,omitzero"`
	Confidence   *Confidence `json:"confidence,omitzero"`
	Contributors *int64      `json:"contributors,omitzero"`
	// Slug of an older server of another owner that this one looks like a copy of.
	CopyOf *string `json:"copyOf,omitzero"`
	// Why it looks like a copy or look-alike, in sentences.
	CopyReason *string `json:"copyReason,omitzero"`
	// When copyOf or lookAlikeOf was first found.
	CopySince   *time.Time `json:"copySince,omitzero"`
	Coverage    *float64   `json:"coverage,omitzero"`
	CreatedAt   *time.Time `json:"createdAt,omitzero"`
	Description *string    `json:"description,omitzero"`
	Downloads   *int64     `json:"downloads,omitzero"`
	// When the oldest of these counts was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// By registry type
	DownloadsBreakdown   map[string]*int64 `json:"downloadsBreakdown,omitzero"`
	DownloadsPeriod      string            `json:"downloadsPeriod,omitzero"`
	EnvironmentVariables []Variable        `json:"environmentVariables,omitzero"`
	Forks                *int64            `json:"forks,omitzero"`
	Framework            *string           `json:"framework,omitzero"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade         *Grade     `json:"grade,omitzero"`
	HealthScore   *int64     `json:"healthScore,omitzero"`
	Homepage      *string    `json:"homepage,omitzero"`
	Icon          *string    `json:"icon,omitzero"`
	ID            string     `json:"id,omitzero"`
	Install       Install    `json:"install,omitzero"`
	Language      *string    `json:"language,omitzero"`
	LastCommitAt  *time.Time `json:"lastCommitAt,omitzero"`
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	LatestVersion *string    `json:"latestVersion,omitzero"`
	License       *string    `json:"license,omitzero"`
	// Relative to the base address.
	Links Links `json:"links,omitzero"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// Slug of a better known server whose name or namespace this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	Name        string  `json:"name,omitzero"`
	// The vendor of the product itself publishes the server.
	Official bool `json:"official,omitzero"`
	// Why it is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason,omitzero"`
	OpenIssues     *int64  `json:"openIssues,omitzero"`
	Owner          *Owner  `json:"owner,omitzero"`
	// As in the official server.json, schema 2025-12-11.
	Packages     []Package        `json:"packages,omitzero"`
	Popularity   *int64           `json:"popularity,omitzero"`
	QualityScore *int64           `json:"qualityScore,omitzero"`
	RegistryName *string          `json:"registryName,omitzero"`
	ReleasedAt   *time.Time       `json:"releasedAt,omitzero"`
	Remotes      []Remote         `json:"remotes,omitzero"`
	Repository   RepositoryDetail `json:"repository,omitzero"`
	ScoreHigh    *int64           `json:"scoreHigh,omitzero"`
	ScoreLow     *int64           `json:"scoreLow,omitzero"`
	ScoreVersion *string          `json:"scoreVersion,omitzero"`
	ScoredAt     *time.Time       `json:"scoredAt,omitzero"`
	// Read from dependency manifests.
	SDK *SDK `json:"sdk,omitzero"`
	// The next category that fits, where the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// The same as id.
	Slug          string   `json:"slug,omitzero"`
	Sources       []Source `json:"sources,omitzero"`
	Stars         *int64   `json:"stars,omitzero"`
	Status        Status   `json:"status,omitzero"`
	StatusMessage *string  `json:"statusMessage,omitzero"`
	// The replacement that the owner of a deprecated or archived server links.
	Successor *string `json:"successor,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// break, each once. Findings of rules, not verdicts; null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	// Parts of the tools' texts that may hide something or manipulate a model. Findings of
	// rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts,omitzero"`
	Tags            []string         `json:"tags,omitzero"`
	Title           *string          `json:"title,omitzero"`
	ToolCount       *int64           `json:"toolCount,omitzero"`
	// Where the tools are from; null if they are unknown.
	ToolList *ToolList `json:"toolList,omitzero"`
	// About how many tokens the tools take of a model's context (o200k_base).
	ToolTokens *int64 `json:"toolTokens,omitzero"`
	// Null if unknown.
	Tools      []Tool      `json:"tools,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	UpdatedAt  *time.Time  `json:"updatedAt,omitzero"`
	// Linked: the package or registry entry and the repository name each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
	// Which name each other, as a sentence; null if not verified.
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
	// Of a month.
	PriceUsd int64 `json:"priceUsd"`
	// On /v1, per UTC day and account; null is unlimited.
	RequestsPerDay *int64 `json:"requestsPerDay"`
	// On /api, with a key of the plan, per UTC hour; null is unlimited.
	RequestsPerHour *int64                 `json:"requestsPerHour"`
	Features        OwnAccountPlanFeatures `json:"features"`
	// What the plan has besides limits, and what the operator promises.
	Includes []string `json:"includes"`
	// Whether the plan can be had: it is free, or the operator sells it.
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
	// The title again.
	Error     string `json:"error"`
	RequestID string `json:"requestId"`
	// With server_not_found: slugs that may have been meant, best first.
	Candidates []string     `json:"candidates,omitzero"`
	Errors     []FieldError `json:"errors,omitzero"`
	Instance   string       `json:"instance,omitzero"`
	// With plan_upgrade_required: the plans that include it, the cheapest first.
	RequiredPlans []PlanID `json:"requiredPlans,omitzero"`
	// With scope_required: what the key lacks.
	RequiredScopes []string `json:"requiredScopes,omitzero"`
}

// RecordChange: A record or, with the status deleted, a server that is no longer listed.
type RecordChange struct {
	ID                 string   `json:"id"`
	Status             Status   `json:"status"`
	Category           Category `json:"category,omitzero"`
	CategoryConfidence float64  `json:"categoryConfidence,omitzero"`
	// When it was removed; only with the status deleted.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Share of servers like this one that had a commit by a person in the next 90 days. Not
	// part of the score. `null` if it is not known or the repository is archived. See
	// docs/scoring.md.
	CommitChance *float64    `json:"commitChance,omitzero"`
	Confidence   *Confidence `json:"confidence,omitzero"`
	Contributors *int64      `json:"contributors,omitzero"`
	// Slug of an older server of another owner that this one looks like a copy of.
	CopyOf *string `json:"copyOf,omitzero"`
	// Why it looks like a copy or look-alike, in sentences.
	CopyReason *string `json:"copyReason,omitzero"`
	// When copyOf or lookAlikeOf was first found.
	CopySince   *time.Time `json:"copySince,omitzero"`
	Coverage    *float64   `json:"coverage,omitzero"`
	CreatedAt   *time.Time `json:"createdAt,omitzero"`
	Description *string    `json:"description,omitzero"`
	Downloads   *int64     `json:"downloads,omitzero"`
	// When the oldest of these counts was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// By registry type
	DownloadsBreakdown   map[string]*int64 `json:"downloadsBreakdown,omitzero"`
	DownloadsPeriod      string            `json:"downloadsPeriod,omitzero"`
	EnvironmentVariables []Variable        `json:"environmentVariables,omitzero"`
	Forks                *int64            `json:"forks,omitzero"`
	Framework            *string           `json:"framework,omitzero"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade         *Grade     `json:"grade,omitzero"`
	HealthScore   *int64     `json:"healthScore,omitzero"`
	Homepage      *string    `json:"homepage,omitzero"`
	Icon          *string    `json:"icon,omitzero"`
	Install       Install    `json:"install,omitzero"`
	Language      *string    `json:"language,omitzero"`
	LastCommitAt  *time.Time `json:"lastCommitAt,omitzero"`
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	LatestVersion *string    `json:"latestVersion,omitzero"`
	License       *string    `json:"license,omitzero"`
	// Relative to the base address.
	Links Links `json:"links,omitzero"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// Slug of a better known server whose name or namespace this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	Name        string  `json:"name,omitzero"`
	// The vendor of the product itself publishes the server.
	Official bool `json:"official,omitzero"`
	// Why it is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason,omitzero"`
	OpenIssues     *int64  `json:"openIssues,omitzero"`
	Owner          *Owner  `json:"owner,omitzero"`
	// As in the official server.json, schema 2025-12-11.
	Packages     []Package        `json:"packages,omitzero"`
	Popularity   *int64           `json:"popularity,omitzero"`
	QualityScore *int64           `json:"qualityScore,omitzero"`
	RegistryName *string          `json:"registryName,omitzero"`
	ReleasedAt   *time.Time       `json:"releasedAt,omitzero"`
	Remotes      []Remote         `json:"remotes,omitzero"`
	Repository   RepositoryDetail `json:"repository,omitzero"`
	ScoreHigh    *int64           `json:"scoreHigh,omitzero"`
	ScoreLow     *int64           `json:"scoreLow,omitzero"`
	ScoreVersion *string          `json:"scoreVersion,omitzero"`
	ScoredAt     *time.Time       `json:"scoredAt,omitzero"`
	// Read from dependency manifests.
	SDK *SDK `json:"sdk,omitzero"`
	// The next category that fits, where the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// The same as id.
	Slug          string   `json:"slug,omitzero"`
	Sources       []Source `json:"sources,omitzero"`
	Stars         *int64   `json:"stars,omitzero"`
	StatusMessage *string  `json:"statusMessage,omitzero"`
	// The replacement that the owner of a deprecated or archived server links.
	Successor *string `json:"successor,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// break, each once. Findings of rules, not verdicts; null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	// Parts of the tools' texts that may hide something or manipulate a model. Findings of
	// rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts,omitzero"`
	Tags            []string         `json:"tags,omitzero"`
	Title           *string          `json:"title,omitzero"`
	ToolCount       *int64           `json:"toolCount,omitzero"`
	// Where the tools are from; null if they are unknown.
	ToolList *ToolList `json:"toolList,omitzero"`
	// About how many tokens the tools take of a model's context (o200k_base).
	ToolTokens *int64 `json:"toolTokens,omitzero"`
	// Null if unknown.
	Tools      []Tool      `json:"tools,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	UpdatedAt  *time.Time  `json:"updatedAt,omitzero"`
	// Linked: the package or registry entry and the repository name each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
	// Which name each other, as a sentence; null if not verified.
	VerifiedReason *string `json:"verifiedReason,omitzero"`
}

type RecordChangePage struct {
	// In the order of the changes.
	Changes []RecordChange `json:"changes"`
	// The value of `after` that continues here.
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

// RegistryMeta: What this registry knows of a server. Unknown values are null. Absent
// for deleted servers.
type RegistryMeta struct {
	// The slug, as in /v1/servers/{id}.
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
	// The document was made by this registry; its owner has not published it.
	Synthesized bool `json:"synthesized"`
	// Paths in a published document that were changed because clients misread them:
	// versions of images that have a tag, missing descriptions of variables, and `-y` for
	// npx. `packages` and `remotes` are those of the install command, because clients would
	// start another one of the document, such as an older version.
	Repaired     []string `json:"repaired"`
	Official     bool     `json:"official"`
	Verified     bool     `json:"verified"`
	Stars        *int64   `json:"stars"`
	Downloads30d *int64   `json:"downloads30d"`
	// When the repository was read.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	// When the oldest of the counts of downloads was read.
	DownloadsAt *time.Time  `json:"downloadsAt"`
	Tools       *EntryTools `json:"tools"`
	// The best state of the remotes, with the date and uptime of the first one that has it.
	Liveness *EntryLiveness `json:"liveness"`
	Flags    []string       `json:"flags"`
	CopyOf   *string        `json:"copyOf"`
	// When copyOf was first found.
	CopySince *time.Time `json:"copySince"`
	// The install command of this registry.
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
	// Whether the endpoint answers our probes; null if it was not probed.
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

// SDK: Read from dependency manifests.
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
	// The sort in effect.
	Sort string `json:"sort"`
	// Number of results with each value. Null if not requested.
	Facets *Facets `json:"facets"`
	// Milliseconds. Not part of the entity tag.
	TookMs float64 `json:"tookMs"`
	// Present while the search index is unavailable. All servers are then scanned without
	// READMEs and descriptions of tools, so results may be missing.
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
	ID string `json:"id"`
	// The same as id.
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	Description *string  `json:"description"`
	Category    Category `json:"category"`
	// The next category that fits, where the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory"`
	Tags           []string  `json:"tags"`
	// Read from dependency manifests.
	SDK          *SDK    `json:"sdk"`
	Language     *string `json:"language"`
	License      *string `json:"license"`
	QualityScore *int64  `json:"qualityScore"`
	HealthScore  *int64  `json:"healthScore"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade      *Grade `json:"grade"`
	Popularity *int64 `json:"popularity"`
	Stars      *int64 `json:"stars"`
	Downloads  *int64 `json:"downloads"`
	// When the oldest of the counts of downloads was read.
	DownloadsAt *time.Time  `json:"downloadsAt"`
	Transports  []Transport `json:"transports"`
	Remotes     []Endpoint  `json:"remotes"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness  *ServerLiveness `json:"liveness"`
	ToolCount *int64          `json:"toolCount"`
	// About how many tokens the tools take of a model's context (o200k_base).
	ToolTokens *int64 `json:"toolTokens"`
	// Where the tools are from, and when they were read; null if they are unknown.
	ToolList *ToolsRead `json:"toolList"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// break, each once. Findings of rules, not verdicts; null if the tools are unknown.
	SuspiciousRules []string   `json:"suspiciousRules"`
	Repository      Repository `json:"repository"`
	Icon            *string    `json:"icon"`
	Status          Status     `json:"status"`
	// The vendor of the product itself publishes the server.
	Official bool `json:"official"`
	// Why it is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason"`
	// Slug of an older server of another owner that this one looks like a copy of.
	CopyOf *string `json:"copyOf"`
	// Slug of a better known server whose name or namespace this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf"`
	// When copyOf or lookAlikeOf was first found.
	CopySince *time.Time `json:"copySince"`
	// Linked: the package or registry entry and the repository name each other. Not a
	// safety review.
	Verified  bool       `json:"verified"`
	UpdatedAt *time.Time `json:"updatedAt"`
	// When the repository was read, which all facts without a date of their own are from.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	ScoredAt      *time.Time `json:"scoredAt"`
	// Relative to the base address.
	Links Links `json:"links"`
}

// ServerChange: A list entry or, with the status deleted, a server that is no longer
// listed.
type ServerChange struct {
	ID       string   `json:"id"`
	Status   Status   `json:"status"`
	Category Category `json:"category,omitzero"`
	// When it was removed; only with the status deleted.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Slug of an older server of another owner that this one looks like a copy of.
	CopyOf *string `json:"copyOf,omitzero"`
	// When copyOf or lookAlikeOf was first found.
	CopySince   *time.Time `json:"copySince,omitzero"`
	Description *string    `json:"description,omitzero"`
	Downloads   *int64     `json:"downloads,omitzero"`
	// When the oldest of the counts of downloads was read.
	DownloadsAt *time.Time `json:"downloadsAt,omitzero"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade       *Grade  `json:"grade,omitzero"`
	HealthScore *int64  `json:"healthScore,omitzero"`
	Icon        *string `json:"icon,omitzero"`
	Language    *string `json:"language,omitzero"`
	// When the repository was read, which all facts without a date of their own are from.
	LastCrawledAt *time.Time `json:"lastCrawledAt,omitzero"`
	License       *string    `json:"license,omitzero"`
	// Relative to the base address.
	Links Links `json:"links,omitzero"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness *ServerLiveness `json:"liveness,omitzero"`
	// Slug of a better known server whose name or namespace this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf,omitzero"`
	Name        string  `json:"name,omitzero"`
	// The vendor of the product itself publishes the server.
	Official bool `json:"official,omitzero"`
	// Why it is official, as a sentence; null if it is not.
	OfficialReason *string    `json:"officialReason,omitzero"`
	Popularity     *int64     `json:"popularity,omitzero"`
	QualityScore   *int64     `json:"qualityScore,omitzero"`
	Remotes        []Endpoint `json:"remotes,omitzero"`
	Repository     Repository `json:"repository,omitzero"`
	ScoredAt       *time.Time `json:"scoredAt,omitzero"`
	// Read from dependency manifests.
	SDK *SDK `json:"sdk,omitzero"`
	// The next category that fits, where the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory,omitzero"`
	// The same as id.
	Slug  string `json:"slug,omitzero"`
	Stars *int64 `json:"stars,omitzero"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// break, each once. Findings of rules, not verdicts; null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules,omitzero"`
	Tags            []string `json:"tags,omitzero"`
	ToolCount       *int64   `json:"toolCount,omitzero"`
	// Where the tools are from, and when they were read; null if they are unknown.
	ToolList *ToolsRead `json:"toolList,omitzero"`
	// About how many tokens the tools take of a model's context (o200k_base).
	ToolTokens *int64      `json:"toolTokens,omitzero"`
	Transports []Transport `json:"transports,omitzero"`
	UpdatedAt  *time.Time  `json:"updatedAt,omitzero"`
	// Linked: the package or registry entry and the repository name each other. Not a
	// safety review.
	Verified bool `json:"verified,omitzero"`
}

type ServerDetail struct {
	ID string `json:"id"`
	// The same as id.
	Slug               string   `json:"slug"`
	Name               string   `json:"name"`
	RegistryName       *string  `json:"registryName"`
	Title              *string  `json:"title"`
	Description        *string  `json:"description"`
	Category           Category `json:"category"`
	CategoryConfidence float64  `json:"categoryConfidence"`
	// The next category that fits, where the first is uncertain; null otherwise.
	SecondCategory *Category `json:"secondCategory"`
	Tags           []string  `json:"tags"`
	// Read from dependency manifests.
	SDK          *SDK    `json:"sdk"`
	Framework    *string `json:"framework"`
	Language     *string `json:"language"`
	License      *string `json:"license"`
	QualityScore *int64  `json:"qualityScore"`
	HealthScore  *int64  `json:"healthScore"`
	// A from 80, B from 65, C from 50, D from 30.
	Grade        *Grade      `json:"grade"`
	Popularity   *int64      `json:"popularity"`
	ScoreVersion *string     `json:"scoreVersion"`
	ScoreLow     *int64      `json:"scoreLow"`
	ScoreHigh    *int64      `json:"scoreHigh"`
	Coverage     *float64    `json:"coverage"`
	Confidence   *Confidence `json:"confidence"`
	// Share of servers like this one that had a commit by a person in the next 90 days. Not
	// part of the score. `null` if it is not known or the repository is archived. See
	// docs/scoring.md.
	CommitChance    *float64 `json:"commitChance"`
	Stars           *int64   `json:"stars"`
	Forks           *int64   `json:"forks"`
	OpenIssues      *int64   `json:"openIssues"`
	Contributors    *int64   `json:"contributors"`
	Downloads       *int64   `json:"downloads"`
	DownloadsPeriod string   `json:"downloadsPeriod"`
	// By registry type
	DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown"`
	// When the oldest of these counts was read.
	DownloadsAt *time.Time       `json:"downloadsAt"`
	Repository  RepositoryDetail `json:"repository"`
	Homepage    *string          `json:"homepage"`
	Icon        *string          `json:"icon"`
	Owner       *Owner           `json:"owner"`
	Transports  []Transport      `json:"transports"`
	// As in the official server.json, schema 2025-12-11.
	Packages []Package `json:"packages"`
	Remotes  []Remote  `json:"remotes"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness             *ServerLiveness `json:"liveness"`
	EnvironmentVariables []Variable      `json:"environmentVariables"`
	// Null if unknown.
	Tools     []Tool `json:"tools"`
	ToolCount *int64 `json:"toolCount"`
	// About how many tokens the tools take of a model's context (o200k_base).
	ToolTokens *int64 `json:"toolTokens"`
	// Where the tools are from; null if they are unknown.
	ToolList *ToolList `json:"toolList"`
	// Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the tools
	// break, each once. Findings of rules, not verdicts; null if the tools are unknown.
	SuspiciousRules []string `json:"suspiciousRules"`
	// Parts of the tools' texts that may hide something or manipulate a model. Findings of
	// rules, not verdicts.
	SuspiciousTexts []SuspiciousText `json:"suspiciousTexts"`
	Install         Install          `json:"install"`
	Status          Status           `json:"status"`
	StatusMessage   *string          `json:"statusMessage"`
	// The replacement that the owner of a deprecated or archived server links.
	Successor *string `json:"successor"`
	// The vendor of the product itself publishes the server.
	Official bool `json:"official"`
	// Why it is official, as a sentence; null if it is not.
	OfficialReason *string `json:"officialReason"`
	// Slug of an older server of another owner that this one looks like a copy of.
	CopyOf *string `json:"copyOf"`
	// Slug of a better known server whose name or namespace this one imitates.
	LookAlikeOf *string `json:"lookAlikeOf"`
	// Why it looks like a copy or look-alike, in sentences.
	CopyReason *string `json:"copyReason"`
	// When copyOf or lookAlikeOf was first found.
	CopySince *time.Time `json:"copySince"`
	// Linked: the package or registry entry and the repository name each other. Not a
	// safety review.
	Verified bool `json:"verified"`
	// Which name each other, as a sentence; null if not verified.
	VerifiedReason *string    `json:"verifiedReason"`
	LatestVersion  *string    `json:"latestVersion"`
	ReleasedAt     *time.Time `json:"releasedAt"`
	Sources        []Source   `json:"sources"`
	CreatedAt      *time.Time `json:"createdAt"`
	UpdatedAt      *time.Time `json:"updatedAt"`
	LastCommitAt   *time.Time `json:"lastCommitAt"`
	LastCrawledAt  *time.Time `json:"lastCrawledAt"`
	ScoredAt       *time.Time `json:"scoredAt"`
	// Relative to the base address.
	Links Links `json:"links"`
}

type ServerEntry struct {
	// A server.json: as its owner published it in the official registry, or made from what
	// this registry knows (schema 2025-12-11). See
	// https://github.com/modelcontextprotocol/registry.
	Server ServerJSON `json:"server"`
	// `io.modelcontextprotocol.registry/official` is an OfficialMeta. The member of this
	// registry's namespace is a RegistryMeta.
	Meta map[string]any `json:"_meta"`
}

type ServerEntryList struct {
	Servers  []ServerEntry `json:"servers"`
	Metadata EntryMetadata `json:"metadata"`
}

// ServerJSON: A server.json: as its owner published it in the official registry, or made
// from what this registry knows (schema 2025-12-11). See
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

// ServerLiveness: The best of the remotes: alive (answers without a login), gated
// (requires a login, credentials or a payment), down, unknown. Null without remotes.
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
	// Present while the search index is unavailable. All servers are then scanned without
	// READMEs and descriptions of tools, so results may be missing.
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
	// Invisible characters are shown as their code points.
	Quote string `json:"quote"`
}

type Tool struct {
	Name        string  `json:"name"`
	Title       *string `json:"title"`
	Description *string `json:"description"`
	// JSON Schema of the parameters; null if unknown. A schema read from prose says so in
	// $comment, and may omit types and required parameters.
	InputSchema map[string]any `json:"inputSchema"`
	// The hints of the tool, as MCP defines them; null if it has none or they are unknown.
	Annotations map[string]any `json:"annotations"`
	// SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC
	// 8785).
	Hash *string `json:"hash"`
	// About how many tokens the definition takes of a model's context (o200k_base).
	Tokens *int64 `json:"tokens"`
	// Source of the description, if that is not the source of the list.
	DescriptionSource string `json:"descriptionSource,omitzero"`
	// Source of the input schema, if that is not the source of the list.
	InputSchemaSource string `json:"inputSchemaSource,omitzero"`
}

type ToolChange struct {
	Name string         `json:"name"`
	Kind ToolChangeKind `json:"kind"`
	// What was changed.
	Fields []ToolChangeField `json:"fields"`
	// Null before a tool was added and after it was removed.
	Before *ToolDefinition `json:"before"`
	// Null before a tool was added and after it was removed.
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
	// The slug.
	Server string `json:"server"`
	// Newest first.
	Changes []ToolListChange `json:"changes"`
}

// ToolDefinition: Null before a tool was added and after it was removed.
type ToolDefinition struct {
	Description *string        `json:"description"`
	Annotations map[string]any `json:"annotations"`
	Hash        *string        `json:"hash"`
}

type ToolEntry struct {
	// The name of the server, or with level=tool the slug and the tool, "server/tool".
	Name        string `json:"name"`
	Description string `json:"description"`
	// URL of the repository, or of the folder of the server in it.
	Source string `json:"source"`
	// Command that starts the server; null if unknown.
	Installation *string        `json:"installation"`
	QualityScore *int64         `json:"quality_score"`
	InputSchema  map[string]any `json:"inputSchema"`
	// One member, named by the registry.
	Meta map[string]ToolEntryMeta `json:"_meta"`
}

type ToolEntryMeta struct {
	ID string `json:"id"`
	// Owner of the repository.
	Owner *string `json:"owner"`
	// The vendor of the product itself publishes the server.
	Official   bool        `json:"official"`
	Status     Status      `json:"status"`
	Category   Category    `json:"category"`
	Transports []Transport `json:"transports"`
	Remotes    []Endpoint  `json:"remotes"`
	// The best of the remotes: alive (answers without a login), gated (requires a login,
	// credentials or a payment), down, unknown. Null without remotes.
	Liveness *ServerLiveness       `json:"liveness"`
	Install  *ToolEntryMetaInstall `json:"install"`
	// When the repository was read.
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	ScoredAt      *time.Time `json:"scoredAt"`
	// With level=tool: name of the tool.
	Tool string `json:"tool,omitzero"`
	// Where the tools are from, and when they were read; null if they are unknown.
	ToolList ToolsRead `json:"toolList,omitzero"`
}

type ToolEntryMetaInstall struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// ToolList: Where the tools are from; null if they are unknown.
type ToolList struct {
	// From the most to the least reliable: a remote endpoint answered, the published
	// package answered in a sandbox, a manifest lists them, the source code registers them,
	// the README lists them.
	Source ToolSource `json:"source"`
	// The published package whose archive was read, if source is `source`; null if the
	// repository was read, and for other sources.
	Package *ToolPackage `json:"package"`
	// The version of the server that has these tools.
	Version *string    `json:"version"`
	ReadAt  *time.Time `json:"readAt"`
	// Changes if and only if the hash of a tool changes.
	Hash *string `json:"hash"`
	// Sum over the tools. Sort by it with sort=toolTokens.
	Tokens *int64 `json:"tokens"`
	// URL of the endpoint that listed the tools, if one did.
	Endpoint string `json:"endpoint,omitzero"`
}

type ToolListChange struct {
	// When the list was first seen.
	At     time.Time  `json:"at"`
	Source ToolSource `json:"source"`
	// The published package whose archive was read, if source is `source`; null if the
	// repository was read, and for other sources.
	Package *ToolPackage `json:"package"`
	// Of the server that has these tools; null if unknown.
	Version *string `json:"version"`
	// The source of the list before, if it is another one: then the change may be one of
	// the source only. It is `source` for both if one list is from the repository and the
	// other from the archive of a package.
	FormerSource *string `json:"formerSource"`
	// The last version with the former list of the same source or, if there is none, with
	// the list of `formerSource`; null if unknown.
	FormerVersion *string `json:"formerVersion"`
	// The tools changed while the version stayed the same.
	WithoutNewVersion bool  `json:"withoutNewVersion"`
	ToolCount         int64 `json:"toolCount"`
	// Hash of the new list.
	Hash *string `json:"hash"`
	// The tools that differ, by name; empty if there is no former list of the same source.
	Tools []ToolChange `json:"tools"`
}

// ToolPackage: The published package whose archive was read, if source is `source`; null
// if the repository was read, and for other sources.
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
	// Present while the search index is unavailable. All servers are then scanned without
	// READMEs and descriptions of tools, so results may be missing.
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

// ToolsRead: Where the tools are from, and when they were read; null if they are
// unknown.
type ToolsRead struct {
	Source ToolSource `json:"source"`
	// The version of the server that has these tools.
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
	// A deleted key has neither name nor prefix.
	Key   UsageEntryKey `json:"key"`
	Calls int64         `json:"calls"`
}

// UsageEntryKey: A deleted key has neither name nor prefix.
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
	// Against what: JSON, the JSON schema, the rules of the official registry, or the rules
	// about clients.
	Type ValidationIssueType `json:"type"`
	// Where: `packages[0].transport.url`; empty for the whole file.
	Path     string                  `json:"path"`
	Message  string                  `json:"message"`
	Severity ValidationIssueSeverity `json:"severity"`
	// The name of the rule, or the place in the schema.
	Reference string `json:"reference"`
	// In characters. Absent if unknown.
	Column int64 `json:"column,omitzero"`
	// URL of an explanation.
	Docs string `json:"docs,omitzero"`
	// Where the value begins. Absent if unknown.
	Line int64 `json:"line,omitzero"`
}

type ValidationIssueSeverity = string

// Known values of ValidationIssueSeverity. A newer registry may have others.
const (
	ValidationIssueSeverityError   ValidationIssueSeverity = "error"
	ValidationIssueSeverityWarning ValidationIssueSeverity = "warning"
	ValidationIssueSeverityInfo    ValidationIssueSeverity = "info"
)

// ValidationIssueType: Against what: JSON, the JSON schema, the rules of the official
// registry, or the rules about clients.
type ValidationIssueType = string

// Known values of ValidationIssueType. A newer registry may have others.
const (
	ValidationIssueTypeJSON     ValidationIssueType = "json"
	ValidationIssueTypeSchema   ValidationIssueType = "schema"
	ValidationIssueTypeSemantic ValidationIssueType = "semantic"
	ValidationIssueTypeLinter   ValidationIssueType = "linter"
)

type ValidationResult struct {
	// Whether no issue has the severity error.
	Valid bool `json:"valid"`
	// At most 200, errors first. If there are more, the last one says how many.
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
	// What the {names} in the value mean.
	Variables map[string]Variable `json:"variables,omitzero"`
}

type View struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// The base URL for clients.
	URL string `json:"url"`
	// The most servers that the view has.
	Max int64 `json:"max"`
}

type Views struct {
	Views []View `json:"views"`
}

// WebhookAdvisoryData: Data of `server.advisory`.
type WebhookAdvisoryData struct {
	Server     WebhookServer         `json:"server"`
	Advisories []WebhookAdvisoryItem `json:"advisories"`
	// The number of all.
	Count int64 `json:"count"`
}

type WebhookAdvisoryItem struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	// The first version without it.
	FixedIn string `json:"fixedIn,omitzero"`
	Package string `json:"package,omitzero"`
	Title   string `json:"title,omitzero"`
	URL     string `json:"url,omitzero"`
}

type WebhookDeliveries struct {
	Deliveries []WebhookDelivery `json:"deliveries"`
	// The parameter of the next page; null on the last.
	Before *int64 `json:"before"`
}

type WebhookDelivery struct {
	ID int64 `json:"id"`
	// The header `webhook-id`.
	EventID string               `json:"eventId"`
	State   WebhookDeliveryState `json:"state"`
	// Since it was created or resent.
	Attempts      int64      `json:"attempts"`
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	LastAttemptAt *time.Time `json:"lastAttemptAt"`
	// Null if there was no response.
	ResponseStatus *int64     `json:"responseStatus"`
	Error          *string    `json:"error"`
	DurationMs     *int64     `json:"durationMs"`
	DeliveredAt    *time.Time `json:"deliveredAt"`
	CreatedAt      time.Time  `json:"createdAt"`
	// The body of a delivery, less than 20 kB. `data` depends on `type`, of which there may
	// be more in future. Events of servers have the server as it is after the event, or was
	// before it was gone. Long lists are shortened; `count` is the number of all.
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
	// Null for all.
	Events []WebhookEventType `json:"events"`
	// Null for all.
	Servers    []string   `json:"servers"`
	Search     *string    `json:"search"`
	Enabled    bool       `json:"enabled"`
	DisabledAt *time.Time `json:"disabledAt"`
	// `owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for
	// five days. `search`: its custom endpoint was deleted.
	DisabledReason *WebhookEndpointDisabledReason `json:"disabledReason"`
	// Null if the last attempt succeeded.
	FailingSince *time.Time           `json:"failingSince"`
	CreatedAt    time.Time            `json:"createdAt"`
	UpdatedAt    time.Time            `json:"updatedAt"`
	Links        WebhookEndpointLinks `json:"links"`
}

// WebhookEndpointDisabledReason: `owner`: by you. `gone`: it responded with 410.
// `failing`: all deliveries failed for five days. `search`: its custom endpoint was
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
	// https, with a public host name and the port 443 or one from 1024 on.
	URL         string  `json:"url"`
	Description *string `json:"description,omitempty"`
	Enabled     *bool   `json:"enabled,omitempty"`
	// Types to send. Absent, null or empty: all.
	Events []WebhookEventType `json:"events,omitempty"`
	// Name of a custom endpoint without `q` (Enterprise plan): only events of servers that
	// are or were among its results. Required for `view.changed`. Not together with
	// `servers`.
	Search *string `json:"search,omitempty"`
	// IDs of servers. Absent, null or empty: all servers.
	Servers []string `json:"servers,omitempty"`
}

type WebhookEndpointWithSecret struct {
	ID          int64   `json:"id"`
	URL         string  `json:"url"`
	Description *string `json:"description"`
	// Null for all.
	Events []WebhookEventType `json:"events"`
	// Null for all.
	Servers    []string   `json:"servers"`
	Search     *string    `json:"search"`
	Enabled    bool       `json:"enabled"`
	DisabledAt *time.Time `json:"disabledAt"`
	// `owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for
	// five days. `search`: its custom endpoint was deleted.
	DisabledReason *WebhookEndpointDisabledReason `json:"disabledReason"`
	// Null if the last attempt succeeded.
	FailingSince *time.Time           `json:"failingSince"`
	CreatedAt    time.Time            `json:"createdAt"`
	UpdatedAt    time.Time            `json:"updatedAt"`
	Links        WebhookEndpointLinks `json:"links"`
	// `whsec_` and base64. Signs the deliveries.
	Secret string `json:"secret"`
}

type WebhookEndpoints struct {
	Webhooks []WebhookEndpoint `json:"webhooks"`
	Count    int64             `json:"count"`
	// Of the plan. Beyond it, the newest endpoints receive nothing.
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

// WebhookPayload: The body of a delivery, less than 20 kB. `data` depends on `type`, of
// which there may be more in future. Events of servers have the server as it is after
// the event, or was before it was gone. Long lists are shortened; `count` is the number
// of all.
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
	// The URL.
	Repository string `json:"repository"`
	Status     Status `json:"status"`
	Score      *int64 `json:"score"`
	// Absent without a score.
	Grade string `json:"grade,omitzero"`
	// The latest version; absent if it is unknown.
	Version string `json:"version,omitzero"`
}

// WebhookServerData: Data of `server.listed` and `server.gone`.
type WebhookServerData struct {
	Server WebhookServer `json:"server"`
}

// WebhookStatusData: Data of `server.deprecated` and `server.archived`.
type WebhookStatusData struct {
	Server WebhookServer `json:"server"`
	// What its owner says; absent if nothing.
	Message string `json:"message,omitzero"`
	// The repository that replaces it; absent if it is unknown.
	SuccessorURL string `json:"successorUrl,omitzero"`
}

// WebhookTestData: Data of `webhook.test`.
type WebhookTestData struct {
	Message string `json:"message"`
}

// WebhookToolsData: Data of `server.tools_changed`. The lists have names of tools.
type WebhookToolsData struct {
	Server WebhookServer `json:"server"`
	// Where the list is from.
	Source  string  `json:"source"`
	Package *string `json:"package"`
	// Whether the list before was of the same version.
	WithoutNewVersion bool     `json:"withoutNewVersion"`
	Added             []string `json:"added"`
	Removed           []string `json:"removed"`
	Changed           []string `json:"changed"`
	// The number of all.
	Count   int64  `json:"count"`
	Version string `json:"version,omitzero"`
}

// WebhookUpdatedData: Data of `server.updated`.
type WebhookUpdatedData struct {
	Server WebhookServer `json:"server"`
	// Names of members.
	Changed []string `json:"changed"`
}

// WebhookVersionData: Data of `server.version`.
type WebhookVersionData struct {
	Server WebhookServer `json:"server"`
	Before string        `json:"before"`
	After  string        `json:"after"`
}

// WebhookViewData: Data of `view.changed`. The lists have IDs of servers.
type WebhookViewData struct {
	// The name of the custom endpoint.
	View    string   `json:"view"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	// The number of all.
	Count int64 `json:"count"`
}
