package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/entry"
	"mcpcensus/internal/registry"
)

// factDates has the members that hold facts about a server, with the members that date them:
// paths in the same object or an enclosing one, with * for any member or element.
var factDates = map[string][]string{}

func init() {
	const listed = " checkedAt _meta.*.checkedAt" // of records in lists
	for members, dates := range map[string]string{
		"score scoreLow scoreHigh qualityScore healthScore quality_score grade popularity caps flags risks improve result"://
		"observedAt computedAt scoredAt timestamp" + listed,
		"stars forks openIssues contributors language sdk category official verified " +
			"status install installation packages archived": "lastCrawledAt computedAt _meta.*.lastCrawledAt changedAt statusChangedAt timestamp" + listed,
		"downloads downloadsBreakdown downloads30d": "downloadsAt" + listed,
		"tool toolCount toolTokens suspiciousRules suspiciousTexts tokens fingerprint"://
		"toolList.readAt readAt suspiciousTexts.*.readAt" + listed,
		"copyOf lookAlikeOf": "copySince",
		"liveness":           "liveness.checkedAt livenessAt" + listed,
		"license":            "licenseSource" + listed,
		"latestVersion":      "latestVersionSource.readAt",
		"uptime30 probes":    "checkedAt",
		"inspection":         "inspection.at",
	} {
		for _, m := range strings.Fields(members) {
			factDates[m] = strings.Fields(dates)
		}
	}
}

// undatedCalls are recorded calls without dates of the present: figures of a period, members
// that the request selects, and documents in the form of the official registry.
var undatedCalls = []string{
	"servers_analytics", "servers_bulk", "servers_changes", "custom_run", "registry_view_documents",
	"registry_health", "calls",
}

// noFacts are members below which there are no facts about one server, or facts in the form of
// another registry, which has no dates. Census's own members beside that form have them.
var noFacts = []string{"filters", "facets", "io.modelcontextprotocol.registry/publisher-provided"}

// TestFactsHaveDates checks that responses have a date for each fact: the recorded ones, and
// those with a server of which everything is known.
func TestFactsHaveDates(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(sdkFixtures, "*.json"))
	if err != nil || len(names) < 50 {
		t.Fatal(len(names), err)
	}
	bodies := knownBodies(t)
	for _, name := range names {
		call := strings.TrimSuffix(filepath.Base(name), ".json")
		if slices.Contains(undatedCalls, call) {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var fixture sdkFixture
		if json.Unmarshal(b, &fixture) == nil && (fixture.Status >= 400 || len(fixture.Body) == 0) {
			continue
		}
		bodies[call] = b
	}
	seen := map[string]int{}
	for name, b := range bodies {
		var body any
		if err := json.Unmarshal(b, &body); err != nil {
			t.Fatal(name, err)
		}
		if fixture, ok := body.(map[string]any); ok && fixture["body"] != nil {
			body = fixture["body"]
		}
		for _, fact := range undated(body, "", nil, seen) {
			t.Errorf("%s: %s has no date", name, fact)
		}
	}
	for fact := range factDates {
		if seen[fact] == 0 {
			t.Errorf("no response has %s", fact)
		}
	}
}

// knownBodies returns the forms of a server in responses.
func knownBodies(t *testing.T) map[string][]byte {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	s := &registry.Server{
		Slug: "o-r", RegistryName: "io.github.o/r", Name: "R", Status: registry.StatusActive,
		Repo: registry.Repository{Owner: "o", Name: "r"}, License: "MIT",
		LicenseFrom: registry.LicenseFromManifest, Stars: new(1),
		LatestVersion: "1.0.0", VersionFrom: "npm", VersionAt: &at,
		Health: registry.Health{Score: new(90), Grade: "A", ComputedAt: at, Flags: []string{"missing"},
			Caps: []registry.Cap{{ID: "archived", Max: 40}}},
		ScoredAt: &at, LastCrawledAt: &at, Downloads: new(int64(3)), DownloadsAt: &at,
		Tools: []registry.Tool{{Name: "a", Hash: "b", Tokens: 7}}, ToolCount: new(1), ToolTokens: new(7),
		ToolsFrom: registry.ToolsFromReadme, ToolsAt: &at, ToolsVersion: "1.0.0",
		Suspicious: []registry.SuspiciousText{{Rule: "R1", Tool: "a", Source: "readme", ReadAt: &at}}, Liveness: registry.LivenessAlive,
		Remotes: []registry.Remote{{Type: "sse", URL: "https://r.example", Liveness: &registry.Liveness{
			State: registry.ProbeOpen, CheckedAt: at, Uptime30: new(0.5), Probes: 2}}},
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "r", Version: "1.0.0",
			Inspection: &registry.Inspection{Outcome: registry.InspectionListed, At: at}}},
	}
	bodies := map[string][]byte{}
	add := func(name string, b []byte, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		bodies[name] = b
	}
	encoder := api.NewEncoder("org.example", nil)
	for _, kind := range []string{registry.CopyOf, registry.LookAlike} {
		s.Copy = &registry.Copy{Of: "original", Kind: kind, Since: at}
		b, err := json.Marshal(api.Entry(s))
		add("list entry, "+kind, b, err)
		b, err = encoder.Detail(s)
		add("record, "+kind, b, err)
		r, err := entry.Encoder{Namespace: "org.example"}.Response(s, s.RegistryName, "")
		if err == nil {
			b, err = json.Marshal(r.Meta)
		}
		add("_meta of /v0.1, "+kind, b, err)
	}
	b, err := encoder.Health(s)
	add("health", b, err)
	return bodies
}

// undated returns the paths of the facts in v without a date. It counts the facts in seen.
func undated(v any, path string, enclosing []any, seen map[string]int) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			all = append(all, undated(element, path+"[]", enclosing, seen)...)
		}
	case map[string]any:
		enclosing = append(enclosing[:len(enclosing):len(enclosing)], v)
		for name, value := range v {
			if slices.Contains(noFacts, name) {
				continue
			}
			at := path + "." + name
			if dates := factDates[name]; dates != nil && isKnown(value) {
				seen[name]++
				if !isDated(enclosing, dates) {
					all = append(all, at)
				}
			}
			all = append(all, undated(value, at, enclosing, seen)...)
		}
	}
	return all
}

// isKnown reports whether a fact has a value.
func isKnown(value any) bool {
	switch value := value.(type) {
	case nil:
		return false
	case string:
		return value != "" && value != "unknown"
	case []any:
		return len(value) > 0
	}
	return true
}

func isDated(objects []any, dates []string) bool {
	for _, o := range objects {
		for _, path := range dates {
			if reaches(o, strings.Split(path, ".")) {
				return true
			}
		}
	}
	return false
}

// reaches reports whether a path leads to a text.
func reaches(v any, path []string) bool {
	if len(path) == 0 {
		text, ok := v.(string)
		return ok && text != ""
	}
	switch v := v.(type) {
	case map[string]any:
		if path[0] != "*" {
			return reaches(v[path[0]], path[1:])
		}
		for _, member := range v {
			if reaches(member, path[1:]) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if path[0] == "*" && reaches(element, path[1:]) {
				return true
			}
		}
	}
	return false
}
