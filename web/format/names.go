package format

import (
	"cmp"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

func Category(id string) string {
	if id == "api" {
		return "API"
	}
	return Capital(id)
}

var sdkNames = map[string]string{"typescript": "TypeScript", "csharp": "C#", "php": "PHP", "": "unknown"}

// SDK is the name of an SDK, "unknown" for "".
func SDK(id string) string {
	if name, ok := sdkNames[id]; ok {
		return name
	}
	return Capital(id)
}

var transportNames = map[string]string{
	registry.TransportHTTP: "Streamable HTTP", registry.TransportSSE: "SSE",
}

func Transport(id string) string { return cmp.Or(transportNames[id], id) }

var packageNames = map[string]string{
	"npm": "npm", "pypi": "PyPI", "oci": "container", "nuget": "NuGet", "cargo": "Cargo",
	"mcpb": "bundle", "go": "Go", "maven": "Maven",
}

func PackageType(id string) string { return cmp.Or(packageNames[id], id) }

var sourceNames = map[string]string{
	"packages": "package registries", "official-registry": "official registry", "osv": "OSV",
	"probe": "probe", "deps.dev": "deps.dev", "run": "package run in a sandbox",
	"manifest": "manifest", "source": "source code", "readme": "README",
	"comparison": "comparison of servers",
}

func CheckSource(id string) string {
	if h := registry.FindHost(id); h != nil {
		return h.Name
	}
	return cmp.Or(sourceNames[id], PackageType(id))
}

// Commit shortens the id of a commit to twelve digits, and returns other texts unchanged.
func Commit(s string) string {
	if len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" {
		return s[:12]
	}
	return s
}

// Health is a score in words; nil means unknown.
func Health(score *int, grade string) string {
	if score == nil {
		return "no health score yet"
	}
	return "health " + text.Thousands(*score) + " of 100, grade " + grade
}

// Effect returns what a server or tool with an effect can do, as a title.
func Effect(id string) string {
	words := registry.EffectWords[id]
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

var endpointStates = map[string]string{
	registry.ProbeOpen:           "Online, no login needed",
	registry.ProbeGated:          "Online, requires a login",
	registry.ProbeUndocumented:   "Online, requires credentials",
	registry.ProbeWrongTransport: "Online, but only as HTTP with SSE",
	registry.ProbePaid:           "Online, requires a payment",
	registry.ProbeNotMCP:         "Does not answer as an MCP server",
	registry.ProbeRefused:        "Rejects our probes",
	registry.ProbeUnreachable:    "Unreachable",
	registry.ProbeUnknown:        "Not probed yet",
}

// downReasons are the displayed reasons of unreachable endpoints.
var downReasons = map[string]string{
	registry.ReasonDNS:        "the DNS lookup fails",
	registry.ReasonTLS:        "the TLS connection fails",
	registry.ReasonTimeout:    "it does not respond in time",
	registry.ReasonConnection: "the connection fails",
	registry.ReasonPrivate:    "its address is private",
}

// Endpoint returns the state of an endpoint as a sentence, with its uptime; "" for one that was
// not probed.
func Endpoint(l *registry.Liveness) string {
	if l == nil {
		return ""
	}
	if l.State == registry.ProbeUnknown && l.Probes == 0 {
		return "Not probed yet."
	}
	s := cmp.Or(endpointStates[l.State], l.State)
	if registry.LivenessOf(l.State) == registry.LivenessDown {
		if l.Reason != "" {
			s += " (" + cmp.Or(downReasons[l.Reason], l.Reason) + ")"
		}
		s += " since " + since(l)
	}
	if uptime := text.Uptime(l.Uptime30, l.Probes); uptime != "" && l.Probes > 0 {
		s += ". Uptime " + uptime
	}
	return s + "."
}

// EndpointDates says since when an endpoint has had its state, and when it was probed last.
func EndpointDates(l *registry.Liveness) string {
	s := "Checked " + text.Day(l.CheckedAt) + "."
	if registry.LivenessOf(l.State) == registry.LivenessAlive || registry.LivenessOf(l.State) == registry.LivenessGated {
		s = "Since " + since(l) + ". " + s
	}
	return s
}

func since(l *registry.Liveness) string {
	if l.FirstProbeAt != nil && l.FirstProbeAt.Equal(l.Since) {
		return "the first probe on " + text.Day(l.Since)
	}
	return text.Day(l.Since)
}

var livenesses = map[string]string{
	registry.LivenessAlive: "Online", registry.LivenessGated: "Online with a login",
	registry.LivenessDown: "Down", registry.LivenessUnknown: "Unknown",
}

func Liveness(id string) string { return livenesses[id] }

// Read returns where and when a repository was read: "Read from GitHub on 2 Nov 2026"; "" if
// it was not.
func Read(host string, at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return "Read from " + registry.HostOf(host).Name + " on " + text.Day(*at)
}

// Risk returns a risk with its source and date: "The server is deprecated. (npm, 2 Nov 2026)".
func Risk(r registry.Risk) string {
	switch {
	case r.At == nil:
		return r.String()
	case r.Source == nil:
		return r.String() + " (" + text.Day(*r.At) + ")"
	}
	return r.String() + " (" + CheckSource(*r.Source) + ", " + text.Day(*r.At) + ")"
}

var toolSources = map[string]string{
	registry.ToolsFromProbe:    "Listed by its hosted endpoint",
	registry.ToolsFromRun:      "Listed by running its package in a sandbox",
	registry.ToolsFromManifest: "Read from its manifest",
	registry.ToolsFromSource:   "Read from the source code",
	registry.ToolsFromReadme:   "Read from the README",
}

// ToolSource returns the source of a list of tools as the beginning of a sentence: "Read
// from the source code". p is the package whose archive was read, zero for none. It is ""
// for an unknown source.
func ToolSource(from string, p registry.PackageKey) string {
	source := toolSources[from]
	if source != "" && p.Identifier != "" {
		source += " of the package " + text.Fit(p.Identifier, 60)
	}
	return source
}

// VersionSource returns the source of a server's latest version in a few words, "" if unknown.
func VersionSource(from string) string {
	switch from {
	case registry.VersionManifest:
		return "unreleased"
	case registry.VersionListing:
		return "official registry"
	}
	return PackageType(from)
}

// Tools returns the number of a server's tools: "6 tools", or "at least 6 tools" for an incomplete
// list; "" if it is unknown.
func Tools(s *registry.Server) string {
	if s.ToolCount != nil {
		return text.Count(*s.ToolCount, "tool")
	}
	if n := len(registry.CertainTools(s.Tools)); n > 0 {
		return "at least " + text.Count(n, "tool")
	}
	return ""
}

// Notable is the number of tokens from which rows of lists tell the weight of tools, and pages
// compare it with that of others.
const Notable = 5_000

// NotableTokens returns the tokens of a server's tools from Notable on: "11k"; otherwise "".
func NotableTokens(s *registry.Server) string {
	if s.ToolTokens == nil || *s.ToolTokens < Notable {
		return ""
	}
	return Compact(int64(*s.ToolTokens))
}
