package feeds_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/feeds"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// fakeNews is news that a test makes up.
type fakeNews struct {
	news  []registry.News
	err   error
	slugs []string
	asked int
}

func (n *fakeNews) News(_ context.Context, slugs []string, _, _ time.Time, _ int) ([]registry.News, error) {
	n.asked++
	n.slugs = slugs
	var all []registry.News
	for _, x := range n.news {
		if slugs == nil || slices.Contains(slugs, x.Slug) {
			all = append(all, x)
		}
	}
	return all, n.err
}

func withNews(n feeds.News) func(*web.Options) { return func(o *web.Options) { o.Feeds.News = n } }

// well fails unless b is a document of XML.
func well(t *testing.T, b string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(b))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v\n%.800s", err, b)
		}
	}
}

// read is a feed as a reader sees it.
type read struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID       string `xml:"id"`
		Title    string `xml:"title"`
		Updated  string `xml:"updated"`
		Summary  string `xml:"summary"`
		Category struct {
			Term string `xml:"term,attr"`
		} `xml:"category"`
		Link struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

// readFeed fails unless b is what RFC 4287 demands of a feed (4.1.1, 4.1.2).
func readFeed(t *testing.T, b string) read {
	t.Helper()
	well(t, b)
	var f read
	if err := xml.Unmarshal([]byte(b), &f); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	iri := func(what, s string) {
		if u, err := url.Parse(s); err != nil || u.Scheme == "" {
			t.Errorf("%s %q is no absolute IRI", what, s)
		}
	}
	date := func(what, s string) {
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	iri("id", f.ID)
	date("updated", f.Updated)
	if f.Title == "" || f.Author == "" {
		t.Errorf("title %q, author %q", f.Title, f.Author)
	}
	if !slices.ContainsFunc(f.Links, func(l struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}) bool {
		return l.Rel == "self"
	}) {
		t.Error("no link to itself")
	}
	ids := map[string]bool{}
	for n, e := range f.Entries {
		iri("entry", e.ID)
		iri("link", e.Link.Href)
		date(e.ID, e.Updated)
		if e.Title == "" || e.Summary == "" || ids[e.ID] {
			t.Errorf("entry %+v", e)
		}
		if ids[e.ID] = true; n > 0 && e.Updated > f.Entries[n-1].Updated {
			t.Errorf("%s is newer than the one before it", e.ID)
		}
	}
	if len(f.Entries) > 0 && f.Updated != f.Entries[0].Updated {
		t.Errorf("updated %s, its newest entry %s", f.Updated, f.Entries[0].Updated)
	}
	return f
}

