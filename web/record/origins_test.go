package record

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestOrigins(t *testing.T) {
	day := func(n int) *time.Time {
		at := time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC)
		return &at
	}
	r := New(&registry.Server{LastCrawledAt: day(1), Repo: registry.Repository{Host: registry.GitHub},
		VersionFrom: "npm", VersionAt: day(4),
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "a"},
			{RegistryType: "npm", Identifier: "b", Inspection: &registry.Inspection{At: *day(5)}}},
		Remotes: []registry.Remote{{URL: "https://r.example"},
			{URL: "https://s.example", Liveness: &registry.Liveness{Probes: 3, CheckedAt: *day(6)}}},
		Sources:   []registry.Discovery{{Name: "official-registry", LastSeenAt: *day(2)}, {Name: "github"}},
		ToolsFrom: "readme", ToolsAt: day(7), Copy: &registry.Copy{Of: "a", Since: *day(8)},
		Health: registry.Health{Version: "mh-2", ComputedAt: *day(3), Categories: []registry.HealthSection{
			{Checks: []registry.Check{{ID: "a", Source: "osv", ObservedAt: day(9)}, {ID: "b", Source: "osv", ObservedAt: day(8)},
				{ID: "c", Source: "packages"}}}}}})
	facts := []registry.PackageFacts{{RegistryType: "npm", Identifier: "b", ObservedAt: day(4)}}
	got := r.OriginsWith(facts)
	want := []Origin{
		{fromRepository, "GitHub", *day(1)},
		{"License", "GitHub", *day(1)},
		{"Latest version", "npm", *day(4)},
		{"1 run in a sandbox", "npm package b", *day(5)},
		{"Versions, link to the repository", "npm package b", *day(4)},
		{"Registry entry", "official registry", *day(2)},
		{"3 probes in 30 days", "endpoint https://s.example", *day(6)},
		{"Health, popularity", "model mh-2", *day(3)},
		{"Tools", "Read from the README", *day(7)},
		{"Copy of another server", "comparison of servers", *day(8)},
		{"Checks", "OSV", *day(8)},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	counted := New(&registry.Server{DownloadsAt: day(5)})
	if d := cmp.Diff([]Origin{{"Downloads", "package registries", *day(5)}}, counted.OriginsWith(nil)); d != "" {
		t.Error(d)
	}
	for from, want := range map[string]string{
		registry.VersionRelease:  "release at GitHub",
		registry.VersionTag:      "tag at GitHub",
		registry.VersionManifest: "manifest on the default branch at GitHub",
		registry.VersionListing:  "official registry",
		"pypi":                   "PyPI",
	} {
		r := New(&registry.Server{VersionFrom: from, VersionAt: day(5)})
		if d := cmp.Diff([]Origin{{"Latest version", want, *day(5)}}, r.OriginsWith(nil)); d != "" {
			t.Error(d)
		}
	}
	ended := New(&registry.Server{LastCrawledAt: day(1), Status: registry.StatusDeprecated,
		StatusFrom: "npm", StatusAt: day(5)})
	if got := ended.OriginsWith(nil); strings.Contains(got[0].What, "status") ||
		!slices.Contains(got, Origin{"Status", "npm", *day(5)}) {
		t.Errorf("a status that is not the code host's: %v", got)
	}
	manifest := New(&registry.Server{LicenseFrom: registry.LicenseFromManifest, LastCrawledAt: day(1)})
	if got := manifest.OriginsWith(nil)[1]; got.Source != "manifest in the repository, not a license file" {
		t.Errorf("a license that only the manifest names: %v", got)
	}
	if got := New(&registry.Server{}).OriginsWith(nil); got != nil {
		t.Errorf("of an unread server: %v", got)
	}
	for want, got := range map[string]string{
		"Read from GitHub on 1 Nov 2026, the official registry on 2 Nov 2026 and package registries on " +
			"4 Nov 2026.": r.OriginWith(facts),
		"Read from GitHub and package registries on 4 Nov 2026.": New(&registry.Server{LastCrawledAt: day(4),
			Packages: r.Packages}).OriginWith(facts),
		"Read from GitHub on 1 Nov 2026.": New(&registry.Server{LastCrawledAt: day(1)}).OriginWith(facts),
		"":                                New(&registry.Server{}).OriginWith(facts),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAged(t *testing.T) {
	read := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	r := New(&registry.Server{LastCrawledAt: &read})
	for hours, want := range map[int]bool{-240: true, -24: true, -23: false, 0: false, 48: false} {
		at := read.Add(time.Duration(hours) * time.Hour)
		if got := r.Aged(&at); (got != nil) != want {
			t.Errorf("%d hours: %v", hours, got)
		}
	}
	if r.Aged(nil) != nil || New(&registry.Server{}).Aged(&read) != nil {
		t.Error("an unknown date is old")
	}
}
