package registry

import "time"

// A Complaint is what a reader says is wrong with a listing. Who says it is
// not known, unless the reader leaves a way to be asked.
type Complaint struct {
	ID      int64
	Slug    string // of the server, as it was when this came
	Reason  string // ID of one of [ComplaintReasons]
	Text    string
	Contact string // how the reader may be asked; "" if not left, or deleted
	At      time.Time
	// ClosedAt is when the operator was done with it; nil: it is open.
	ClosedAt *time.Time
	Note     string // what the operator did, for the operator's eyes
}

// A ComplaintReason is what may be wrong with a listing.
type ComplaintReason struct{ ID, Text string }

// ComplaintReasons are all reasons, as they are offered.
var ComplaintReasons = []ComplaintReason{
	{"facts", "What the page says is wrong"},
	{"not-mcp", "It is not an MCP server"},
	{"malicious", "It is malicious, or it misleads"},
	{"rights", "Licence or copyright"},
	{"other", "Something else"},
}

// Bounds of a complaint, in characters, and of how many may be open.
const (
	MaxComplaint     = 2000
	MaxContact       = 200
	MaxOpenComplaint = 10_000
)
