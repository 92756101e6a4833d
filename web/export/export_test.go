package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"mcpcensus/api"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/folder"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/export"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// documents are those of the API.
var documents = api.NewEncoder("io.test", nil)

// staticSite returns a site that writes files, over servers.
func staticSite(t testing.TB, servers []registry.Server, more ...func(*web.Options)) *web.Site {
	t.Helper()
	cat := catalog.New()
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	if err := cat.Apply(servers, nil, int64(len(servers))); err != nil {
		t.Fatal(err)
	}
	cat.SetReady()
	o := sitetest.Options()
	o.Site = site.Options{Catalog: cat, BaseURL: "https://copy.example/mirror/census", Static: true}
	for _, f := range more {
		f(&o)
	}
	s, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func optionsFor(dir string) export.Options {
	return export.Options{Documents: documents, Dir: dir, Version: "test", Start: func(int) {}, Progress: func() {}}
}

func exported(t testing.TB, s *web.Site, dir string) folder.Report {
	t.Helper()
	r, err := s.Export(t.Context(), optionsFor(dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files returns the files of an export.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".census-export" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// directory are servers with all that an export has to get right.
func directory() []registry.Server {
	servers := webtest.Generated(100)
	for i := range servers {
		if i%3 == 0 {
			servers[i].Repo.Owner = "Octo-Labs"
		}
		servers[i].Tags = append(servers[i].Tags, "every", "C++ 天气/..", fmt.Sprint("only", i))
	}
	for n, x := range webtest.Attacks {
		servers = append(servers, webtest.Hostile(fmt.Sprintf("evil-%d", n), x))
	}
	return servers
}

// news is what feeds show beside releases.
type news []registry.News

func (n news) News(context.Context, []string, time.Time, time.Time, int) ([]registry.News, error) {
	return n, nil
}

func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	servers := directory()
	s := staticSite(t, servers,
		func(o *web.Options) { o.Feeds.News = news{{Slug: servers[0].Slug, At: webtest.Now}} })
	exported(t, s, filepath.Join(dir, "mirror", "census"))
	host := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer host.Close()
	client := host.Client()
	seen, queue := map[string]bool{}, []string{"/mirror/census/"}
	from := map[string]string{}
	pages := 0
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		res, err := client.Get(host.URL + at)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			t.Errorf("%s, linked from %s: %s", at, from[at], res.Status)
			continue
		}
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			continue
		}
		pages++
		doc, err := html.Parse(strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		base, _ := url.Parse(host.URL + at)
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "data-clicks" || a.Key == "data-poll" || a.Key == "data-live" ||
					a.Key == "data-needs-server" || a.Key == "method" && a.Val != "get":
					t.Errorf("%s: <%s %s> needs a server", at, n.Data, a.Key)
				case a.Key == "http-equiv" && !strings.EqualFold(a.Val, "Content-Security-Policy"):
					t.Errorf("%s: %q", at, a.Val)
				case a.Key == "href" || a.Key == "src" || a.Key == "action":
					u, err := base.Parse(a.Val)
					if err != nil {
						t.Errorf("%s: %q", at, a.Val)
						continue
					}
					if u.Host != base.Host {
						continue
					}
					if strings.HasPrefix(a.Val, "/") ||
						!strings.HasPrefix(u.Path, "/mirror/census/") {
						t.Errorf("%s: %q leads out of the folder", at, a.Val)
					}
					if to := u.EscapedPath(); !seen[to] { // a query makes no other file
						from[to] = at
						queue = append(queue, to)
					}
				}
			}
			if n.Data == "time" && n.FirstChild != nil &&
				strings.Contains(n.FirstChild.Data, " ago") {
				t.Errorf("%s: %q will be wrong tomorrow", at, n.FirstChild.Data)
			}
		}
	}
	if pages < len(servers) {
		t.Errorf("%d pages for %d servers", pages, len(servers))
	}
	all := files(t, filepath.Join(dir, "mirror", "census"))
	for _, x := range servers {
		for _, name := range []string{"servers/%s.html", "servers/%s/tools.html", "servers/%s/health.html",
			"servers/%s/versions.html", "servers/%s/readme.html", "servers/%s.md", "servers/%s.json",
			"servers/%s.health.json", "badge/%s.svg", "badge/%s.json"} {
			if name = fmt.Sprintf(name, x.Slug); all[name] == "" {
				t.Errorf("no %s", name)
			}
		}
	}
	for _, name := range []string{"index.html", "servers.html", "servers/page/2.html",
		"docs/scoring.html", "about.html", "stats.html", "stats.json", "stats.csv",
		"categories/data.html",
		"owners/octo-labs.html", "owners/octo-labs/page/2.html", "owners/octo-labs/feed.atom",
		"tags/every.html", "feed.atom", "categories/data/feed.atom",
		"sitemap.xml", "sitemaps/1.xml", "robots.txt", "llms.txt", "404.html", "search/index.json",
		"search/rows/0.json", "search/order/stars.json", "api/servers/1.json", "api/servers/2.json",
		".nojekyll"} {
		if _, ok := all[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "tags/only") {
			t.Errorf("%s is a list of one", name)
		}
		if strings.ToLower(name) != name && !strings.HasPrefix(name, "search/order/") {
			t.Errorf("%s does not live on every disk", name)
		}
	}
	for _, want := range []string{"https://copy.example/mirror/census/servers/" + servers[0].Slug +
		".html", "https://copy.example/mirror/census/feed.atom"} {
		if !strings.Contains(all["feed.atom"], want) {
			t.Errorf("no %s in the feed", want)
		}
	}
	// Every address of the site map is a file.
	rest := all["sitemaps/1.xml"]
	n := 0
	for {
		var loc string
		_, rest, _ = strings.Cut(rest, "<loc>")
		if loc, rest, _ = strings.Cut(rest, "</loc>"); loc == "" {
			break
		}
		n++
		name, ok := strings.CutPrefix(loc, "https://copy.example/mirror/census/")
		if _, there := all[name]; !ok || !there {
			t.Errorf("%s is in the site map", loc)
		}
	}
	if n < len(servers) {
		t.Errorf("%d addresses in the site map", n)
	}
	if page := all["servers/"+servers[0].Slug+".html"]; !strings.Contains(page,
		`<link rel="canonical" href="https://copy.example/mirror/census/servers/`+servers[0].Slug+
			`.html">`) {
		t.Error("no canonical address")
	}
}

