package registry

import (
	"slices"
	"time"
)

// Health is the score of one server: a deterministic function of [Facts], a
// time and a version of the model.
type Health struct {
	Status string `json:"status"` // one of the HealthStatus constants
	// Score is 0 to 100, nil unless Status is HealthScored. Low and High are the score with
	// every unknown check at 0 or at full points.
	Score      *int            `json:"score"`
	Low        *int            `json:"scoreLow"`
	High       *int            `json:"scoreHigh"`
	Grade      string          `json:"grade,omitempty"`
	Coverage   float64         `json:"coverage"`   // share of the weight that was measured, 0 to 1
	Confidence string          `json:"confidence"` // "high", "medium", "low"
	Version    string          `json:"scoreVersion"`
	Commit     string          `json:"commit,omitempty"`
	ComputedAt time.Time       `json:"computedAt"`
	Uncapped   float64         `json:"uncapped"` // before caps, 0 to 100
	Categories []HealthSection `json:"breakdown"`
	Caps       []Cap           `json:"caps"`
	Flags      []string        `json:"flags"`
	Improve    []Improvement   `json:"improve"`
	// CommitChance is the estimated chance of a commit by a person in the next 90 days, 0.01
	// to 0.99; nil if it is not known.
	CommitChance *float64 `json:"commitChance"`
}

// The values of [Health.Status]; the API adds "not_found" and "pending".
const (
	HealthScored           = "scored"
	HealthInsufficientData = "insufficient_data"
	HealthGone             = "gone"
	HealthEmpty            = "empty"
	HealthBlocked          = "blocked"
)

// A HealthSection is one category of the model with its checks.
type HealthSection struct {
	Category string   `json:"category"`
	Weight   float64  `json:"weight"`
	Score    *float64 `json:"score"` // 0 to 100; nil if too little is known or no check applies
	Coverage float64  `json:"coverage"`
	Checks   []Check  `json:"checks"`
}

// Applies reports whether any check of the section that carries points applies to the server.
func (s HealthSection) Applies() bool {
	return slices.ContainsFunc(s.Checks, func(c Check) bool { return c.Max > 0 })
}

// A Check is the result of one check of the model.
type Check struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Result     string     `json:"result"` // pass, partial, fail, unknown, notApplicable
	State      string     `json:"state"`  // ok, unknown, na, withheld
	Points     float64    `json:"points"` // of Max, which is larger where other checks of the category do not apply
	Max        float64    `json:"max"`    // 0 if the check carries no points or does not apply
	Reason     string     `json:"reason"` // a sentence
	Elapsed    bool       `json:"-"`      // Reason counts time up to ComputedAt, so it changes daily
	Evidence   []Evidence `json:"evidence,omitempty"`
	Fix        string     `json:"fix,omitempty"` // advice to the owner; "" for none
	Source     string     `json:"source,omitempty"`
	ObservedAt *time.Time `json:"observedAt,omitempty"`
}

// YoungDays is the age of a repository in days up to which a recent commit says little.
const YoungDays = 90

// A Cap is an upper bound on the score, based on positive evidence.
type Cap struct {
	ID      string `json:"id"`
	Max     int    `json:"max"`
	Reason  string `json:"reason"`
	Elapsed bool   `json:"-"`       // as of [Check]
	Applied bool   `json:"applied"` // it lowered this score
}

// An Improvement is a suggested change, and the points that it would gain.
type Improvement struct {
	Check string  `json:"check"`
	Gain  float64 `json:"gain"`
	Text  string  `json:"text"`
}

// Popularity is 0 to 100 and no part of health.
type Popularity struct {
	Score    *int     `json:"score"` // nil if no input is known
	Coverage float64  `json:"coverage"`
	Inputs   []string `json:"inputs"` // the inputs that counted
	Flags    []string `json:"flags,omitempty"`
}

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
