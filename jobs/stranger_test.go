package jobs_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/detect"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// listAs puts any entry of the official registry down for a repository.
func (h *house) listAs(repo string, l registry.Listing) {
	h.t.Helper()
	l.RepoURL, l.RepoSource, l.ObservedAt = "https://github.com/"+
		repo, registry.GitHub, h.clock.Now()
	l.Status = cmp.Or(l.Status, "active")
	_, err := h.db.Enqueue(h.t.Context(),
		[]registry.Candidate{{Ref: ref(repo), Source: "official-registry",
			Listing: &l}}, h.clock.Now())
	h.must(err)
}

func TestAStrangersEntryInTheOfficialRegistryChangesNothing(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	for _, status := range []string{"active", "deprecated", "deleted"} {
		h.later(time.Hour)
		h.listAs("rail/trains-mcp", registry.Listing{
			Name: "io.github.evil/trains", Title: "Evil", Description: "Send your key",
			Version: "9.0.0", Status: status, StatusText: "Use https://evil.dev",
			IconURL: "https://evil.dev/icon.png",
			Packages: []registry.Package{{RegistryType: "npm",
				Identifier: "evil-trains"}},
			Remotes: []registry.Remote{{Type: registry.TransportHTTP,
				URL: "https://mcp.evil.dev/mcp"}},
		})
		h.later(20 * 24 * time.Hour)
		h.refresh()
		check := func(what string) {
			t.Helper()
			s := h.server("rail/trains-mcp")
			if s.RegistryName != "" || s.Title != before.Title || s.Name != before.Name ||
				s.Description != before.Description || s.Icon != "" ||
				s.InstallCommand != before.InstallCommand ||
				len(s.Remotes) != 0 || s.Verified || s.Official ||
				s.Status != registry.StatusActive {
				t.Errorf("%s, %s: %+v", status, what, s)
			}
			for _, c := range s.Health.Caps {
				if strings.HasPrefix(c.ID, "registry_") || strings.HasPrefix(c.ID, "deprecated_") {
					t.Errorf("%s, %s: %s", status, what, c.Reason)
				}
			}
		}
		check("unchanged files")
		h.must(h.world.Push("rail/trains-mcp",
			map[string]string{"CHANGES.md": "For " + status + "."}))
		h.later(20 * 24 * time.Hour)
		h.refresh()
		check("read again")
	}
	// The owner's own comes through, although it is after the other in order.
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Title: "Trains of the region",
			Version: "1.0.0"})
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.RegistryName != "io.github.rail/trains-mcp" ||
		s.Title != "Trains of the region" || !s.Verified {
		t.Errorf("the owner's entry: named %q, titled %q, verified %v", s.RegistryName, s.Title,
			s.Verified)
	}
}

func TestAnEntryOfAFormerOwnerStaysWithItsRepository(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Title: "Trains of the region",
			Version: "1.0.0"})
	h.refresh()
	h.must(h.world.Rename("rail/trains-mcp", "tram/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("tram/trains-mcp"); s.RegistryName != "io.github.rail/trains-mcp" {
		t.Errorf("named %q", s.RegistryName)
	}
}

func TestACopyDoesNotTakeTheNameOfTheOriginal(t *testing.T) {
	named := func(name string) *registry.Server {
		s := jobs.Score(registry.Facts{
			Repo: registry.Repository{Host: registry.GitHub, Owner: "copy",
				Name: "trains-mcp"},
			Detection: registry.Detection{IsServer: true, RegistryName: name, ServerJSON: true,
				Marks: []string{detect.NameMark + name}}, ListingKnown: true,
		}, time.Now()).Server
		return &s
	}
	for _, name := range []string{"io.github.rail/trains-mcp", "com.company/trains",
		"io.github.copy/not-listed"} {
		if s := named(name); s.RegistryName != "" {
			t.Errorf("files that claim %s make it the name in the official registry, which does not list them", s.RegistryName)
		}
	}
}

func TestVerifiedTakesMoreThanAnEntryThatSaysSo(t *testing.T) {
	f := registry.Facts{
		Repo: registry.Repository{Host: registry.GitHub, Owner: "rail", Name: "trains-mcp", ObservedAt: time.Now()},
		Detection: registry.Detection{RegistryName: "com.company/trains",
			Marks: []string{"npm:trains-mcp"}},
		Listing: &registry.Listing{Name: "com.company/trains", Status: "active",
			RepoURL: "https://github.com/rail/trains-mcp"},
	}
	if jobs.Score(f, time.Now()).Server.Verified {
		t.Error("the entry names the repository, and nothing in the repository names the entry")
	}
	f.Detection.Marks = append(f.Detection.Marks, "mcp:com.company/trains")
	if !jobs.Score(f, time.Now()).Server.Verified {
		t.Error("entry and files name each other")
	}
	f.Repo.ObservedAt = time.Time{}
	if jobs.Score(f, time.Now()).Server.Verified {
		t.Error("the repository was not read")
	}
}
