package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/api"
	"mcpcensus/crawler"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
	"mcpcensus/web"
)

// forge is a made-up code host with nested groups: all that the rest of the
// program knows of it.
var forge = &registry.Host{
	ID: "forge", Name: "Forge", Domain: "forge.example",
	Parse: func(_ string, parts []string) (registry.RepoRef, error) {
		var ref registry.RepoRef
		if i := slices.Index(parts, "-"); i >= 0 {
			if rest := parts[i+1:]; len(rest) > 1 && rest[0] == "src" {
				ref.Path = strings.Join(rest[1:], "/")
			}
			parts = parts[:i]
		}
		if len(parts) < 2 {
			return ref, errors.New("names no project")
		}
		last := len(parts) - 1
		ref.Owner, ref.Name = strings.Join(parts[:last], "/"), strings.TrimSuffix(parts[last], ".git")
		return ref, nil
	},
	Pages: registry.HostPages{
		Tree: "/-/src/", Blob: "/-/src/", Raw: "/-/raw/", Commit: "/-/commit/",
		Releases: "/-/releases", Release: "/-/releases/", Issue: "/-/issues/",
	},
	Namespace: "example.forge.",
}

// addForge makes forge one of the hosts for the time of a test.
func addForge(t *testing.T) {
	before := registry.Hosts
	registry.Hosts = append(slices.Clone(before), forge)
	t.Cleanup(func() { registry.Hosts = before })
}

// forgeClient is a client of forge, on which every project holds a server.
type forgeClient struct{ now time.Time }

const forgeCommit = "00112233445566778899aabbccddeeff00112233"

func (c forgeClient) Resolve(
	_ context.Context, ref registry.RepoRef, _ func(registry.Repository, []registry.File),
) registry.Visit {
	texts := map[string]string{
		"README.md": "# Trains\n\nAn MCP server for timetables. See [the guide](docs/guide.md).\n",
		"package.json": `{ "name": "trains-mcp", "version": "1.0.0", "bin": "index.js",
			"dependencies": { "@modelcontextprotocol/sdk": "^1.20.0" } }`,
	}
	snap := &registry.Snapshot{Texts: texts, Repo: registry.Repository{
		Host: forge.ID, ID: int64(len(ref.FullName())), NodeID: ref.FullName(), Owner: ref.Owner, Name: ref.Name, DefaultBranch: "main",
		Commit: forgeCommit, License: "MIT", LicenseKnown: true, ObservedAt: c.now, CreatedAt: c.now.AddDate(-1, 0, 0),
		UpdatedAt: c.now, PushedAt: c.now,
		LatestReleases: []registry.Release{{Tag: "v1.0.0", PublishedAt: &c.now}},
	}}
	for name, text := range texts {
		snap.Files = append(snap.Files, registry.File{Path: name, Size: int64(len(text)), OID: forgeCommit})
	}
	return registry.Visit{Work: registry.Work{Ref: ref}, Outcome: registry.Fetched, Snapshot: snap}
}

func (c forgeClient) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for _, w := range works {
			v := c.Resolve(ctx, w.Ref, nil)
			v.Work = w
			if !yield(v) {
				return
			}
		}
	}
}

func (forgeClient) PathActivity(
	context.Context, registry.Repository, []string,
) (map[string]registry.Activity, map[string]string, error) {
	return nil, nil, nil
}

func (forgeClient) Backoff() (time.Time, error) { return time.Time{}, nil }

