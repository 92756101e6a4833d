package registry

import "time"

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