// Pictures take half a second each with the race detector.
func TestExport_pictures(t *testing.T) {
	t.Parallel()
	servers := directory()[99:101]
	dir := t.TempDir()
	exported(t, staticSite(t, servers, func(o *web.Options) { o.Site.Pictures = true }), dir)
	all := files(t, dir)
	for _, x := range servers {
		picture := "social/" + x.Slug + ".png"
		if !strings.HasPrefix(all[picture], "\x89PNG") {
			t.Errorf("no %s", picture)
		}
		if !strings.Contains(all["servers/"+x.Slug+".html"], "https://copy.example/mirror/census/"+picture) {
			t.Errorf("the page of %s does not name its picture", x.Slug)
		}
	}
}

// TestExport_contents compares the texts of pages.
func TestExport_contents(t *testing.T) {
	t.Parallel()
	servers := directory()[:15]
	// What needs a server is left out.
	live := []string{"Check again", "Compare", "Compare with others", "Feed of this owner’s servers",
		"Find", "Find among its tools",
		"Report a problem with this listing"}
	dir := t.TempDir()
	exported(t, staticSite(t, servers), dir)
	all := files(t, dir)
	s := sitetest.New(t, servers, func(o *web.Options) {
		o.Site.BaseURL = "https://copy.example/mirror/census"
	})
	for _, x := range servers {
		for _, tab := range []string{"", "/tools", "/health", "/versions"} {
			path := "/servers/" + x.Slug + tab
			want, got := mainText(t, s.Page(path, 200)), mainText(t, all[site.FileOf(path)])
			for _, w := range want {
				if !slices.Contains(live, w) && !strings.HasSuffix(w, " ago") &&
					!slices.Contains(got, w) && !strings.Contains(w, "https://copy.example/") {
					t.Errorf("%s: the file does not say %q", path, w)
				}
			}
		}
		var record, health map[string]any
		if err := errors.Join(json.Unmarshal([]byte(all["servers/"+x.Slug+".json"]), &record),
			json.Unmarshal([]byte(all["servers/"+x.Slug+".health.json"]), &health)); err != nil {
			t.Fatal(err)
		}
		for name, doc := range map[string]map[string]any{"record": record, "health": health} {
			for k, v := range doc["links"].(map[string]any) {
				if v == nil {
					continue
				}
				to, _, _ := strings.Cut(v.(string), "#")
				file := strings.TrimPrefix("servers/"+to, "servers/../")
				if _, ok := all[file]; !ok {
					t.Errorf("%s of %s: %s leads to %s", name, x.Slug, k, to)
				}
			}
		}
		i, _ := s.Catalog.View().Find(x.Slug)
		server, err := i.Record()
		if err != nil {
			t.Fatal(err)
		}
		detail, err := documents.Detail(server)
		if err != nil {
			t.Fatal(err)
		}
		var dynamic map[string]any
		if err := json.Unmarshal(detail, &dynamic); err != nil {
			t.Fatal(err)
		}
		for _, doc := range []map[string]any{dynamic, record} {
			delete(doc, "links")
			if owner, ok := doc["owner"].(map[string]any); ok {
				delete(owner, "avatarUrl")
			}
		}
		if a, b := fmt.Sprint(dynamic), fmt.Sprint(record); a != b {
			t.Errorf("the record of %s differs", x.Slug)
		}
	}
	// The lists of JSON hold everything once, in order.
	var got []string
	for name := "1.json"; name != ""; {
		var page struct {
			Servers    []struct{ Slug string }
			Pagination struct {
				Total int
				Next  *string
			}
		}
		if err := json.Unmarshal([]byte(all["api/servers/"+name]), &page); err != nil ||
			page.Pagination.Total != len(servers) {
			t.Fatal(name, err)
		}
		for _, x := range page.Servers {
			got = append(got, x.Slug)
		}
		if name = ""; page.Pagination.Next != nil {
			name = *page.Pagination.Next
		}
	}
	l := s.Catalog.View().List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		if n >= len(got) || got[n] != l.At(n).Slug() {
			t.Fatalf("the list is %v", got)
		}
	}
}

