package scorer

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpcensus/internal/registry"
)

func downloaded(n, before int64) []registry.PackageFacts {
	return []registry.PackageFacts{{RegistryType: "npm", Identifier: "x", Found: ptr(true), Downloads: &n,
		DownloadsPrev: &before}}
}

func TestPopularity(t *testing.T) {
	created, observed := testNow.AddDate(0, 0, -100), testNow
	for _, tt := range []struct {
		name     string
		f        registry.Facts
		want     int // -1 for none
		coverage float64
		inputs   []string
		flags    []string
	}{
		{"nothing known", registry.Facts{}, -1, 0, []string{}, nil},
		{"stars only", registry.Facts{Repo: registry.Repository{Stars: ptr(50_000)}}, 100, .3,
			[]string{"stars"}, nil},
		{"stars of deps.dev", registry.Facts{Project: &registry.Project{Stars: ptr(50_000)}}, 100, .3,
			[]string{"stars"}, nil},
		{"stars of the host before those of deps.dev",
			registry.Facts{Repo: registry.Repository{Stars: ptr(0)},
				Project: &registry.Project{Stars: ptr(50_000)}}, 0, .3, []string{"stars"}, nil},
		{"no stars", registry.Facts{Repo: registry.Repository{Stars: ptr(0)}}, 0, .3, []string{"stars"},
			nil},
		{"the most downloads, as many as before",
			registry.Facts{Packages: downloaded(2_000_000, 2_000_000)}, 86, .5,
			[]string{"downloads", "growth"}, nil},
		{"noise", registry.Facts{Packages: downloaded(300, 300)}, 8, .5, []string{"downloads", "growth"},
			nil},
		{"beyond all thresholds",
			registry.Facts{Repo: registry.Repository{Stars: ptr(9_000_000), Forks: ptr(9_000_000)},
				Packages: downloaded(9e9, 1)}, 100, .9, []string{"downloads", "stars", "forks", "growth"},
			nil},
		{"stars without use",
			registry.Facts{Repo: registry.Repository{Stars: ptr(20_000), Forks: ptr(10),
				CreatedAt: created, ObservedAt: observed}, Packages: downloaded(100, 100)}, 28, .9,
			[]string{"downloads", "stars", "forks", "growth"}, []string{FlagUnusualStars}},
		{"stars with use", registry.Facts{Repo: registry.Repository{Stars: ptr(20_000), Forks: ptr(10),
			CreatedAt: created, ObservedAt: observed}, Packages: downloaded(100_000, 100_000)}, 63, .9,
			[]string{"downloads", "stars", "forks", "growth"}, nil},
		{"one of ten servers", registry.Facts{Repo: registry.Repository{Stars: ptr(100), Forks: ptr(20)},
			Detection: registry.Detection{Members: 10}}, 19, .4, []string{"stars", "forks"}, nil},
		{"one of ten servers, downloads known",
			registry.Facts{Repo: registry.Repository{Stars: ptr(50_000), Forks: ptr(5000)},
				Detection: registry.Detection{Members: 10}, Packages: downloaded(300, 300)}, 8, .5,
			[]string{"downloads", "growth"}, nil},
		{"an older repository",
			registry.Facts{Repo: registry.Repository{Stars: ptr(20_000), Forks: ptr(10),
				CreatedAt: created.AddDate(-1, 0, 0), ObservedAt: observed},
				Packages: downloaded(100, 100)}, 37, .9,
			[]string{"downloads", "stars", "forks", "growth"}, nil},
	} {
		p := Popularity(tt.f)
		score := -1
		if p.Score != nil {
			score = *p.Score
		}
		if score != tt.want || p.Coverage != tt.coverage || !slices.Equal(p.Inputs, tt.inputs) ||
			!slices.Equal(p.Flags, tt.flags) {
			t.Errorf("%s: %d, %v, %v, %v", tt.name, score, p.Coverage, p.Inputs, p.Flags)
		}
	}
}

func TestOldDownloadsDoNotCount(t *testing.T) {
	f := registry.Facts{Repo: registry.Repository{ObservedAt: testNow}, Packages: downloaded(100, 100)}
	f.Packages[0].DownloadsObservedAt = ptr(testNow.Add(-36 * 24 * time.Hour))
	if p := Popularity(f); p.Score != nil {
		t.Errorf("%+v", p)
	}
	f.Packages[0].DownloadsObservedAt = ptr(testNow.Add(-35 * 24 * time.Hour))
	if p := Popularity(f); p.Score == nil {
		t.Errorf("%+v", p)
	}
}

func TestMoreUseNeverLowersPopularity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		before := Popularity(f)
		if before.Score == nil || f.Repo.Stars == nil || len(before.Flags) > 0 {
			return
		}
		f.Repo.Forks = nil // more stars alone can be unusual
		before = Popularity(f)
		f.Repo.Stars = ptr(*f.Repo.Stars + rapid.IntRange(0, 9000).Draw(t, "more"))
		if after := Popularity(f); *after.Score < *before.Score || *after.Score < 0 || *after.Score > 100 {
			t.Fatalf("from %d to %d", *before.Score, *after.Score)
		}
	})
}
