package format

import (
	"cmp"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Category is the name of a category.
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

// Transport is the name of a transport.
func Transport(id string) string { return cmp.Or(transportNames[id], id) }

var packageNames = map[string]string{
	"npm": "npm", "pypi": "PyPI", "oci": "container", "nuget": "NuGet", "cargo": "Cargo",
	"mcpb": "bundle", "go": "Go", "maven": "Maven",
}

// PackageType is the name of a type of packages.
func PackageType(id string) string { return cmp.Or(packageNames[id], id) }

var sourceNames = map[string]string{
	"packages": "package registries", "official-registry": "official registry", "osv": "OSV",
	"probe": "probe", "deps.dev": "deps.dev", "run": "package run in a sandbox",
	"manifest": "manifest", "source": "source code", "readme": "README",
	"comparison": "comparison of servers",
}

// CheckSource is the name of the source of a check.
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
