package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// newAged returns a registry with history that was crawled: one server is gone, one had
// another name, one is hidden.
func newAged(t *testing.T) *environment {
	t.Helper()
	from := newCrawledEnvironment(t)
	ctx, now := t.Context(), time.Now()
	for days := range 3 {
		if _, err := from.db.SnapshotDay(ctx, now.AddDate(0, 0, -days)); err != nil {
			t.Fatal(err)
		}
	}
	servers, _, _, err := from.db.ServersAfter(ctx, 0, 1000)
	if err != nil || len(servers) < 10 {
		t.Fatalf("%d servers, %v", len(servers), err)
	}
	pgtest.Exec(t, from.db, `UPDATE servers SET listed = false, gone_at = now() WHERE slug = $1`, servers[0].Slug)
	pgtest.Exec(t, from.db, `UPDATE repositories SET state = 'gone' WHERE id =
		(SELECT repo_id FROM servers WHERE slug = $1)`, servers[0].Slug)
	pgtest.Exec(t, from.db, `UPDATE repositories SET host_id = 6442450944 + host_id WHERE id =
		(SELECT repo_id FROM servers WHERE slug = $1)`, servers[0].Slug)
	pgtest.Exec(t, from.db, `UPDATE listings SET host_id = 6442450944 WHERE name = (SELECT min(name) FROM listings)`)
	pgtest.Exec(t, from.db, `INSERT INTO slug_aliases (slug, server_id)
		SELECT 'octo-former-name', id FROM servers WHERE slug = $1`, servers[1].Slug)
	from.run("hide", servers[2].Slug, "--reason", "a test")
	pgtest.Exec(t, from.db, `INSERT INTO entry_tombstones (name, server_id, version, published, at)
		VALUES ('io.github.octo/left', 0, '1.0.0', false, now())`)
	pgtest.Exec(t, from.db, `INSERT INTO listing_versions (name, version, published_at, listing)
		SELECT name, '0.0.1', '2025-01-01', replace(replace(listing::text, listing->>'version', '0.0.1'),
			'"publishedAt":"' || (listing->>'publishedAt') || '"', '"publishedAt":"2025-01-01T00:00:00Z"')::json
		FROM listings WHERE listing->'document' IS NOT NULL AND listing->>'publishedAt' <> ''`)
	return from
}

// newImported returns a registry with history that was crawled, and another one that was
// filled from its dump.
func newImported(t *testing.T) (from, to *environment, file string) {
	t.Helper()
	from = newAged(t)
	file = filepath.Join(t.TempDir(), "census.jsonl.gz")
	if said := from.run("dump", file); !strings.Contains(said, " servers in ") {
		t.Errorf("dump said %q", said)
	}
	to = newEmptyEnvironment(t)
	to.useDatabase(pgtest.URL(t))
	if said := to.run("import", file); !strings.Contains(said, "imported, 0 lines rejected") {
		t.Errorf("import said %q", said)
	}
	return from, to, file
}

// keyOf makes an account with a key.
func (w *environment) keyOf(email string) string {
	w.t.Helper()
	if _, _, err := people.New(w.db).SignUp(w.t.Context(), account.Login{Account: account.Account{Email: email}},
		email, account.ByOwner, "", time.Now()); err != nil {
		w.t.Fatal(err)
	}
	w.run("plan", "set", email, "enterprise")
	return strings.TrimSpace(w.run("key", "make", email, "--name", "test"))
}

// ofRegistry matches data of a single registry: cursors, usage, and ages.
var ofRegistry = regexp.MustCompile(
	`"(views|apiHits|searchImpressions|healthChecks|installClicks|badgeViews)":([0-9]+|null)|` +
		`"nextCursor": ?"[^"]*"|cursor=[A-Za-z0-9_%-]+|"tookMs":[0-9.]+|"requestId":"[^"]*"|` +
		`^\{"at":"[^"]*"|as of <time [^>]*>[^<]*</time>|>(just now|[0-9]+ [a-z]+ ago)</time>`)

func TestImport(t *testing.T) {
	from, to, file := newImported(t)
	importAnswersTheSame(t, from, to)
	importRefuses(t, from, to, file)
	importThenCrawl(t, to)
}

// importAnswersTheSame compares all responses of a registry with those of one that was filled
// from its dump.
func importAnswersTheSame(t *testing.T, from, to *environment) {
	t.Helper()
	a, b := from.client(from.keyOf("ann@example.com")), to.client(to.keyOf("ann@example.com"))
	answersTheSame(t, a, b)
	for _, c := range changesOf(t, from) {
		path := "/api/health?server=" + c.Slug
		codeA, bodyA := a(path)
		codeB, bodyB := b(path)
		want := codeA
		if !c.Gone {
			want = http.StatusNotFound // hidden servers are not in dumps
		}
		if codeB != want || c.Gone && !sameBody(bodyA, bodyB) {
			t.Errorf("%+v: %d %s\nand %d %s", c, codeA, bodyA, codeB, bodyB)
		}
	}
}

// sameBody compares bodies without the matches of ofRegistry.
func sameBody(a, b string) bool {
	return a == b || ofRegistry.ReplaceAllString(a, "…") == ofRegistry.ReplaceAllString(b, "…")
}

// A client returns the status and the body of a response.
type client func(path string) (int, string)

