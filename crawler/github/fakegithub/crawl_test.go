package fakegithub_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/github"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/registry"
)

const agent = "census-test/1 (+https://census.example)"

// TestCrawl runs the real crawler over the fixtures.
func TestCrawl(t *testing.T) {
	w := fakegithub.New(time.Now())
	s := httptest.NewServer(w)
	defer s.Close()
	ctx := context.Background()
	gh, err := github.New(github.Options{BaseURL: s.URL + "/github/", Token: "demo", UserAgent: agent})
	if err != nil {
		t.Fatal(err)
	}
	files, err := git.New(registry.HostOf(registry.GitHub), git.Options{BaseURL: s.URL + "/git/",
		Token: "demo", Pace: transport.Pace{Max: 10_000}})
	if err != nil {
		t.Fatal(err)
	}
	gh.Contents = &crawler.Contents{Git: files, Now: time.Now}
	found := map[string]bool{}
	err = github.NewSearchSource(gh).Discover(ctx, nil, func(cs []registry.Candidate, _ []byte) error {
		for _, c := range cs {
			found[c.Ref.String()] = true
		}
		return nil
	})
	if err != nil {
		t.Errorf("search: %v", err)
	}
	if len(found) < 30 {
		t.Errorf("the search found %d of %d repositories", len(found), len(w.Names()))
	}
	var works []registry.Work
	want := w.Servers()
	for i, name := range w.Names() {
		owner, base, _ := strings.Cut(name, "/")
		id, node, _ := w.ID(name)
		works = append(works, registry.Work{ID: int64(i + 1), Ref: registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}, HostID: id, NodeID: node, Forced: true})
	}
	seen := 0
	var packages []registry.PackageFacts
	for v := range gh.Visit(ctx, works) {
		seen++
		name := v.Work.Ref.String()
		if v.Outcome != registry.Fetched || v.Snapshot == nil {
			t.Errorf("%s: %s %v", name, v.Outcome, v.Err)
			continue
		}
		if len(v.Snapshot.Failures) > 0 {
			t.Errorf("%s: %v", name, v.Snapshot.Failures)
		}
		if v.Snapshot.Repo.Empty {
			continue
		}
		r := detect.Servers(v.Snapshot, nil)
		if len(r.Servers) != want[name] {
			t.Errorf("%s: %d servers found, there are %d (%s)", name, len(r.Servers), want[name], r.Reason)
		}
		for _, x := range r.Servers {
			for _, p := range x.Detection.Packages {
				if slices.Contains([]string{"npm", "pypi"}, p.RegistryType) {
					packages = append(packages, registry.PackageFacts{RegistryType: p.RegistryType, Identifier: p.Identifier})
				}
			}
		}
	}
	if seen != len(works) {
		t.Errorf("%d visits of %d", seen, len(works))
	}
	enrich(ctx, t, s.URL, packages)
}

// enrich queries the package services about the packages of the fixtures.
func enrich(ctx context.Context, t *testing.T, base string, packages []registry.PackageFacts) {
	t.Helper()
	option := func(path string) upstream.Options { return upstream.Options{Base: base + path, UserAgent: agent} }
	var e upstream.Enricher
	var errs [4]error
	e.DepsDev, errs[0] = upstream.NewDepsDev(option("/deps-dev/"))
	e.OSV, errs[1] = upstream.NewOSV(option("/osv/"))
	e.NPM, errs[2] = upstream.NewNPMDownloads(option("/npm-downloads/"))
	e.PyPI, errs[3] = upstream.NewPyPIStats(option("/pypistats/"))
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	facts := slices.Clone(packages)
	for i := range facts {
		var err error
		if facts[i], err = e.Facts(ctx, packages[i]); err != nil {
			t.Errorf("package facts: %v", err)
		}
	}
	for _, kind := range []string{"npm", "pypi"} {
		var of []registry.PackageFacts
		for _, p := range facts {
			if p.RegistryType == kind {
				of = append(of, p)
			}
		}
		of, err := e.Downloads(ctx, of)
		if err != nil {
			t.Errorf("downloads of %s: %v", kind, err)
		}
		for _, p := range of {
			for i := range facts {
				if facts[i].RegistryType == kind && facts[i].Identifier == p.Identifier {
					facts[i] = p
				}
			}
		}
	}
	published, counted, vulnerable, deprecated := 0, 0, 0, 0
	for _, p := range facts {
		if p.Found != nil && *p.Found {
			published++
		}
		if p.Downloads != nil && *p.Downloads > 0 {
			counted++
		}
		if len(p.Advisories) > 0 {
			vulnerable++
		}
		if p.Deprecated != nil && *p.Deprecated != "" {
			deprecated++
		}
	}
	if published < 25 || counted < 25 || vulnerable != 1 || deprecated != 1 {
		t.Errorf("of %d packages %d are published, %d counted, %d vulnerable, %d deprecated", len(facts), published, counted, vulnerable, deprecated)
	}
}

func TestRegistrySource(t *testing.T) {
	w := fakegithub.New(time.Now())
	s := httptest.NewServer(w)
	defer s.Close()
	source, err := upstream.NewMCPRegistry(upstream.Options{Base: s.URL + "/mcp-registry/", UserAgent: agent})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = source.Discover(context.Background(), nil, func(cs []registry.Candidate, _ []byte) error {
		for _, c := range cs {
			if c.Listing == nil {
				t.Errorf("%s has no listing", c.Ref)
				continue
			}
			names = append(names, c.Listing.Name)
		}
		return nil
	})
	if err != nil || len(names) < 10 || !slices.Contains(names, "io.github.octo-labs/weather-mcp") {
		t.Errorf("%v, %v", names, err)
	}
}
