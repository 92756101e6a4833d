// Package account implements accounts of people: sign-in with a mailed link, GitHub or OpenID
// Connect, plans, organizations and the audit log. It depends on neither HTTP nor SQL.
//
// An account belongs to the person who reads the mail of its address: following the link in a
// mail adds it. No response, and no response time, reveals whether an address has one.
package account

import "time"

// An Account is a person or company that uses the keyed API.
type Account struct {
	ID          int64
	Email       string // as typed, trimmed
	GitHubID    int64  // of the linked GitHub user; 0: none
	GitHubLogin string `db:"github_login"`
	CreatedAt   time.Time
	UsageAlerts bool // mail when most of the daily limit is used
	Subscription
}

// A Login is an account with what its sessions depend on.
type Login struct {
	Account
	Epoch int // sessions of earlier epochs have ended
}

// A Subscription is the plan of an account and when it ends.
type Subscription struct {
	Plan  string     // id of the plan until Until
	Until *time.Time `db:"plan_until"` // when Next replaces Plan; nil: never
	Next  string     `db:"plan_next"`  // id of a plan; "": basic
}

// At returns the plan at t.
func (s Subscription) At(t time.Time) *Plan {
	id := s.Plan
	if s.Until != nil && !t.Before(*s.Until) {
		id = s.Next
	}
	if p := PlanNamed(id); p != nil {
		return p
	}
	return Plans[0]
}

// A Customer is an account at the payment provider.
type Customer struct {
	Account      int64
	ID           string // at the provider; "": none
	Subscription string // id of the subscription that pays for the plan; "": none
}

// A SessionInfo describes a session to the owner of its account.
type SessionInfo struct {
	ID                           int64
	Network, Agent               string
	CreatedAt, SeenAt, ExpiresAt time.Time // ExpiresAt: if it is not used again
	Current                      bool      // the session of the request
}

// Program returns the browser and system of the session, "" for other programs.
func (s SessionInfo) Program() string { return programOf(s.Agent) }

// A Session is the stored state of a session of a browser or program.
type Session struct {
	Account   int64 // 0: not signed in
	Data      []byte
	Idle      time.Duration // it ends after this time without use
	ExpiresAt time.Time     // it ends by then, used or not
}

// An AuditEntry is a change of an account, its keys or its plan.
type AuditEntry struct {
	At      time.Time
	Account int64
	Actor   string // ByOwner or another constant below
	Action  string // such as "key.made", "plan.changed"
	Detail  string // for people, without secrets

	// Where it came from, "" if no request caused it. The store sets them.
	Network string
	Agent   string
	Member  string // of ByMember
	Times   int    // how often it happened within an hour; At is the last time
}

// Program returns the browser and system that it came from, "" for other programs.
func (e AuditEntry) Program() string { return programOf(e.Agent) }

// Actors of audit entries.
const (
	ByOwner    = "owner"
	ByMember   = "member" // whose address is in AuditEntry.Member
	ByOperator = "operator"
	BySomebody = "somebody" // anyone who entered the address, not necessarily its owner
	ByPayment  = "payment"
	ByRegistry = "registry" // a rule, such as disabling a webhook endpoint that fails
)