// mainText returns the texts of the main part of a page.
func mainText(t *testing.T, page string) (all []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data != "main" || n.Type != html.ElementNode {
			continue
		}
		for m := range n.Descendants() {
			if text := strings.TrimSpace(m.Data); m.Type == html.TextNode && text != "" {
				all = append(all, text)
			}
		}
	}
	if len(all) == 0 {
		t.Error("a page without a main part")
	}
	return all
}

func TestExport_again(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := exported(t, staticSite(t, directory()[90:]), dir)
	if first.Written != first.Files || first.Files < 200 {
		t.Errorf("first: %+v", first)
	}
	before := map[string]os.FileInfo{}
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = info
	}
	again := exported(t, staticSite(t, directory()[90:]), dir)
	if again.Written != 0 || again.Removed != 0 || again.Files != first.Files ||
		again.Bytes != first.Bytes {
		t.Errorf("again: %+v", again)
	}
	for name, info := range before {
		if now, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil ||
			!os.SameFile(now, info) || !now.ModTime().Equal(info.ModTime()) {
			t.Errorf("%s was written again", name)
		}
	}
	fewer := directory()[90:]
	left := fewer[len(fewer)-1].Slug
	fewer = fewer[:len(fewer)-1]
	third := exported(t, staticSite(t, fewer), dir)
	if third.Removed < 6 || third.Written == 0 || third.Unchanged < 100 {
		t.Errorf("after one has left: %+v", third)
	}
	fresh := t.TempDir()
	exported(t, staticSite(t, fewer), fresh)
	all := files(t, dir)
	if !maps.Equal(all, files(t, fresh)) {
		t.Error("the folder differs from a fresh one")
	}
	for name := range all {
		if strings.Contains(name, left+".") {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestExport_stopped(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	exported(t, staticSite(t, directory()[90:]), whole)
	want := files(t, whole)
	dir := t.TempDir()
	for _, after := range []int{1, 10, 30} {
		ctx, cancel := context.WithCancel(t.Context())
		var done atomic.Int64
		_, err := staticSite(t, directory()[90:]).Export(ctx,
			export.Options{Documents: documents, Dir: dir, Version: "test", Start: func(int) {}, Progress: func() {
				if done.Add(1) >= int64(after) {
					cancel()
				}
			}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d: %v", after, err)
		}
		cancel()
	}
	r := exported(t, staticSite(t, directory()[90:]), dir)
	if r.Resumed+r.Unchanged < 30 {
		t.Errorf("%+v", r)
	}
	if got := files(t, dir); !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s differs", name)
			}
		}
		t.Errorf("%d files instead of %d", len(got), len(want))
	}
}

