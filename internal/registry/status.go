package registry

import "time"

// Status is the progress of the crawl.
type Status struct {
	At time.Time `json:"at"`

	// Repositories counts repositories by state: "new" (never visited, and
	// unknown), "server", "not_server", "empty", "blocked", "unknown",
	// "missing" (not found by the code host at the last visit) and "gone"
	// (missing often and long enough). Each is counted once.
	Repositories map[string]int `json:"repositories"`
	// Unvisited counts the repositories that were never visited. Those with the state "server"
	// are only in the official registry.
	Unvisited int   `json:"unvisited"`
	Servers   int   `json:"servers"` // listed
	Hidden    int   `json:"hidden"`
	Listings  int   `json:"listings"` // entries of the official registry
	Seq       int64 `json:"seq"`      // number of the last change

	Due    int `json:"due"`    // due repositories without leased ones
	Leased int `json:"leased"` // being visited
	Forced int `json:"forced"` // requested manually and not visited yet

	// LagP50 and LagP95 are how many seconds the due repositories have been waiting; nil if
	// none is due.
	LagP50 *float64 `json:"lagP50Seconds"`
	LagP95 *float64 `json:"lagP95Seconds"`
	// AgeP50 and AgeP95 are the seconds since the last visits of repositories with servers;
	// nil for none, and if not counted.
	AgeP50 *float64 `json:"ageP50Seconds"`
	AgeP95 *float64 `json:"ageP95Seconds"`

	Failing []Failure `json:"failing"` // most frequent first, at most 20

	Packages     int `json:"packages"`
	PackagesDue  int `json:"packagesDue"`
	DownloadsDue int `json:"downloadsDue"`

	// Endpoints counts the endpoints of servers by [Probe.State], "" for those not yet probed.
	Endpoints    map[string]int `json:"endpoints"`
	EndpointsDue int            `json:"endpointsDue"`
	// ToolLists counts the listed servers by the source of their last list of tools, one of
	// the ToolsFrom constants, "" for none. It is nil if not counted.
	ToolLists map[string]int `json:"toolLists,omitempty"`

	Webhooks WebhookStatus `json:"webhooks"`

	Sources []SourceState `json:"sources"`
	// Named counts the repositories that each source has ever named, by source.
	Named   map[string]int `json:"named"`
	Budgets []Budget       `json:"budgets"`
	Jobs    []JobRun       `json:"jobs"` // the last run of each
}

// Known returns how many repositories are known.
func (s *Status) Known() (n int) {
	for _, of := range s.Repositories {
		n += of
	}
	return n
}

// A Failure is an error that some repositories or packages had at the last try.
type Failure struct {
	Of     string    `json:"of"` // "repository" or "package"
	Error  string    `json:"error"`
	Count  int       `json:"count"`
	LastAt time.Time `json:"lastAt"`
	// Example is one of them.
	Example string `json:"example"`
}

// WebhookStatus counts the webhook endpoints of accounts and their deliveries.
type WebhookStatus struct {
	Endpoints int `json:"endpoints"`
	Disabled  int `json:"disabled"`
	Failing   int `json:"failing"` // enabled, and the last attempt failed
	Due       int `json:"due"`     // deliveries
	Waiting   int `json:"waiting"` // deliveries that are retried later
	// Undispatched are events that were not made into deliveries yet.
	Undispatched int `json:"undispatched"`
}

// A Report is a reader's report of a problem with a listing. Reports are
// anonymous unless the reader leaves a contact.
type Report struct {
	ID       int64
	Slug     string // of the server, at the time of the report
	Reason   string // ID of one of [ReportReasons]
	Text     string
	Contact  string // contact of the reader; "" if not given, or deleted
	At       time.Time
	ClosedAt *time.Time // nil: open
	Note     string     // the operator's note; not shown to readers
}

// A ReportReason is a kind of problem with a listing.
type ReportReason struct{ ID, Text string }

// ReportReasons are all kinds of problem, in the order in which the form offers
// them.
var ReportReasons = []ReportReason{
	{"facts", "Wrong information"},
	{"not-mcp", "It is not an MCP server"},
	{"malicious", "Malicious or misleading"},
	{"rights", "License or copyright"},
	{"other", "Something else"},
}

// Limits of a report in characters, and of the number of open reports.
const (
	MaxReport      = 2000
	MaxContact     = 200
	MaxOpenReports = 10_000
)

// News is something that happened to a listed server and is not in its record:
// that it was listed, that its score changed from one day to the next, or that its
// tools changed.
type News struct {
	Slug string
	// At is when it was listed, the end of the UTC day of the score, or when the changed tools
	// were first seen.
	At time.Time
	// Before and Then are the scores of two days that follow each other; both
	// are nil in other news.
	Before, Then *int
	Tools        *ToolsChange // nil in other news
}

// Kinds of events.
const (
	EventListed       = "server.listed"
	EventScoreChanged = "server.score_changed"
	EventToolsChanged = "server.tools_changed"
)

func (n News) Event() string {
	switch {
	case n.Tools != nil:
		return EventToolsChanged
	case n.Before != nil && n.Then != nil:
		return EventScoreChanged
	}
	return EventListed
}

// A ToolsChange is the difference between two lists of tools of the same source.
type ToolsChange struct {
	From    string     // one of the ToolsFrom constants
	Package PackageKey // see [ToolList.Package]
	Version string     // of the server that has the new list; "" if unknown
	// SameVersion reports that the list before was of the same version.
	SameVersion bool
	// Sorted names of tools. Changed have another description, input schema or annotations.
	Added, Removed, Changed []string
}
