package account

import (
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// KeyPrefix begins every API key.
const KeyPrefix = "mcp_"

// KeyPattern matches API keys, also for secret scanners: 256 bits in base 62.
const KeyPattern = KeyPrefix + `[0-9A-Za-z]{43}`

var (
	keyForm = regexp.MustCompile(KeyPattern)
	onlyKey = regexp.MustCompile(`^` + KeyPattern + `$`)
)

// IsKey reports whether a text has the form of an API key.
func IsKey(s string) bool { return onlyKey.MatchString(s) }

// HoldsKey reports whether a text contains another text in the form of an API key.
func HoldsKey(s string) bool { return strings.Contains(s, KeyPrefix) && keyForm.MatchString(s) }

// A Key is an API key of an account. Only its SHA-256 and its first characters, by
// which people recognize it, are stored.
type Key struct {
	ID         int64
	Account    int64
	Name       string
	Prefix     string // "mcp_" and the next six characters
	CreatedAt  time.Time
	LastUsedAt *time.Time // to the minute
	Scopes     Scopes
	Addresses  []netip.Prefix // of clients that may use it; none: all
	ExpiresAt  *time.Time     // set by its owner, or the end of the overlap
	Rotated    bool           // another key replaces it
	MadeBy     int64          // the member who made it; 0: the owner
	RevokedAt  *time.Time
}

// Works reports whether the key is valid at t.
func (k Key) Works(t time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || t.Before(*k.ExpiresAt))
}

// Status returns the status of the key at t: active, rotated (still valid), expired or revoked.
func (k Key) Status(t time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case !k.Works(t):
		return "expired"
	case k.Rotated:
		return "rotated"
	}
	return "active"
}

// Listed reports whether lists at t include the key: they omit keys that ended long ago.
func (k Key) Listed(t time.Time) bool {
	const shown = 30 * 24 * time.Hour
	ended := k.RevokedAt
	if ended == nil && !k.Works(t) {
		ended = k.ExpiresAt
	}
	return ended == nil || t.Sub(*ended) < shown
}

// A KeyHash is the SHA-256 of a key.
type KeyHash [32]byte

// A HeldKey is a key with the subscription of its account.
type HeldKey struct {
	Key
	Subscription
}

// MaxKeys is the maximum number of valid keys of an account.
const MaxKeys = 5

// KeyOverlap is how long a rotated key stays valid.
const KeyOverlap = 24 * time.Hour

// An Access describes what a key permits.
type Access struct {
	Account, Key int64
	Plan         *Plan
	Scopes       Scopes
	Addresses    *[]netip.Prefix // of clients that may use the key; nil: all
}
