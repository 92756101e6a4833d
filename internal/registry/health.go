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
