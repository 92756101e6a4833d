package registry

import (
	"errors"
	"time"
)

// ErrLeaseLost is returned for a result of work that another worker has taken
// over since. Nothing of the result is stored.
var ErrLeaseLost = errors.New("the lease has passed to another worker")

// The two kinds of question about a package, which have their own due times.
const (
	PackageFactsKind     = "facts"
	PackageDownloadsKind = "downloads"
)

// A JobRun is one run of a scheduled job.
type JobRun struct {
	Job        string     `json:"job"`
	StartedAt  time.Time  `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"` // nil while it runs, and if it was killed
	Note       string     `json:"note"`       // what it did, in words
	Error      string     `json:"error"`      // "" if it succeeded
}

// A CheckRun is a health check that was asked for by address, shared by all
// who ask for the same repository.
type CheckRun struct {
	Key    string
	State  string // one of the Check constants
	Result []byte // what FinishCheck was given; nil while it runs for the first time
	// Misses counts how often in a row the repository was not found. After a
	// miss or a failure, nothing is asked before NegativeUntil.
	Misses        int
	NegativeUntil *time.Time
	StartedAt     time.Time
	FinishedAt    *time.Time // of Result
	Progress      []byte     // what NoteCheck was given last; nil if nothing, and once it has ended
}

// The states of a [CheckRun].
const (
	CheckRunning  = "running"
	CheckDone     = "done"
	CheckNotFound = "not_found"
	CheckFailed   = "failed" // without an answer; not to be tried before NegativeUntil
)
