package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/api"
	v1 "mcpcensus/api/v1"
	"mcpcensus/crawler"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/config"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
	"mcpcensus/web"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
)

// forge is a made-up code host with nested groups: all facts that the rest of the program has.
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
	Folder: ".forge", Workflows: ".forge/jobs", Avatars: "https://avatars.forge.example/",
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

var _ hostClient = forgeClient{}

func (forgeClient) WithoutToken() string { return "" }

func (forgeClient) Capacity(known int, _ []registry.Budget) (string, error) {
	if known > 1000 {
		return "", registry.Errorf(registry.ErrInvalid, "FORGE_TOKEN allows 1000 projects")
	}
	return fmt.Sprintf("%d calls a week", known), nil
}

func (forgeClient) Budgets() []registry.Budget { return nil }

func (forgeClient) Restore([]registry.Budget) {}

// forgeSearch is a source that searches forge.
type forgeSearch struct{}

func (forgeSearch) Name() string { return forge.ID }

func (forgeSearch) Discover(
	_ context.Context, _ []byte, yield func([]registry.Candidate, []byte) error,
) error {
	ref := registry.RepoRef{Host: forge.ID, Owner: "rail/tools", Name: "trains"}
	return yield([]registry.Candidate{{Ref: ref, Source: forge.ID}}, nil)
}

// professionalKeys gives every key the access of the plan of that name.
type professionalKeys struct{}

func (professionalKeys) Find(time.Time, string) (account.Access, error) {
	return account.Access{Account: 1, Key: 1, Plan: account.PlanNamed(account.Professional)}, nil
}

const forgeCommit = "00112233445566778899aabbccddeeff00112233"

func (c forgeClient) Resolve(
	_ context.Context, ref registry.RepoRef, _ func(registry.Repository, []registry.File),
) registry.Visit {
	texts := map[string]string{
		"README.md": "# Trains\n\nAn MCP server for timetables. See [the guide](docs/guide.md).\n",
		"package.json": `{ "name": "trains-mcp", "version": "1.0.0", "bin": "index.js",
			"dependencies": { "@modelcontextprotocol/sdk": "^1.20.0" } }`,
		".forge/jobs/check.yml": "on: push\njobs:\n  all:\n    steps:\n      - run: npx vitest run\n",
		// No workflow: the host reads another folder.
		".github/workflows/other.yml": "on: push\njobs: {}\n",
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

func (forgeClient) Backoff(bool) (time.Time, error) { return time.Time{}, nil }

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
	c := jobs.Crawler{Queue: db, Discoveries: db, Sources: []jobs.Source{forgeSearch{}}}
	useForge(t, &c.Ingester, db, now)
	if _, err := c.Discover(t.Context(), forgeSearch{}, 0); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Refresh(t.Context(), 0); n != 1 || err != nil {
		t.Fatalf("visited %d: %v", n, err)
	}
	handler := forgeHandler(t, db, now)
	get := func(t *testing.T, path string, status int) string {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		if w.Code != status {
			t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}

	t.Run("page", func(t *testing.T) {
		body := ""
		for _, tab := range []string{"", "/health", "/versions"} {
			body += get(t, "/servers/rail-tools-trains"+tab, 200)
		}
		for _, link := range []string{
			`href="` + page + `"`,
			`href="` + page + `/-/releases"`,
			page + `/-/src/` + forgeCommit + `/docs/guide.md`, // of the README
			page + `/-/src/` + forgeCommit + `/README.md`,     // evidence of a check
			`/servers?owner=rail%2Ftools`,
			"Forge search", // that found it
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
		decode(t, get(t, "/api/servers", 200), &list)
		if len(list.Servers) != 1 {
			t.Fatalf("servers: %+v", list)
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
	t.Run("workflows", func(t *testing.T) {
		body := get(t, "/api/health?server=rail-tools-trains", 200)
		if !strings.Contains(body, page+"/-/src/"+forgeCommit+"/.forge/jobs/check.yml") ||
			strings.Contains(body, ".github") {
			t.Errorf("evidence of another workflow: %s", body)
		}
	})
	t.Run("bulk request", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/servers/bulk",
			strings.NewReader(`{"ids": ["forge.example/rail/tools/trains"]}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer any")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"notFound":["forge.example/rail/tools/trains"]`) {
			t.Errorf("an address among the IDs: %d %s", w.Code, w.Body)
		}
	})
	t.Run("schedule", func(t *testing.T) {
		for _, j := range jobs.Timetable(jobs.Tasks{Crawler: &c, Packager: &jobs.Packager{}}) {
			if j.Name == "discover-forge" && j.Spec == "41 2 * * *" {
				return
			}
		}
		t.Error("the search of the host is not scheduled as that of the first")
	})
	t.Run("rate limits", func(t *testing.T) {
		a, hosts := new(app), hostClients{forge.ID: forgeClient{now}}
		if err := a.checkCapacity(t.Context(), db, hosts); err != nil {
			t.Errorf("one repository: %v", err)
		}
		for known, want := range map[int]string{
			1:    "Forge  about 1 calls a week",
			2000: "Forge  FORGE_TOKEN allows 1000 projects",
		} {
			var out strings.Builder
			s := registry.Status{At: now, Repositories: map[string]int{"server": known}}
			if err := printStatus(&out, s, hosts); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			if !strings.Contains(text, strings.Join(strings.Fields(want), " ")) ||
				!strings.Contains(text, "forge no requests yet") || strings.Contains(text, "GitHub") {
				t.Errorf("status of %d repositories:\n%s", known, &out)
			}
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
func useForge(t *testing.T, in *jobs.Ingester, db *postgres.DB, now time.Time) {
	t.Helper()
	in.Reader = newReader(t)
	in.Facts, in.Results, in.Texts = db, db, db.Texts
	in.Hosts = jobs.Hosts{forge.ID: forgeClient{now}}
	in.Log, in.Now = slog.New(slog.DiscardHandler), func() time.Time { return now }
}

// forgeHandler serves the pages and both APIs from db.
func forgeHandler(t *testing.T, db *postgres.DB, now time.Time) http.Handler {
	t.Helper()
	cat := catalog.New()
	if err := cat.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	checker := &jobs.Checker{Checks: db}
	useForge(t, &checker.Ingester, db, now)
	site, err := web.New(web.Options{
		Site:  site.Options{Catalog: cat, BaseURL: "https://census.example"},
		Pages: pages.Options{Checker: checker, Figures: db, Offer: new(config.Config).Offer},
		Feeds: feeds.Options{News: db, Avatars: db},
	})
	if err != nil {
		t.Fatal(err)
	}
	rest := api.New(api.Options{
		Catalog: cat, Checker: checker, Keys: professionalKeys{}, BaseURL: "https://census.example",
		Install: install.JSON,
	})
	engine := httpd.NewEngine(httpd.Config{Log: checker.Ingester.Log, Missing: site.Missing})
	site.Register(engine)
	v1.New(v1.Options{API: rest}).Register(engine)
	rest.Register(engine)
	return engine
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