// TestSecondHost shows that a code host is added by its facts and a client: its
// repositories are found in lists, queued, read, scored, listed, shown and checked.
func TestSecondHost(t *testing.T) {
	addForge(t)
	now := time.Now().UTC().Truncate(time.Second)
	db := pgtest.New(t)
	const page = "https://forge.example/rail/tools/trains"
	found := crawler.Links("- [Trains]("+page+"/-/src/main) and https://forge.example/help\n", "list:x")
	if len(found) != 1 || found[0].Ref.URL() != page {
		t.Fatalf("links of a list: %+v", found)
	}
	if _, err := db.Enqueue(t.Context(), found, now); err != nil {
		t.Fatal(err)
	}
	c := jobs.Crawler{Queue: db, Discoveries: db, Worker: "test"}
	useForge(&c.Ingester, db, now)
	if n, err := c.Refresh(t.Context(), 0); n != 1 || err != nil {
		t.Fatalf("visited %d: %v", n, err)
	}
	get := serveForge(t, db, now)

	t.Run("page", func(t *testing.T) {
		body := get(t, "/servers/rail-tools-trains", 200)
		for _, link := range []string{
			`href="` + page + `"`,
			`href="` + page + `/-/releases"`,
			page + `/-/src/` + forgeCommit + `/docs/guide.md`, // of the README
			page + `/-/src/` + forgeCommit + `/README.md`,     // evidence of a check
			`/servers?owner=rail%2Ftools`,
		} {
			if !strings.Contains(body, link) {
				t.Errorf("no %s", link)
			}
		}
		for _, wrong := range []string{"https://github.com/rail", "/owners/rail"} {
			if strings.Contains(body, wrong) {
				t.Errorf("the page has %s", wrong)
			}
		}
	})
	t.Run("API", func(t *testing.T) {
		type repository struct{ URL, Owner, Name string }
		var list struct {
			Servers []struct {
				Slug       string
				Repository repository
			}
		}
		decode(t, get(t, "/api/servers?owner=rail/tools", 200), &list)
		if len(list.Servers) != 1 {
			t.Fatalf("servers of the owner: %+v", list)
		}
		want := repository{page, "rail/tools", "trains"}
		if diff := cmp.Diff(want, list.Servers[0].Repository); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("health", func(t *testing.T) {
		for _, address := range []string{page, "git@forge.example:rail/tools/trains.git", "forge:rail/tools/trains"} {
			if h := healthAt(t, get, address); h.GithubURL != page || h.Server != "rail-tools-trains" {
				t.Errorf("%s: %+v", address, h)
			}
		}
		if h := healthAt(t, get, "https://forge.example/tram/lines"); h.GithubURL != "https://forge.example/tram/lines" || !h.IsMCPServer {
			t.Errorf("a repository that is not listed: %+v", h)
		}
	})
	t.Run("check", func(t *testing.T) {
		body := get(t, "/check?url="+url.QueryEscape("https://forge.example/tram/lines"), 200)
		if !strings.Contains(body, "forge.example/tram/lines") || strings.Contains(body, "https://github.com/tram") {
			t.Error("the report does not name the repository at its host")
		}
	})
	t.Run("sources of checks", func(t *testing.T) {
		body := get(t, "/api/health?server=rail-tools-trains", 200)
		if !strings.Contains(body, `"source":"forge"`) || strings.Contains(body, `"source":"github"`) {
			t.Errorf("checks of another host: %s", body)
		}
	})
}

// useForge makes an ingester read forge.
func useForge(in *jobs.Ingester, db *postgres.DB, now time.Time) {
	in.Knowledge, in.Results, in.Texts = db, db, db.Texts
	in.Hosts = jobs.Hosts{forge.ID: forgeClient{now}}
	in.Log, in.Now = slog.New(slog.DiscardHandler), func() time.Time { return now }
}

// serveForge serves the pages and the API over what db has.
func serveForge(t *testing.T, db *postgres.DB, now time.Time) func(t *testing.T, path string, status int) string {
	t.Helper()
	cat := catalog.New()
	if err := cat.Load(t.Context(), records{db}); err != nil {
		t.Fatal(err)
	}
	checker := &jobs.Checker{Checks: db}
	useForge(&checker.Ingester, db, now)
	site, err := web.New(web.Options{Catalog: cat, Checker: checker, Figures: db, BaseURL: "https://census.example"})
	if err != nil {
		t.Fatal(err)
	}
	rest := api.New(api.Options{
		Catalog: cat, Checker: checker, BaseURL: "https://census.example", Install: install.JSON,
	})
	engine := httpd.NewEngine(httpd.Config{Log: checker.Ingester.Log, Missing: site.Missing})
	site.Register(engine)
	rest.Register(engine)
	return func(t *testing.T, path string, status int) string {
		t.Helper()
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		if w.Code != status {
			t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
}

type forgeHealth struct {
	GithubURL   string `json:"githubUrl"`
	IsMCPServer bool   `json:"isMcpServer"`
	Server      string `json:"server"`
}

func healthAt(t *testing.T, get func(*testing.T, string, int) string, address string) (h forgeHealth) {
	t.Helper()
	decode(t, get(t, "/api/health?githubUrl="+url.QueryEscape(address), 200), &h)
	return h
}

func decode(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}
