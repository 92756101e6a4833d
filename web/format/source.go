package format

import (
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

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
		return r.Text
	case r.Source == nil:
		return r.Text + " (" + text.Day(*r.At) + ")"
	}
	return r.Text + " (" + CheckSource(*r.Source) + ", " + text.Day(*r.At) + ")"
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
	switch {
	case s.ToolCount != nil:
		return text.Count(*s.ToolCount, "tool")
	case len(s.Tools) > 0:
		return "at least " + text.Count(len(s.Tools), "tool")
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
