package account

import (
	"cmp"
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mileusna/useragent"
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

// A Visitor is the sender of a request.
type Visitor struct {
	Client string // IPv4 address, or /64 network of an IPv6 address; "": unknown
	Agent  string // User-Agent in one line without hidden characters, at most 200 characters
	Proof  string // see [Accounts.Proof]; "": none
	// Member is the account of a signed-in person who acts in another account that they
	// belong to; otherwise 0.
	Member int64
}

type visitorKey struct{}

// WithVisitor returns a context for a request from v.
func WithVisitor(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

// VisitorOf returns the visitor of ctx, the zero Visitor for work without a request.
func VisitorOf(ctx context.Context) Visitor {
	v, _ := ctx.Value(visitorKey{}).(Visitor)
	return v
}

// Network returns the network of the client to record: the /24 of an IPv4 address, the
// /48 of an IPv6 one. Full addresses are not stored.
func (v Visitor) Network() string {
	a, err := netip.ParseAddr(v.Client)
	if err != nil {
		return ""
	}
	bits := 48
	if a.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(a, bits).Masked().String()
}

var (
	browsers = []string{
		useragent.Chrome, useragent.Edge, useragent.Firefox, useragent.HeadlessChrome,
		useragent.Opera, useragent.Safari, useragent.MobileSafari, useragent.SamsungBrowser,
		useragent.Vivaldi,
	}
	systems = []string{
		useragent.Android, useragent.ChromeOS, useragent.IOS, useragent.Linux, useragent.MacOS,
		useragent.Windows,
	}
)

// Program returns the browser and system for mails, such as "Firefox on Linux". Mails contain
// nothing that a stranger chose, so other programs have no name.
func (v Visitor) Program() string { return cmp.Or(programOf(v.Agent), "an unknown program") }

// programOf returns the browser and system of a User-Agent, such as "Firefox on Linux"; "" for
// other programs.
func programOf(agent string) string {
	ua := useragent.Parse(agent)
	switch {
	case !slices.Contains(browsers, ua.Name):
		return ""
	case !slices.Contains(systems, ua.OS):
		return ua.Name
	}
	return ua.Name + " on " + ua.OS
}
