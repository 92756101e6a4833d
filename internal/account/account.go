package account

import "time"

// An Account is a person or a company that uses the keyed API.
type Account struct {
	ID          int64
	Email       string // as it was typed, without spaces around
	HasPassword bool   // false: signs in with GitHub only
	GitHubID    int64  // of the linked GitHub user; 0: none
	GitHubLogin string
	ConfirmedAt *time.Time // when the address was shown to be theirs
	CreatedAt   time.Time
	Subscription
}

// A Subscription is the plan of an account and when it ends.
type Subscription struct {
	Plan string // ID of the plan in force until Until
	// Until is when Next takes over; nil: Plan stays.
	Until *time.Time
	Next  string // ID of a plan; "" means basic
}

// At returns the plan in force at t.
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

// A Key is an API key of an account. The key itself is not stored: only its
// SHA-256, and its first characters for people to tell keys apart.
type Key struct {
	ID         int64
	Account    int64
	Name       string
	Prefix     string // "mcp_" and the next six characters
	CreatedAt  time.Time
	LastUsedAt *time.Time // to the minute or so
	ExpiresAt  *time.Time // set when it was rotated: the overlap ends then
	RevokedAt  *time.Time
}

// Works reports whether the key works at t.
func (k Key) Works(t time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || t.Before(*k.ExpiresAt))
}

// A KeyHash is the SHA-256 of a key.
type KeyHash [32]byte

// A KeyHolder is an account with what is needed to know its keys when they
// are shown. An account that is gone has no keys.
type KeyHolder struct {
	Account int64
	Subscription
	Keys []HeldKey // those that ended too
}

// A HeldKey is a key of a holder.
type HeldKey struct {
	Key
	Hash KeyHash
}

// MaxKeys is how many keys that work an account may have.
const MaxKeys = 5

// KeyOverlap is how long a rotated key works beside the new one.
const KeyOverlap = 24 * time.Hour

// An Access is what a key gives: whose it is, and the plan in force.
type Access struct {
	Account, Key int64
	Plan         *Plan
}

// A Customer is an account as the payment provider knows it.
type Customer struct {
	Account      int64
	ID           string // at the provider; "": it does not know the account
	Subscription string // ID of the one that gives the account its plan; "": none
}

// An AuditEntry is one change of an account, its keys or its plan.
type AuditEntry struct {
	At      time.Time
	Account int64
	// Actor is who did it: "owner", "operator" or "payment".
	Actor  string
	Action string // such as "key.made", "password.changed", "plan.changed"
	Detail string // in words, without secrets
}