func TestAtom(t *testing.T) {
	servers := webtest.Generated(60)
	for i := range servers {
		servers[i].ReleasedAt = nil
	}
	a, b := &servers[3], &servers[4]
	b.ReleasedAt, b.LatestVersion = new(webtest.Now.AddDate(0, 0, -2)), "1.2.3"
	servers[5].ReleasedAt, servers[5].LatestVersion = new(webtest.Now.AddDate(3, 0, 0)), "99" // of a clock that is wrong
	news := &fakeNews{news: []registry.News{
		{Slug: a.Slug, At: webtest.Now.Add(-time.Hour)},
		{Slug: a.Slug, At: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), Before: new(79), Then: new(85)},
		{Slug: b.Slug, At: webtest.Now.AddDate(0, -1, 0)},
		{Slug: "has-left", At: webtest.Now},
	}}
	s := sitetest.New(t, servers, withNews(news))
	res, body := s.Get("/feed.atom")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
		t.Fatal(res.Status, res.Header)
	}
	f := readFeed(t, body)
	var got []string
	for _, e := range f.Entries {
		got = append(got, e.Category.Term+" "+strings.TrimPrefix(e.ID, "tag:census.example,2026:servers/"))
	}
	want := []string{"new " + a.Slug + "/listed", "score " + a.Slug + "/scores/2026-11-18", "release " + b.Slug + "/releases/1.2.3", "new " + b.Slug + "/listed"}
	if !slices.Equal(got, want) {
		t.Errorf("entries\n%q, want\n%q", got, want)
	}
	if title := f.Entries[1].Title; title != a.Name+" · "+a.Repo.Owner+": health 85 (grade A), was 79 (grade B)" {
		t.Errorf("title %q", title)
	}
	if again, _ := s.Get("/feed.atom", "If-None-Match", res.Header.Get("Etag")); again.StatusCode != 304 {
		t.Errorf("requested again: %s", again.Status)
	}
	if news.asked != 1 {
		t.Errorf("the store was asked %d times", news.asked)
	}

	// What is hidden is named no longer, however new the feed is, and whether or
	// not the store can be asked.
	hidden := b.Slug
	defer func() {
		if err := s.Catalog.Apply(
			nil, []registry.Change{{Seq: 2000, ID: b.ID, Slug: b.Slug, Deleted: true}}, 2000,
		); err != nil {
			t.Fatal(err)
		}
		if _, body := s.Get("/feed.atom"); strings.Contains(
			body, "/servers/"+hidden+"\"",
		) || !strings.Contains(body, "/servers/"+a.Slug) {
			t.Errorf("the feed names what is hidden:\n%s", body)
		}
	}()

	_, body = s.Get("/categories/" + a.Category + "/feed.atom")
	f = readFeed(t, body)
	for _, e := range f.Entries {
		i, _ := s.Catalog.View().Find(strings.Split(strings.TrimPrefix(e.ID, "tag:census.example,2026:servers/"), "/")[0])
		if i == nil || i.Category() != a.Category {
			t.Errorf("%s is of another category", e.ID)
		}
	}
	_, body = s.Get("/owners/" + strings.ToUpper(a.Repo.Owner) + "/feed.atom")
	if f = readFeed(t, body); len(f.Entries) == 0 || !slices.Contains(news.slugs, a.Slug) {
		t.Errorf("owner: %d entries, asked about %q", len(f.Entries), news.slugs)
	}
	for path, status := range map[string]int{"/categories/nothing/feed.atom": 404, "/owners/nobody/feed.atom": 404, "/owners/" + strings.Repeat("x", 300) + "/feed.atom": 404} {
		if res, _ := s.Get(path); res.StatusCode != status {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

func TestAtom_sources_and_risks(t *testing.T) {
	x := webtest.Hostile("tide", "Tide")
	x.Status = registry.StatusActive
	x.ReleasedAt, x.LatestVersion = new(webtest.Now.AddDate(0, 0, -2)), "1.2.3"
	x.VersionFrom, x.VersionAt = "npm", new(webtest.Now.AddDate(0, 0, -1))
	x.Copy = &registry.Copy{Kind: registry.CopyOf, Of: "other", Since: webtest.Now.AddDate(0, 0, -4)}
	s := sitetest.New(t, []registry.Server{x}, withNews(&fakeNews{news: []registry.News{
		{Slug: "tide", At: webtest.Now.Add(-time.Hour)}, {Slug: "tide", At: webtest.Now, Tools: &registry.ToolsChange{
			From: registry.ToolsFromProbe, Version: "1.2.3", Added: []string{"get_tide"}}}}}))
	_, body := s.Get("/feed.atom")
	const warning = "Warning: It looks like a copy of other. Use instead: other (comparison of servers, 16 Nov 2026) "
	want := []string{
		"Tide · evil (copy): tools changed (1 added): " + warning +
			"Added: get_tide. Listed by its hosted endpoint, version 1.2.3.",
		"New: Tide · evil (copy): " + warning + "Tide (Read from GitHub on 17 Nov 2026)",
		"Tide · evil (copy) 1.2.3 released: " + warning +
			"Tide (Read from GitHub on 17 Nov 2026) Version: npm, 19 Nov 2026.",
	}
	var got []string
	for _, e := range readFeed(t, body).Entries {
		got = append(got, e.Title+": "+e.Summary)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAtom_hostile_texts_and_failures(t *testing.T) {
	var servers []registry.Server
	for n, x := range append(webtest.Attacks, "\x00\x01\u2028", "]]>&amp;", "\ufffe") {
		h := webtest.Hostile(fmt.Sprintf("evil-%d", n), strings.ReplaceAll(x, "\x00", ""))
		h.ReleasedAt = new(webtest.Now.AddDate(0, 0, -n-1))
		servers = append(servers, h)
	}
	s := sitetest.New(t, servers)
	_, body := s.Get("/feed.atom")
	if f := readFeed(t, body); len(f.Entries) != len(servers) {
		t.Errorf("%d entries of %d", len(f.Entries), len(servers))
	}
	news := &fakeNews{err: io.ErrUnexpectedEOF}
	s = sitetest.New(t, servers, withNews(news))
	if res, body := s.Get("/feed.atom"); res.StatusCode != 503 || strings.Contains(body, "unexpected EOF") {
		t.Errorf("while the store is away: %s\n%.300s", res.Status, body)
	}
	s = sitetest.New(t, nil, withNews(&fakeNews{}))
	_, body = s.Get("/feed.atom")
	if f := readFeed(t, body); len(f.Entries) != 0 {
		t.Errorf("an empty registry has %d entries", len(f.Entries))
	}
}

func TestSitemap(t *testing.T) {
	t.Parallel()
	servers := webtest.Generated(130)
	s := sitetest.New(t, servers)
	res, body := s.Get("/sitemap.xml")
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/xml") {
		t.Fatal(res.Status)
	}
	var index struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Parts   []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:"sitemap"`
	}
	if err := xml.Unmarshal([]byte(body), &index); err != nil || len(index.Parts) != 1 || index.Parts[0].Loc != "https://census.example/sitemaps/1.xml" || index.Parts[0].Lastmod == "" {
		t.Fatal(index, err)
	}
	res, body = s.Get("/sitemaps/1.xml")
	zippedRes, zippedBody := s.Get("/sitemaps/1.xml", "Accept-Encoding", "gzip")
	if z, err := gzip.NewReader(strings.NewReader(zippedBody)); err != nil || zippedRes.Header.Get("Content-Encoding") != "gzip" {
		t.Error(zippedRes.Header, err)
	} else if b, _ := io.ReadAll(z); string(b) != body {
		t.Error("it differs when it is compressed")
	}
	var part struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(body), &part); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, u := range part.URLs {
		path, ok := strings.CutPrefix(u.Loc, "https://census.example")
		if !ok || seen[path] {
			t.Errorf("address %s", u.Loc)
		}
		if seen[path] = true; u.Lastmod != "" {
			if _, err := time.Parse(time.RFC3339, u.Lastmod); err != nil {
				t.Error(err)
			}
		}
		if strings.HasPrefix(path, "/owners/") || strings.HasPrefix(path, "/tags/") || path == "/docs" {
			continue // the search index of this test knows no owners and tags, and the API is elsewhere
		}
		if res, body := s.Get(path); res.StatusCode != 200 || strings.Contains(body, `content="noindex"`) {
			t.Errorf("%s of the site map: %s", path, res.Status)
		} else if !strings.Contains(body, `<link rel="canonical" href="`+u.Loc+`">`) {
			t.Errorf("%s has another canonical address", path)
		}
	}
	for _, path := range []string{"/check", "/docs", "/tags"} {
		if !seen[path] {
			t.Errorf("%s is missing", path)
		}
	}
	for _, x := range servers {
		if !seen["/servers/"+x.Slug] {
			t.Errorf("%s is missing", x.Slug)
		}
	}
	if res, _ := s.Get("/sitemaps/1.xml", "If-None-Match", res.Header.Get("Etag")); res.StatusCode != 304 {
		t.Errorf("requested again: %s", res.Status)
	}
	for _, path := range []string{"/sitemaps/2.xml", "/sitemaps/0.xml", "/sitemaps/01.xml", "/sitemaps/-1.xml", "/sitemaps/1", "/sitemaps/x.xml"} {
		if res, _ := s.Get(path); res.StatusCode != 404 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

func TestRobots(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(1))
	_, body := s.Get("/robots.txt")
	for _, want := range []string{"User-agent: *\n", "Allow: /api/discover\n", "Disallow: /account\n", "Disallow: /*?q=*&\n", "Disallow: /*?*&q=\n", "\nSitemap: https://census.example/sitemap.xml\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	for _, unwanted := range []string{"/check\n", "/sign"} { // reports are shared; robots that index are told on the page
		if strings.Contains(body, "Disallow: "+unwanted) {
			t.Errorf("%q is forbidden", unwanted)
		}
	}
}

func TestSecurityTxt(t *testing.T) {
	for contact, want := range map[string]string{
		"ada@example.com":               "Contact: mailto:ada@example.com\n",
		"Ada <ada+x@example.com>":       "Contact: mailto:ada+x@example.com\n",
		"https://census.example/report": "Contact: https://census.example/report\n",
		"":                              "", "call me": "", "javascript:alert(1)": "",
	} {
		s := sitetest.New(t, webtest.Generated(1), func(o *web.Options) { o.Feeds.Contact = contact })
		res, body := s.Get("/.well-known/security.txt")
		if want == "" {
			if res.StatusCode != 404 {
				t.Errorf("%q: %s", contact, res.Status)
			}
			continue
		}
		if res.StatusCode != 200 || !strings.HasPrefix(body, want+"Expires: 20") ||
			res.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%q: %s %s", contact, res.Status, body)
		}
	}
}

// heads returns the attributes of the elements of a kind in a document's head.
func TestBadge(t *testing.T) {
	score := 87
	good := webtest.Hostile("good", "Weather")
	good.Health.Score, good.Health.Grade = &score, "A"
	unknown := webtest.Hostile("unknown", "Weather")
	unknown.Health.Score, unknown.Health.Grade = nil, ""
	s := sitetest.New(t, []registry.Server{good, unknown})
	for path, want := range map[string]struct {
		status      int
		text, color string
	}{
		"/badge/good.svg":    {200, "A · 87", "#1a7f37"},
		"/badge/unknown.svg": {200, "unknown", "#57606a"},
		"/badge/nobody.svg":  {404, "not listed", "#57606a"},
	} {
		res, body := s.Get(path)
		if res.StatusCode != want.status || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, want.text) || !strings.Contains(body, want.color) {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	s.Page("/badge/good.png", 404)
}

func TestBadge_scores(t *testing.T) {
	servers := webtest.Generated(3)
	servers[0].Health.Score, servers[0].Health.Grade = new(87), "A"
	servers[1].Health.Score, servers[1].Health.Grade = nil, ""
	s := sitetest.New(t, servers)
	for _, c := range []struct {
		slug, text, color string
		svg               int
	}{
		{servers[0].Slug, "A · 87", "#1a7f37", 200}, {servers[1].Slug, "unknown", "#57606a", 200}, {"nobody-nothing", "not listed", "#57606a", 404},
	} {
		res, body := s.Get("/badge/" + c.slug + ".svg")
		if res.StatusCode != c.svg || !strings.Contains(body, ">"+c.text+"<") || !strings.Contains(body, `fill="`+c.color+`"`) {
			t.Errorf("%s: %s\n%s", c.slug, res.Status, body)
		}
		well(t, body)
		if c.color != "#1a7f37" && strings.Contains(body, "#1a7f37") {
			t.Error("green without a score")
		}
		res, body = s.Get("/badge/" + c.slug + ".json")
		var b struct {
			SchemaVersion         int
			Label, Message, Color string
			IsError               bool
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil || res.StatusCode != 200 || b.SchemaVersion != 1 || b.Label != "MCP health" || b.Message != c.text || b.Color != c.color || b.IsError != (c.svg == 404) {
			t.Errorf("%s: %+v %v", c.slug, b, err)
		}
		if res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Etag") == "" {
			t.Errorf("headers %v", res.Header)
		}
	}
	if res, _ := s.Get("/badge/" + servers[0].Slug); res.StatusCode != 404 {
		t.Error(res.Status)
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	servers := webtest.Generated(5)
	servers[1].Name, servers[1].Description = strings.Repeat("Averylongnamewithoutanyspace", 20), strings.Repeat("word ", 500)
	servers[2].Name, servers[2].Description = "模型上下文协议服务器", "连接数据库的服务器"
	servers[3].Health.Score = nil
	servers[4].Name = "\u202e\u0000 "
	s := sitetest.New(t, servers)
	for _, x := range servers {
		res, body := s.Get("/social/" + x.Slug + ".png")
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/png" {
			t.Fatal(x.Slug, res.Status)
		}
		im, err := png.Decode(strings.NewReader(body))
		if err != nil || im.Bounds().Dx() != 1200 || im.Bounds().Dy() != 630 || len(body) > 200<<10 {
			t.Fatal(x.Slug, err, len(body))
		}
		for y := range 630 { // nothing runs over the edge: the ground is at the margins
			if y < 12 {
				continue
			}
			for _, px := range []int{0, 30, 1170, 1199} {
				if r, g, b, _ := im.At(px, y).RGBA(); r>>8 != 0x11 || g>>8 != 0x15 || b>>8 != 0x1c {
					t.Fatalf("%s: something is drawn at %d, %d", x.Slug, px, y)
				}
			}
		}
		if again, _ := s.Get("/social/"+x.Slug+".png", "If-None-Match", res.Header.Get("Etag")); again.StatusCode != 304 {
			t.Errorf("requested again: %s", again.Status)
		}
	}
	for path, status := range map[string]int{"/social/nobody.png": 404, "/social/" + servers[0].Slug: 404, "/social/was-here.png": 410} {
		if res, _ := s.Get(path); res.StatusCode != status {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

// TestPicturesAreKept requests a picture whose kept file was replaced, then damaged.
func TestPicturesAreKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pictures")
	servers := webtest.Generated(1)
	s := sitetest.New(t, servers, func(o *web.Options) { o.Feeds.Folder = dir })
	get := func() string {
		_, body := s.Get("/social/" + servers[0].Slug + ".png")
		return body
	}
	drawn := get()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	kept, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSuffix(string(kept), drawn)
	for content, want := range map[string]string{key + "another": "another", "damaged": drawn} {
		if err := os.WriteFile(files[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if get() != want {
			t.Errorf("of a file that begins with %.10q another picture than %.10q", content, want)
		}
	}
}

// schemaOf is an input schema with a text in all its places.
func TestLLMs(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(3))
	res, body := s.Get("/llms.txt")
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(body, "# Census\n\n> ") || !strings.Contains(body, "registry of 3 MCP") {
		t.Errorf("%s\n%s", res.Status, body)
	}
	for _, want := range []string{"/api/discover", "/servers/SLUG.md", "/feed.atom", "/openapi.json", "/sitemap.xml", "/categories)", "/tags)", "/owners)"} {
		if !strings.Contains(body, "https://census.example"+want) {
			t.Errorf("no %s", want)
		}
	}
}

type toolNews struct{ at time.Time }

func (n toolNews) News(context.Context, []string, time.Time, time.Time, int) ([]registry.News, error) {
	return []registry.News{{Slug: "x", At: n.at, Tools: &registry.ToolsChange{
		From: registry.ToolsFromRun, Version: "1.2 & 3", SameVersion: true,
		Added: []string{"a", "b"}, Changed: []string{"<c>"}}}}, nil
}

func TestFeed_toolChanges(t *testing.T) {
	s := sitetest.New(t, []registry.Server{webtest.Plain("x")}, func(o *web.Options) { o.Feeds.News = toolNews{webtest.Now} })
	feed := s.Text("/feed.atom")
	for _, want := range []string{
		"tools changed (2 added, 1 changed) without a new version</title>", `term="tools"`,
		"servers/x/tools/2026-11-20T12:00:00Z</id>",
		"Added: a, b. Changed: &lt;c&gt;. Listed by running its package in a sandbox, version 1.2 &amp; 3.",
	} {
		if !strings.Contains(feed, want) {
			t.Errorf("the feed lacks %q:\n%s", want, feed)
		}
	}
}
