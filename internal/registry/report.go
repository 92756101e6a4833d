package registry

import "time"

// A Report is what there is to say about a repository that was asked for by
// its address, whether it is listed or not.
type Report struct {
	ID  string  // names the check for those who come back for it
	Ref RepoRef // as the host spells it, where it has answered
	// Status is ReportDone, ReportPending or ReportNotFound.
	Status string
	// Servers are the servers found, scored; empty if the repository holds
	// none, and Reason says why.
	Servers []Scored
	Reason  string
	Blocked string    // why the host withholds the repository, "dmca" or "tos"; "" if it does not
	At      time.Time // when the host was asked
	// Stale says that the report is older than it should be, because nothing
	// could be asked now; Warnings say why.
	Stale      bool
	Warnings   []string
	RetryAfter time.Duration // for ReportPending
}

// The values of [Report.Status]. A report of a repository that the host
// withholds or that has no commit is done; its Reason says so.
const (
	ReportDone     = "done"
	ReportPending  = "pending"
	ReportNotFound = "not_found"
)