// client serves the registry for requests with a key.
func (w *environment) client(key string) client {
	h, _ := w.handler()
	return func(path string) (int, string) {
		r := httptest.NewRequest("GET", path, nil)
		if strings.HasPrefix(path, "/v1/") {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
}

// answersTheSame compares the responses of two registries: lists, pages, and those of every
// third server.
func answersTheSame(t *testing.T, a, b client) {
	t.Helper()
	within(t, 30*time.Second, "indexed", func() bool {
		_, x := a("/api/discover?search=weather&limit=100")
		_, y := b("/api/discover?search=weather&limit=100")
		return !strings.Contains(x+y, "warnings") && sameBody(x, y)
	})
	_, list := a("/api/servers?limit=100")
	var page struct{ Servers []struct{ ID string } }
	if err := json.Unmarshal([]byte(list), &page); err != nil {
		t.Fatal(err)
	}
	paths := []string{
		"/", "/servers", "/categories", "/tags", "/owners", "/stats", "/stats.json", "/feed.atom", "/llms.txt",
		"/sitemap.xml", "/api/categories", "/api/discover?limit=100&level=tool", "/api/discover?limit=100&format=mcp",
		"/api/servers/octo-former-name/tools/changes", "/servers/octo-former-name",
		"/v1/search?limit=100", "/v1/search?limit=100&q=server&sort=-stars", "/v1/servers?limit=100",
		"/v0.1/servers?limit=100", "/v0.1/servers?limit=100&search=weather", "/r/healthy/v0.1/servers?limit=100",
		"/v0.1/servers/io.github.octo%2Fleft/versions?include_deleted=true",
	}
	_, entries := a("/v0.1/servers?limit=100")
	for _, m := range regexp.MustCompile(`"server":\{[^{}]*"name":"([^"]+)"`).FindAllStringSubmatch(entries, -1) {
		paths = append(paths, "/v0.1/servers/"+url.PathEscape(m[1])+"/versions")
	}
	for _, sort := range []string{"qualityScore", "recommended", "stars", "downloads", "name", "updated", "created"} {
		paths = append(paths, "/api/servers?limit=100&sort="+sort)
	}
	for i, s := range page.Servers {
		if i%3 != 0 {
			continue
		}
		paths = append(paths, "/api/health?server="+s.ID, "/api/servers/"+s.ID+"/tools/changes", "/servers/"+s.ID,
			"/servers/"+s.ID+".md", "/badge/"+s.ID+".svg", "/v1/servers/"+s.ID, "/v1/servers/"+s.ID+"/analytics")
	}
	wrong := 0
	for _, path := range paths {
		codeA, bodyA := a(path)
		codeB, bodyB := b(path)
		if codeA != codeB || !sameBody(bodyA, bodyB) {
			if wrong++; wrong <= 10 {
				t.Errorf("%s: %d and %d: %s", path, codeA, codeB,
					cmp.Diff(strings.Split(bodyA, "\n"), strings.Split(bodyB, "\n")))
			}
		}
		if codeA >= 400 {
			t.Errorf("%s: %d", path, codeA)
		}
	}
	t.Logf("%d servers, %d responses, %d differ", len(page.Servers), len(paths), wrong)
}

func changesOf(t *testing.T, w *environment) []registry.Change {
	t.Helper()
	_, removed, _, err := w.db.RecordsAfter(t.Context(), 0, 1000)
	if err != nil || len(removed) != 2 {
		t.Fatalf("%v, %v", removed, err)
	}
	return removed
}

// importThenCrawl crawls after an import: repositories are known and not due, and a visit,
// here of every third, finds the imported data.
func importThenCrawl(t *testing.T, to *environment) {
	t.Helper()
	s := to.status()
	if s.Due != 0 || s.Repositories["server"] == 0 {
		t.Errorf("after the import: %d due, repositories %v", s.Due, s.Repositories)
	}
	before := to.listed()
	pgtest.Exec(t, to.db, `UPDATE repositories SET due_at = now(), turn_at = now() WHERE id % 3 = 0`)
	to.run("crawl")
	for name, n := range to.listed() { // hidden and gone servers were not in the dump
		if n < before[name] {
			t.Errorf("the crawl lost servers of %s: %d, and %d before", name, n, before[name])
		}
	}
}

func importRefuses(t *testing.T, from, to *environment, file string) {
	t.Helper()
	if said := to.run("import", file); !strings.Contains(said, "nothing to do") {
		t.Errorf("the same dump again: %q", said)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	altered := bytes.Clone(whole)
	altered[len(altered)/2] ^= 0xff
	fresh := newEmptyEnvironment(t)
	fresh.useDatabase(pgtest.URL(t))
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"),
		[]byte(strings.Repeat("0", 64)+"  summed.jsonl.gz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, source, says string
		in                 *environment
	}{
		{"not empty", file, "not empty", from},
		{"sum", write("summed.jsonl.gz", whole), "damaged or was altered", fresh},
		{"no file", "/no/such/file", "cannot read the dump", fresh},
		{"text", write("text", []byte("hello")), "not compressed with gzip", fresh},
		{"altered", write("altered", altered), "dump", fresh},
		{"truncated", write("truncated", whole[:len(whole)*2/3]), "truncated after line", fresh},
		{"scheme", "ftp://example.com/x", "must be a file or a URL", fresh},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, stderr, status := tc.in.try("import", tc.source)
			if status != 1 || !strings.Contains(stderr, tc.says) {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
	if s := fresh.status(); s.Servers != 0 || len(s.Repositories) != 0 {
		t.Errorf("a damaged dump left %d servers and repositories %v", s.Servers, s.Repositories)
	}
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	defer files.Close()
	if said := fresh.run("import", files.URL+"/"+filepath.Base(file)); !strings.Contains(said, "0 lines rejected") {
		t.Errorf("the whole dump: %q", said)
	}
	if a, b := from.status().Servers, fresh.status().Servers; a != b {
		t.Errorf("%d servers, and %d in the dumped registry", b, a)
	}
}
