package registry

import "time"

// A CheckResult is the result of a health check of one repository, listed or not.
type CheckResult struct {
	ID  string  // identifies the check when its result is fetched later
	Ref RepoRef // spelled as by the host, once it has responded
	// ListedAs is the [RepoRef.Key] under which the registry lists the
	// repository, "" if it does not. It differs from Ref's key from a rename
	// on the host until the next crawl.
	ListedAs string
	// Status is CheckDone, CheckPending, CheckNotFound or CheckFailed. The check of a
	// repository that is blocked or empty is done; Reason says so.
	Status string
	// Servers are the scored servers. If there are none, Reason is set.
	Servers []Scored
	Reason  string
	Code    string    // of the error of a failed check; may be ""
	Kind    string    // of a repository without a server, such as "client"; "" if unknown
	Blocked string    // why the host withholds the repository, "dmca" or "tos"; "" if it does not
	Empty   bool      // the repository has no commits
	At      time.Time // time of the host's response
	// Stale reports that the result is outdated because no new check was possible. Warnings
	// has the reason.
	Stale      bool
	Warnings   []string
	RetryAfter time.Duration // for CheckPending
	// Progress is the progress of a pending check; nil if unknown. Servers are then scored
	// from the facts so far.
	Progress *CheckProgress
}

// CheckProgress holds the results of a running check so far.
type CheckProgress struct {
	Repo     *Repository // once the host has responded
	Files    *int        // in the repository, once they are listed
	Read     *int        // of them, once they are read
	Searched bool        // detection has run: the result has the servers found
	Packages int         // to be requested, once Searched
	Asked    int         // of those packages
}

// A CheckRun is the stored state of a health check. Concurrent requests for the
// same repository share it.
type CheckRun struct {
	Key    string
	State  string // CheckRunning, CheckDone, CheckNotFound or CheckFailed
	Result []byte // passed to FinishCheck; nil during the first run
	// Misses counts consecutive times that the repository was not found. After
	// a miss or a failure, no check starts before NegativeUntil.
	Misses        int
	NegativeUntil *time.Time
	StartedAt     time.Time
	FinishedAt    *time.Time // of Result
	Progress      []byte     // last passed to NoteCheck; nil if nothing, and after the run
}

// The states of a [CheckRun] and of a [CheckResult].
const (
	CheckRunning  = "running"
	CheckPending  = "pending"
	CheckDone     = "done"
	CheckNotFound = "not_found"
	CheckFailed   = "failed" // Reason says why; not retried before NegativeUntil
)

// Chosen returns the index of the server at the address (see [RepoRef.Among]), -1 if there is
// none, and the folder of the address unless it is a server's.
func (r *CheckResult) Chosen() (index int, folder string) {
	folders := make([]string, len(r.Servers))
	for i := range r.Servers {
		folders[i] = r.Servers[i].Server.Subfolder
	}
	return r.Ref.Among(folders)
}
