// Package account implements accounts of people: sign-in with a mailed link, GitHub or OpenID
// Connect, plans, organizations and the audit log. It depends on neither HTTP nor SQL.
//
// An account belongs to the person who reads the mail of its address: following the link in a
// mail adds it. No response, and no response time, reveals whether an address has one.
package account

import (
	"context"
	"time"
)

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

// A SessionInfo describes a session to the owner of its account. Exports have all of it.
type SessionInfo struct {
	ID        int64     `json:"id"`
	Network   string    `json:"network"` // "": unknown
	Agent     string    `json:"userAgent"`
	CreatedAt time.Time `json:"createdAt"`
	SeenAt    time.Time `json:"lastUsedAt"` // to the minute
	ExpiresAt time.Time `json:"expiresAt"`  // if it is not used again
	Current   bool      `json:"current"`    // the session of the request
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

// An AuditEntry is a change of an account, its keys or its plan. Exports have all of it.
type AuditEntry struct {
	At      time.Time `json:"at"`
	Account int64     `json:"-"`
	Actor   string    `json:"actor"`  // ByOwner or another constant below
	Action  string    `json:"action"` // such as "key.made", "plan.changed"
	Detail  string    `json:"detail"` // for people, without secrets

	// Where it came from, "" if no request caused it. The store sets them.
	Network string `json:"network"`
	Agent   string `json:"userAgent"`
	Times   int    `json:"times"`  // how often it happened within an hour; At is the last time
	Member  string `json:"member"` // of ByMember: the address, "" for others
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

// A Custom is a custom endpoint: a saved search of an account. Exports have all of it.
type Custom struct {
	Name      string    `json:"name"`                  // 1 to 60 of a to z, 0 to 9 and -
	Query     string    `json:"query"`                 // full-text query; "": none
	Filters   string    `json:"filters"`               // JSON, as in POST /v1/search; "": none
	Sort      string    `json:"sort"`                  // as in POST /v1/search; "": the default
	Fields    []string  `json:"fields"`                // of the records; nil: those of a list entry
	Limit     int       `json:"limit" db:"page_limit"` // page size
	Facets    bool      `json:"facets"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// AuditFor is how long entries of the audit log are stored.
const AuditFor = 365 * 24 * time.Hour

// auditLength is the maximum number of entries on a page or in a list.
const auditLength = 100

// Audit returns the latest entries of the audit log of an account, newest first.
func (a *Accounts) Audit(ctx context.Context, id int64) ([]AuditEntry, error) {
	return a.Store.Audit(ctx, id, auditLength)
}

// RecordSignIn records a completed sign-in with the method how. If the owner has not signed
// in from the same network with the same program before, they are notified.
func (a *Accounts) RecordSignIn(ctx context.Context, l Login, how string) error {
	here, ever, err := a.Store.SignedInFrom(ctx, l.ID)
	if err != nil {
		return err
	}
	if err := a.Store.RecordRepeated(ctx, a.entry(l.ID, ByOwner, "signin", how)); err != nil {
		return err
	}
	if !here && ever {
		v := VisitorOf(ctx)
		a.notify(ctx, l.Email, newDeviceMail, "Program: "+v.Program()+"\nNetwork: "+v.Network())
	}
	return nil
}

// NotifyKey notifies the owner of an account of a new key.
func (a *Accounts) NotifyKey(ctx context.Context, id int64, name string) {
	a.notifyAccount(ctx, id, keyMail, func(Login) string { return name })
}

// NotifyPlan notifies the owner of an account of a changed plan.
func (a *Accounts) NotifyPlan(ctx context.Context, id int64) {
	a.notifyAccount(ctx, id, planMail, func(l Login) string {
		now := a.Now()
		plan := l.At(now).Name
		if l.Until != nil && now.Before(*l.Until) {
			plan += " until " + l.Until.Format("2 January 2006") + ", then " + l.At(*l.Until).Name
		}
		return plan
	})
}

// notifyAccount is [Accounts.notify] by the id of the account.
func (a *Accounts) notifyAccount(ctx context.Context, id int64, t letter, it func(Login) string) {
	if a.Mail == nil {
		return
	}
	a.background(ctx, "mail: "+t.subject, func(ctx context.Context) error {
		l, err := a.Store.Account(ctx, id)
		if err != nil {
			return err
		}
		return a.mail(ctx, l.Email, t, it(l))
	})
}
