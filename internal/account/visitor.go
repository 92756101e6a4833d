package account

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	"github.com/mileusna/useragent"
)

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
