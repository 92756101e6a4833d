package postgres_test

import (
	"testing"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestPublished(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ids := map[string]int64{"octo/weather": 7, "octo/other": 8, "octo/bare": 9}
	for name, id := range ids {
		crawled(t, db, name, id, start, "")
	}
	at := start.AddDate(0, -1, 0)
	released := registry.Release{Tag: "v1.2.0", PublishedAt: &at}
	later := start.AddDate(0, 0, 2)
	for _, w := range lease(t, db, 3, later) {
		r := fetched(w, observed(w.Ref.String(), ids[w.Ref.String()], later), later, "")
		f := &r.Scored[0].Facts
		switch w.Ref.Name {
		case "weather":
			f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "weather",
				Latest: "1.2.0", LatestAt: &at, Versions: new(7)}}
			f.Repo.LatestReleases = []registry.Release{released, {Tag: "v1.1.0", Prerelease: true}}
			f.Repo.LatestTag = &registry.Release{Tag: "nightly"}
		case "other":
			f.Repo.LatestTag = &released
		}
		save(t, db, r)
	}
	got, err := db.Published(t.Context(),
		[]string{"octo-weather", "octo-other", "octo-bare", "octo-none", "a\x00b"})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	w := got["octo-weather"]
	if len(w.Packages) != 1 || *w.Packages[0].Versions != 7 || !w.Packages[0].LatestAt.Equal(at) ||
		len(w.Releases) != 2 || w.Releases[0].Tag != "v1.2.0" || !w.Releases[1].Prerelease {
		t.Errorf("weather: %+v", w)
	}
	if o := got["octo-other"]; o.Packages != nil || len(o.Releases) != 1 ||
		!o.Releases[0].PublishedAt.Equal(at) {
		t.Errorf("a tag alone: %+v", o)
	}
	if b := got["octo-bare"]; b.Packages != nil || b.Releases != nil {
		t.Errorf("nothing known: %+v", b)
	}
	if err := db.Hide(t.Context(), "octo-weather", "a test"); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Published(t.Context(), []string{"octo-weather"}); err != nil ||
		len(got) != 0 {
		t.Errorf("of a hidden one: %+v, %v", got, err)
	}
}
