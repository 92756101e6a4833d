package jobs_test

import (
	"net/http"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/registry"
)

func TestAFirstReleaseThatDepsDevHasNotReadYetIsNotSaidToBeMissing(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/", Status: http.StatusNotFound,
		Body: `{"error":"package not found"}`})
	h.refresh()
	p := h.packager()
	state := func() string {
		for _, c := range h.server("rail/trains-mcp").Health.Categories {
			for _, c := range c.Checks {
				if c.ID == "package_published" {
					return c.State + ", " + c.Result
				}
			}
		}
		return ""
	}
	_, err := p.Facts(t.Context())
	h.must(err)
	if got := state(); got != "unknown, unknown" {
		t.Errorf("at first the package is %s", got)
	}
	h.later(90 * time.Minute)
	if n, err := p.Facts(t.Context()); err != nil || n != 1 {
		t.Errorf("asked about %d packages after an hour and a half, %v", n, err)
	}
	// The official registry has seen it.
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Version: "1.2.0",
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "trains-mcp",
				Version: "1.2.0"}}})
	h.later(24 * time.Hour)
	h.refresh()
	if got := state(); got != "ok, pass" {
		t.Errorf("listed, it is %s", got)
	}
	if s := h.server("rail/trains-mcp"); len(s.Packages) != 1 {
		t.Errorf("listed, packages %v", s.Packages)
	}
	for range 6 {
		h.later(24 * time.Hour)
		_, err := p.Facts(t.Context())
		h.must(err)
	}
	h.refresh()
	if s := h.server("rail/trains-mcp"); len(s.Packages) != 0 {
		t.Errorf("listed, and not known for a week: packages %v", s.Packages)
	}
	// Read at last.
	h.world.Heal()
	h.later(25 * time.Hour)
	_, err = p.Facts(t.Context())
	h.must(err)
	if s := h.server("rail/trains-mcp"); s.LatestVersion != "1.2.0" || state() != "ok, pass" {
		t.Errorf("read: %s, version %q", state(), s.LatestVersion)
	}
}

func TestAPackageThatNobodyKnowsIsSaidToBeMissingAfterDays(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/", Status: http.StatusNotFound,
		Body: `{"error":"package not found"}`})
	h.refresh()
	p := h.packager()
	asked := 0
	for range 5 * 24 {
		n, err := p.Facts(t.Context())
		h.must(err)
		asked += n
		if got := h.server("rail/trains-mcp").Packages; len(got) != 0 {
			t.Fatalf("a package is offered that nobody has seen: %v", got)
		}
		h.later(time.Hour)
	}
	f, _ := h.packageFacts(npm("trains-mcp"))
	if f.Found == nil || *f.Found {
		t.Errorf("after five days: %+v", f)
	}
	if asked > 30 {
		t.Errorf("asked %d times in five days", asked)
	}
}