// failing are figures of a database that stops responding.
type failing struct {
	sitetest.Figures
	left atomic.Int64 // responses
}

func (f *failing) Histories(
	ctx context.Context, slugs []string, from, to time.Time,
) (map[string][]registry.DayStats, error) {
	if f.left.Add(-1) < 0 {
		return nil, errors.New("connection refused")
	}
	return f.Figures.Histories(ctx, slugs, from, to)
}

func (f *failing) Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error) {
	if f.left.Add(-1) < 0 {
		return nil, errors.New("connection refused")
	}
	return f.Figures.Readmes(ctx, slugs)
}

// TestExport_database_away: no page is written without what the
// database did not tell.
func TestExport_database_away(t *testing.T) {
	t.Parallel()
	servers := directory()[:36]
	for i := range servers {
		servers[i].Tools, servers[i].Health.Categories = nil, nil // shorter pages
	}
	site := func(answers int64) *web.Site {
		f := &failing{Figures: sitetest.Figures{Days: sitetest.Year(),
			Text: registry.Readme{Path: "README.md", Text: "# Words of a README"}}}
		f.left.Store(answers)
		return staticSite(t, servers, func(o *web.Options) { o.Pages.Figures = f })
	}
	whole, dir := t.TempDir(), t.TempDir()
	exported(t, site(1000), whole)
	want := files(t, whole)
	if !strings.Contains(want["servers/"+servers[3].Slug+"/readme.html"], "Words of a README") {
		t.Error("the pages lack what the database tells")
	}
	for _, answers := range []int64{0, 1, 2, 3} {
		_, err := site(answers).Export(t.Context(),
			optionsFor(dir))
		if !errors.Is(err, registry.ErrUnavailable) || !strings.Contains(err.Error(), "database") {
			t.Errorf("after %d answers: %v", answers, err)
		}
		for name, body := range files(t, dir) {
			if body != want[name] {
				t.Errorf("after %d answers %s was written and differs", answers, name)
			}
		}
	}
	exported(t, site(1000), dir)
	if !maps.Equal(files(t, dir), want) {
		t.Error("the folder is not whole in the end")
	}
	f := &sitetest.Figures{Err: errors.New("connection refused")}
	if _, err := staticSite(t, servers, func(o *web.Options) { o.Pages.Figures = f }).Export(t.Context(),
		optionsFor(t.TempDir())); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("without figures of the whole: %v", err)
	}
}

func TestExport_empty(t *testing.T) {
	dir := t.TempDir()
	exported(t, staticSite(t, nil), dir)
	if all := files(t, dir); all["index.html"] == "" ||
		!json.Valid([]byte(all["search/index.json"])) ||
		!json.Valid([]byte(all["api/servers/1.json"])) {
		t.Error("pages are missing")
	}
}

