package listing

import (
	"cmp"
	"net"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// StepsOfEffects is the maximum number of steps that a reader takes to find the effects of tools,
// and again to find what a server touches.
const StepsOfEffects = 1_000_000

// Touch adds what code does outside of the protocol of its tools.
func (b *Body[F]) Touch(t *registry.Touches, l Language) {
	for _, c := range b.Calls {
		use := registry.SourceUse{Name: strings.TrimPrefix(c.Name, "."), Evidence: place(b.File, c.Line)}
		switch l.Kind(c) {
		case FileRead, FileAdd, FileWrite:
			t.Files = append(t.Files, use)
		case Process:
			t.Processes = append(t.Processes, use)
		case Listen:
			t.Listens = append(t.Listens, use)
		}
	}
	for _, i := range b.Imports {
		if telemetry.MatchString(i.Text) {
			t.Telemetry = append(t.Telemetry,
				registry.SourceUse{Name: i.Text, Evidence: place(b.File, i.Line)})
		}
	}
	for _, text := range b.Texts {
		if host := hostOf(text.Text); host != "" {
			t.Hosts = append(t.Hosts, registry.HostUse{Host: host, Evidence: place(b.File, text.Line)})
		}
	}
}

// telemetry matches the names of libraries that report usage or errors to somebody.
var telemetry = regexp.MustCompile(`^(@sentry/|sentry_sdk|github\.com/getsentry/|posthog|github\.com/posthog/|` +
	`@?opentelemetry|go\.opentelemetry\.io/|mixpanel|@?amplitude|applicationinsights|dd-trace|ddtrace|` +
	`github\.com/DataDog/dd-trace|newrelic|@?bugsnag|rollbar|@segment/analytics|analytics-node|` +
	`github\.com/segmentio/analytics|@scarf/)`)

var url = regexp.MustCompile(`^(?i)(?:https?|wss?)://([a-z0-9][a-z0-9.-]*\.[a-z]{2,})(?:[:/?#]|$)`)

// nameOfXML matches addresses that are names of elements in XML.
var nameOfXML = regexp.MustCompile(`^http://(?:schemas\.[^/]+|[^/]+(?:/[\w.-]+)*?/ns)(?:[/#]|$)`)

// reserved matches hosts that nobody talks to: for examples, and those in the names of formats.
var reserved = regexp.MustCompile(
	`(^|\.)(example|test|invalid|localhost|local)$|(^|\.)example\.(com|org|net)$|(^|\.)(w3|json-schema|schema)\.org$`)

// passedOn matches the names of members and constants whose addresses a program only passes on, after the
// protocol, OAuth and the rules of browsers: pages and icons of a server, scopes, allowed origins.
var passedOn = regexp.MustCompile(`(?i)^website_?url$|^icons?$|scopes?$|redirect_?ur[il]s?$|^cors_?\w*origins?$|^allow(?:ed)?_?\w+$|` +
	`^[a-z]+-?src$|^\$id$`)

// PassesOn reports whether the addresses in a member or a constant with a name are only passed on.
func PassesOn(name string) bool { return passedOn.MatchString(name) }

// hostOf returns the host of a text that is a URL, "" for others.
func hostOf(text string) string {
	m := url.FindStringSubmatch(text)
	if m == nil || net.ParseIP(m[1]) != nil || nameOfXML.MatchString(text) || reserved.MatchString(strings.ToLower(m[1])) {
		return ""
	}
	return strings.ToLower(m[1])
}

// Limit returns what a server touches, each once with its first place, within the limits of
// [registry.Touches].
func Limit(t registry.Touches) registry.Touches {
	cut := false
	uses := func(all []registry.SourceUse) []registry.SourceUse {
		return first(all, func(u registry.SourceUse) string { return u.Name }, &cut)
	}
	t.Files, t.Processes = uses(t.Files), uses(t.Processes)
	t.Listens, t.Telemetry = uses(t.Listens), uses(t.Telemetry)
	t.Hosts = first(t.Hosts, func(u registry.HostUse) string { return u.Host }, &cut)
	slices.SortFunc(t.Hosts, func(a, b registry.HostUse) int { return cmp.Compare(a.Host, b.Host) })
	if cut {
		t.SourceRead = registry.SourceReadPart
	}
	return t
}

// first returns the first elements with each name, at most [registry.MaxTouches].
func first[T any](all []T, name func(T) string, cut *bool) (out []T) {
	seen := map[string]bool{}
	for _, x := range all {
		switch {
		case seen[name(x)]:
		case len(out) == registry.MaxTouches:
			*cut = true
		default:
			out = append(out, x)
		}
		seen[name(x)] = true
	}
	return out
}
