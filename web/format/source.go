package format

import (
	"time"

	"mcpcensus/internal/registry"
)

// Read returns where and when a repository was read: "Read from GitHub on 2 Nov 2026"; "" if
// it was not.
func Read(host string, at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return "Read from " + registry.HostOf(host).Name + " on " + Day(*at)
}

var toolSources = map[string]string{
	registry.ToolsFromProbe:    "Listed by its hosted endpoint",
	registry.ToolsFromRun:      "Listed by its published package, started in a sandbox",
	registry.ToolsFromManifest: "Read from its manifest",
	registry.ToolsFromSource:   "Read from the source code",
	registry.ToolsFromReadme:   "Read from the README",
}

// ToolSource returns the source of a list of tools as the beginning of a sentence: "Read
// from the source code". p is the package whose archive was read, zero for none. It is ""
// for an unknown source.
func ToolSource(from string, p registry.PackageKey) string {
	text := toolSources[from]
	if text != "" && p.Identifier != "" {
		text += " of the package " + Cut(60, p.Identifier)
	}
	return text
}