func TestExport_logo(t *testing.T) {
	brand, err := brand.Parse("Acme", "https://cdn.acme.example/logo.png", "", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	exported(t, staticSite(t, webtest.Generated(3),
		func(o *web.Options) {
			o.Site.Brand, o.Site.Logo = brand,
				&site.Logo{Type: "image/png", Body: []byte("\x89PNG")}
		}), dir)
	name := ""
	all := files(t, dir)
	for f, body := range all {
		if strings.HasPrefix(f, "static/logo-") {
			name = f
			if body != "\x89PNG" || !strings.HasSuffix(f, ".png") {
				t.Errorf("%s is %q", f, body)
			}
		}
		if strings.Contains(body, "cdn.acme.example") {
			t.Errorf("%s asks another host", f)
		}
	}
	for page, up := range map[string]string{"index.html": "", "docs/scoring.html": "../"} {
		if !strings.Contains(all[page], `<img src="`+up+name+`"`) ||
			!strings.Contains(all[page], `<link rel="icon" href="`+up+name+`"`) {
			t.Errorf("%s does not show %q", page, name)
		}
	}
}

// TestExport_tags exports records of earlier versions, whose tags are not
// folded.
func TestExport_tags(t *testing.T) {
	servers := webtest.Generated(4)
	for i, tags := range [][]string{{"postgresql"}, {"Postgres", "tides"}, {"pg", "tides"}, {"tides"}} {
		servers[i].Tags = tags
	}
	live := sitetest.New(t, servers)
	live.Page("/tags/postgres", 200)
	if body := live.Page("/servers/"+servers[0].Slug, 200); !strings.Contains(body, `href="/tags/postgres"`) {
		t.Error("the page of a server does not link the folded tag")
	}
	if _, body := live.Get("/tags"); strings.Contains(body, "/tags/postgresql") || strings.Contains(body, "/tags/pg") {
		t.Error("the index of tags lists tags that are not folded")
	}

	dir := t.TempDir()
	exported(t, staticSite(t, servers), dir)
	all := files(t, dir)
	var lists []string
	for name := range all {
		if strings.HasPrefix(name, "tags/") {
			lists = append(lists, name)
		}
	}
	slices.Sort(lists)
	if diff := cmp.Diff([]string{"tags/postgres.html", "tags/tides.html"}, lists); diff != "" {
		t.Error(diff)
	}
	for _, s := range servers[:3] {
		if !strings.Contains(all["servers/"+s.Slug+".html"], `href="../tags/postgres.html"`) {
			t.Errorf("the page of %v has no link to the list of its tag", s.Tags)
		}
		if !strings.Contains(all["tags/postgres.html"], s.Slug) {
			t.Errorf("the list lacks the server tagged %v", s.Tags)
		}
	}
}

func TestExport_order(t *testing.T) {
	t.Parallel()
	servers := webtest.Generated(60)
	for i := range servers {
		servers[i].Repo.Owner, servers[i].Tags = "octo", []string{"every"}
		servers[i].Tools, servers[i].Health.Categories = nil, nil // shorter pages
	}
	live, dir := sitetest.New(t, servers), t.TempDir()
	exported(t, staticSite(t, servers), dir)
	all := files(t, dir)
	slugs := func(page string) (slugs []string) {
		for _, part := range strings.Split(page, "<h2><a href=\"")[1:] {
			link, _, _ := strings.Cut(part, `"`)
			slugs = append(slugs, strings.TrimSuffix(link[strings.LastIndexByte(link, '/')+1:], ".html"))
		}
		return slugs
	}
	for path, file := range map[string]string{
		"/owners/octo": "owners/octo.html", "/tags/every?page=2": "tags/every/page/2.html"} {
		if diff := cmp.Diff(slugs(live.Page(path, 200)), slugs(all[file])); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func TestExport_avatars(t *testing.T) {
	servers := webtest.Generated(3)
	for i, owner := range []string{"Octo-Labs", "nobody", ""} {
		servers[i].Repo.Owner = owner
	}
	dir := t.TempDir()
	exported(t, staticSite(t, servers, func(o *web.Options) {
		o.Feeds.Avatars = sitetest.Avatars{"github/octo-labs": "\x89PNG", "github/unlisted": "\x89PNG"}
	}), dir)
	all := files(t, dir)
	var names []string
	for name := range all {
		if strings.HasPrefix(name, "avatars/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	want := []string{"avatars/github/nobody.svg", "avatars/github/octo-labs.png"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if all[want[1]] != "\x89PNG" || !strings.Contains(all[want[0]], ">N</text>") {
		t.Errorf("the avatars are %q and %q", all[want[1]], all[want[0]])
	}
	for i, name := range want[:1] {
		if page := all["servers/"+servers[1-i].Slug+".html"]; !strings.Contains(page, `src="../`+name+`"`) {
			t.Errorf("the page of a server does not show %s", name)
		}
	}
	if !strings.Contains(all["servers.html"], `src="avatars/github/octo-labs.png"`) ||
		!strings.Contains(all["search/rows/0.json"], `avatars/github/octo-labs.png`) {
		t.Error("the lists do not show the avatars")
	}
	var record struct{ Owner struct{ AvatarURL string } }
	if err := json.Unmarshal([]byte(all["servers/"+servers[0].Slug+".json"]), &record); err != nil ||
		record.Owner.AvatarURL != "../avatars/github/octo-labs.png" {
		t.Errorf("the record links the avatar %q: %v", record.Owner.AvatarURL, err)
	}
}
