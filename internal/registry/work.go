package registry

import (
	"errors"
	"time"
)

// A Candidate is a repository that may contain MCP servers, according to a source.
type Candidate struct {
	Ref     RepoRef
	HostID  int64 // the host's numeric id, 0 if unknown
	NodeID  string
	Source  string   // name of the source, as in [Sighting.Name]
	Listing *Listing // entry of the official registry, if that is the source
	// Priority puts the repository before others of the same due time: stars or
	// another count where the source has one, 0 otherwise.
	Priority int
	// Force makes the repository due now and has it read in full, because a
	// user requested it.
	Force bool
	// Heading is the section of the source with the repository, such as a heading of a list;
	// "" if none.
	Heading string
}

// Work is a due repository, leased to one worker.
type Work struct {
	ID      int64 // in this database; 0 for a check without a stored repository
	Ref     RepoRef
	HostID  int64
	NodeID  string // "" before the first visit
	Lease   string // token of the lease, without which no result is stored
	Attempt int    // failed attempts since the last success
	State   string // as in [Result.State]; "new" before the first result

	// Stored is the last snapshot, without Texts; nil before the first.
	Stored    *Snapshot
	FetchedAt *time.Time // of Stored
	ChangedAt *time.Time // time of the last observed change
	// Interval is the smoothed number of days between changes, 0 if unknown.
	Interval     float64
	Misses       int
	MissingSince *time.Time
	LastMissAt   *time.Time
	Forced       bool // requested manually: read in full, whatever the probe returns

	// OnProgress, if not nil, is called with partial results: first the repository alone, then
	// with its files.
	OnProgress func(Repository, []File)
}

// A Visit is the result of reading one repository from its code host.
type Visit struct {
	Work    Work
	Outcome Outcome
	// Snapshot is the whole of it for Fetched; for Unchanged only its Repo, with the counts of
	// the probe, and its Issues or the reason why they could not be read, if they were due.
	Snapshot *Snapshot
	// Again reports that parts of the repository are left for the next visit, which must be soon:
	// files that newer rules select, its issues and pull requests, or its id and metadata.
	Again   bool
	Err     error  // for Failed; for Blocked and Missing, the host's error
	Blocked string // "dmca", "tos", …: for Blocked
}

// An Outcome is the result of a visit.
type Outcome string

// The outcomes of a visit.
const (
	Fetched   Outcome = "fetched"
	Unchanged Outcome = "unchanged" // the probe found the same head and the same state
	Missing   Outcome = "missing"   // the host did not find the repository, or it is private
	Blocked   Outcome = "blocked"   // the host has blocked it permanently
	// ListedOnly is for a repository that was never read, because there is no budget for it, but
	// that the official registry may describe.
	ListedOnly Outcome = "listed"
	Failed     Outcome = "failed" // no usable response: to be retried
)

// A Result is the data to store after a visit: the repository's next turn and its servers.
type Result struct {
	Visit    Visit
	Now      time.Time
	NextAt   time.Time // the repository's next turn
	Interval float64   // for [Work.Interval]
	// State is "server", "not_server", "empty", "gone", "blocked" or "unknown";
	// Reason is a displayable reason.
	State  string
	Reason string
	// Scored are the repository's servers. Other stored servers of the repository leave the
	// listing. Nil leaves all unchanged; an empty slice leaves none.
	Scored []Scored
}

// Scored is a server with the facts it was scored from.
type Scored struct {
	Server Server
	Facts  Facts
	// ReadmeKept reports that the server has no README here, because the stored one stays.
	// FactsKept reports that Facts are the stored ones.
	ReadmeKept, FactsKept bool
}

// A PackageKey identifies a package.
type PackageKey struct {
	RegistryType string `json:"registryType"`
	Identifier   string `json:"identifier"`
}

// PackageWork is a due package.
type PackageWork struct {
	PackageKey
	Attempt int // consecutive requests without a full response
}

// A Budget is the rest of one upstream rate limit for one credential.
type Budget struct {
	Upstream   string    `json:"upstream"`   // "github"
	Credential string    `json:"credential"` // a name or a hash, never the secret
	Resource   string    `json:"resource"`   // "core", "graphql", "search"
	Limit      int       `json:"limit"`
	Remaining  int       `json:"remaining"`
	ResetAt    time.Time `json:"resetAt"`
	ObservedAt time.Time `json:"observedAt"`
	Problem    string    `json:"problem"` // "" or why the credential cannot be used: "bad credentials"
}

// SourceState is the reading state of one source.
type SourceState struct {
	Name        string     `json:"name"`
	Cursor      []byte     `json:"-"` // JSON of the source's own
	LastStarted *time.Time `json:"lastStarted"`
	LastSuccess *time.Time `json:"lastSuccess"`
	LastError   string     `json:"lastError"`
	LastErrorAt *time.Time `json:"lastErrorAt"`
	Found       int        `json:"found"` // candidates named at the last complete run
}

// ErrLeaseLost is returned for a result of work that another worker has leased
// since. Nothing of the result is stored.
var ErrLeaseLost = errors.New("lost the lease to another worker")

// The kinds of requests about a package, which have their own due times.
const (
	PackageFactsKind     = "facts"
	PackageDownloadsKind = "downloads"
	PackageProbeKind     = "probe" // of endpoints, see [RemoteType]
)

// A JobRun is one run of a scheduled job.
type JobRun struct {
	Job        string     `json:"job"`
	StartedAt  time.Time  `json:"startedAt"`
	FinishedAt *time.Time `json:"finishedAt"` // nil while it runs, and if it was killed
	Note       string     `json:"note"`       // its action, in words
	Error      string     `json:"error"`      // "" if it succeeded
}
