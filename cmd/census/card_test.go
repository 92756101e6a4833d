package main

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestCardPopularityInputs(t *testing.T) {
	score := 41
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{[]string{"stars", "forks"},
			"Popularity  41   of stars and forks; unknown here: downloads, dependents and growth."},
		{[]string{"downloads", "stars", "dependents", "forks", "growth"},
			"Popularity  41   of downloads, stars, dependents, forks and growth\n"},
	} {
		var out strings.Builder
		s := registry.Server{Name: "Trains",
			Popularity: registry.Popularity{Score: &score, Inputs: c.inputs}}
		s.Health.Status = registry.HealthEmpty
		printCard(&out, s, paint(false))
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("the card does not say %q:\n%s", c.want, out.String())
		}
	}
	cards := cardsOf(registry.CheckResult{Servers: []registry.Scored{{Server: registry.Server{Popularity: registry.Popularity{Inputs: []string{"stars"}}}}}})
	if got := cards.Servers[0].PopularityUnknown; len(got) != 4 || got[0] != "downloads" {
		t.Errorf("as JSON: %v", got)
	}
}

func TestCheckOfFolder(t *testing.T) {
	report := func(path string) registry.CheckResult {
		r := registry.CheckResult{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "o",
			Name: "r", Path: path}}
		for _, f := range []string{"src/a", "src/b"} {
			r.Servers = append(r.Servers, registry.Scored{Server: registry.Server{Subfolder: f}})
		}
		return ofFolder(r)
	}
	if r := report("main/src/b"); len(r.Servers) != 1 || r.Servers[0].Server.Subfolder != "src/b" ||
		len(r.Warnings) != 0 {
		t.Errorf("of a server's folder: %+v", r)
	}
	if r := report("main/src/nonesuch"); len(r.Servers) != 0 ||
		!strings.Contains(r.Reason, "src/nonesuch") || !strings.Contains(r.Reason, "src/a, src/b") {
		t.Errorf("of a folder without one: %+v", r)
	}
	for _, path := range []string{"", "main", "main/README.md"} {
		if r := report(path); len(r.Servers) != 2 {
			t.Errorf("of the repository as %q: %+v", path, r)
		}
	}
}
