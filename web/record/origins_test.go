package record

import (
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
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "a"}, {RegistryType: "npm", Identifier: "b"}},
		Sources:  []registry.Discovery{{Name: "official-registry", LastSeenAt: *day(2)}, {Name: "github"}},
		Health:   registry.Health{Version: "mh-2", ComputedAt: *day(3)}})
	got := r.OriginsWith([]registry.PackageFacts{{RegistryType: "npm", Identifier: "b", ObservedAt: day(4)}})
	want := []Origin{
		{"Description, licence, README, stars, commits, issues, releases", "GitHub", *day(1)},
		{"Versions", "npm package b", *day(4)},
		{"Registry entry", "official registry", *day(2)},
		{"Scores", "model mh-2", *day(3)},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	counted := New(&registry.Server{DownloadsAt: day(5)})
	if d := cmp.Diff([]Origin{{"Downloads", "package registries", *day(5)}}, counted.OriginsWith(nil)); d != "" {
		t.Error(d)
	}
	if got := New(&registry.Server{}).OriginsWith(nil); got != nil {
		t.Errorf("of an unread server: %v", got)
	}
}
