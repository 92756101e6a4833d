package registry

import "time"

// A Report is what there is to say about a repository that was asked for by
// its address, whether it is listed or not.
type Report struct {
	ID  string  // names the check for those who come back for it
	Ref RepoRef // as the host spells it, where it has answered
	// ListedAs is the [RepoRef.Key] under which the registry has the repository,
	// "" if it has not: another than Ref's until the crawl sees a new name.
	ListedAs string
	// Status is ReportDone, ReportPending or ReportNotFound.
	Status string
	// Servers are the servers found, scored; empty if the repository holds
	// none, and Reason says why.
	Servers []Scored
	Reason  string
	Blocked string    // why the host withholds the repository, "dmca" or "tos"; "" if it does not
	Empty   bool      // the repository has no commit
	At      time.Time // when the host was asked
	// Stale says that the report is older than it should be, because nothing
	// could be asked now; Warnings say why.
	Stale      bool
	Warnings   []string
	RetryAfter time.Duration // for ReportPending
	// Progress is how far a pending report has come, nil if nothing is known of
	// that. Servers are then scored without what is still to come.
	Progress *CheckProgress
}

// CheckProgress is what a check that is running has found out so far.
type CheckProgress struct {
	Repo     *Repository // once the host has answered
	Files    *int        // in the repository, once they are listed
	Read     *int        // of them, once they are read
	Searched bool        // for servers: Servers of the report are those that were found
	Packages int         // to be asked about, once Searched
	Asked    int         // of those packages
}

// The values of [Report.Status]. A report of a repository that the host
// withholds or that has no commit is done; its Reason says so.
const (
	ReportDone     = "done"
	ReportPending  = "pending"
	ReportNotFound = "not_found"
)
