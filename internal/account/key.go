package account

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mileusna/useragent"

	"mcpcensus/internal/registry"
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
	Held         *HeldKey // of the key; nil: no limits of addresses
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

// NetworkOf returns the network that one subscriber may own: an IPv4 /24 or an IPv6 /48.
func NetworkOf(a netip.Addr) netip.Prefix {
	bits := 24
	if a.Is6() {
		bits = 48
	}
	network, _ := a.Prefix(bits) // invalid for an invalid address
	return network
}

// Network returns the network of the client to record. Full addresses are not stored.
func (v Visitor) Network() string {
	a, err := netip.ParseAddr(v.Client)
	if err != nil {
		return ""
	}
	return NetworkOf(a).String()
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

// Scopes is a set of permissions of a key. The zero value has all.
type Scopes uint8

// The scopes.
const (
	ScopeRead      Scopes = 1 << iota // lists, records, search, changes, usage, /api and /mcp
	ScopeAnalytics                    // /v1/servers/{id}/analytics
	ScopeCustom                       // /v1/custom
	ScopeWebhooks                     // /v1/webhooks

	AllScopes = ScopeRead | ScopeAnalytics | ScopeCustom | ScopeWebhooks
)

// scopeNames are the names of the scopes, by bit.
var scopeNames = []string{"read", "analytics", "custom", "webhooks"}

// Has reports whether s includes all of x.
func (s Scopes) Has(x Scopes) bool { return s == 0 || s&x == x }

func (s Scopes) Names() []string {
	names := []string{}
	for i, name := range scopeNames {
		if s.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// ParseScopes is the inverse of [Scopes.Names]. The error names the field scopes.
func ParseScopes(names []string) (s Scopes, err error) {
	for _, name := range names {
		i := slices.Index(scopeNames, name)
		if i < 0 {
			return 0, registry.Invalid("scopes", "must be among %s, got %.40q",
				strings.Join(scopeNames, ", "), name)
		}
		s |= 1 << i
	}
	if s == 0 {
		return 0, registry.Invalid("scopes", "must contain at least one of %s",
			strings.Join(scopeNames, ", "))
	}
	return s, nil
}

const maxAddresses = 50

// parseAddresses parses addresses and networks in CIDR notation.
func parseAddresses(list []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(list))
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if a, addrErr := netip.ParseAddr(text); addrErr == nil {
			a = a.Unmap().WithZone("")
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			return nil, registry.Invalid("addresses",
				"must be addresses such as 192.0.2.7 or networks such as 2001:db8::/32, got %.60q", text)
		}
		if p = p.Masked(); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > maxAddresses {
		return nil, registry.Invalid("addresses", "must have at most %d entries", maxAddresses)
	}
	return out, nil
}

// Never is the expiry of a key that does not expire.
const Never = "never"

// A KeyChange is a change of a key. Nil and "" leave a setting unchanged; an empty list
// of addresses allows all.
type KeyChange struct {
	Name              string
	Scopes, Addresses []string
	Expires           string // a day or a time in UTC, or [Never]
}

// Apply changes k at now. Only the name of an invalid key can change. Apply does not
// check the name.
func (c KeyChange) Apply(k *Key, now time.Time) (err error) {
	if c.Name != "" {
		k.Name = c.Name
	}
	if c.Scopes == nil && c.Addresses == nil && c.Expires == "" {
		return nil
	}
	if !k.Works(now) || k.Rotated {
		return registry.Errorf(registry.ErrConflict,
			"This key was rotated, revoked or has expired. Only its name can be changed.")
	}
	if c.Scopes != nil {
		if k.Scopes, err = ParseScopes(c.Scopes); err != nil {
			return err
		}
	}
	if c.Addresses != nil {
		if k.Addresses, err = parseAddresses(c.Addresses); err != nil {
			return err
		}
	}
	if c.Expires != "" {
		k.ExpiresAt, err = parseExpiry(c.Expires, now)
	}
	return err
}

// parseExpiry parses a day, a time or [Never], for which it returns nil.
func parseExpiry(text string, now time.Time) (*time.Time, error) {
	if text == Never {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t, err = time.Parse(time.RFC3339, text)
	}
	if err != nil || !t.After(now) || t.Year() > 9000 {
		return nil, registry.Invalid("expiresAt",
			"must be a future day such as 2027-01-31, a future time such as 2027-01-31T12:00:00Z, "+
				"or never, got %.40q", text)
	}
	t = t.UTC().Truncate(time.Microsecond)
	return &t, nil
}

// Restrictions describes the restrictions of a key for the audit log, "" for none.
func (k Key) Restrictions() string {
	var out strings.Builder
	if !k.Scopes.Has(AllScopes) {
		fmt.Fprintf(&out, ", for %s", strings.Join(k.Scopes.Names(), " "))
	}
	if len(k.Addresses) > 0 {
		fmt.Fprintf(&out, ", from %s", strings.Join(k.Networks(), " "))
	}
	if k.ExpiresAt != nil {
		fmt.Fprintf(&out, ", until %s", k.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return out.String()
}

// Networks returns the addresses as text, without the length of single hosts.
func (k Key) Networks() []string {
	out := []string{}
	for _, p := range k.Addresses {
		if p.IsSingleIP() {
			out = append(out, p.Addr().String())
		} else {
			out = append(out, p.String())
		}
	}
	return out
}

// Permits returns an error unless the key may be used from an address for a scope.
func (a Access) Permits(from netip.Addr, scope Scopes) error {
	if a.Held != nil && len(a.Held.Addresses) > 0 && !slices.ContainsFunc(a.Held.Addresses,
		func(p netip.Prefix) bool { return p.Contains(from) }) {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "address_not_allowed",
			Msg: "This API key is limited to certain addresses, and " + from.String() +
				" is not one of them. Change its addresses in the account settings."}
	}
	if !a.Scopes.Has(scope) {
		names := scope.Names()
		return &registry.Error{Kind: registry.ErrForbidden, Code: "scope_required", Scopes: names,
			Msg: "This API key lacks the scope " + strings.Join(names, ", ") + ". It has " +
				strings.Join(a.Scopes.Names(), ", ") + ". Change its scopes in the account settings."}
	}
	return nil
}
