package search

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

// engines open an empty index of each kind.
var engines = map[string]func(*testing.T) Index{
	"bleve": func(t *testing.T) Index {
		b, err := OpenBleve(t.TempDir(), quiet)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	},
	"meilisearch": func(t *testing.T) Index { return testMeili(t) },
}

// testMeili returns an index of its own in the Meilisearch of the
// environment.
func testMeili(t testing.TB) *Meili {
	url := os.Getenv("CENSUS_TEST_MEILI_URL")
	if url == "" {
		t.Skip("SKIPPED: set CENSUS_TEST_MEILI_URL and CENSUS_TEST_MEILI_KEY to a Meilisearch to test against it")
	}
	m := openMeili(t, url, os.Getenv("CENSUS_TEST_MEILI_KEY"), "test_"+strings.ToLower(rand.Text()[:10]), "")
	t.Cleanup(func() { m.drop(context.Background(), m.uid) })
	return m
}

func openMeili(t testing.TB, url, key, name, embedder string) *Meili {
	m, err := OpenMeili(url, key, name, embedder, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// meiliProgramKey is the key of the Meilisearch that meiliProgram starts.
const meiliProgramKey = "a-key-for-one-test-only"

// meiliProgram returns the address of a Meilisearch of the test's own, and what
// starts and kills it.
func meiliProgram(t *testing.T) (url string, start, stop func()) {
	program := os.Getenv("CENSUS_TEST_MEILI_BIN")
	if program == "" {
		var err error
		if program, err = exec.LookPath("meilisearch"); err != nil {
			t.Skip("SKIPPED: no meilisearch to start; set CENSUS_TEST_MEILI_BIN to the program")
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	dir := t.TempDir()
	var cmd *exec.Cmd
	start = func() {
		cmd = exec.Command(program, "--no-analytics", "--http-addr", address, "--master-key", meiliProgramKey,
			"--db-path", filepath.Join(dir, "db"), "--dump-dir", filepath.Join(dir, "dumps"), "--snapshot-dir", filepath.Join(dir, "snapshots"))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MEILI_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.0/8") // embedders of tests
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	stop = func() {
		if cmd != nil {
			cmd.Process.Kill()
			cmd.Wait()
			cmd = nil
		}
	}
	t.Cleanup(stop)
	return "http://" + address, start, stop
}

var quiet = slog.New(slog.DiscardHandler)

func forEachEngine(t *testing.T, f func(t *testing.T, idx Index)) {
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		t.Run(name, func(t *testing.T) { f(t, engines[name](t)) })
	}
}

// corpus are generated servers with some peculiar ones among them.
func corpus(n int) []registry.Server {
	var out []registry.Server
	for s := range generate.Servers(n, 42) {
		s.Readme = s.Readme[:min(len(s.Readme), 300)] // long texts only cost time
		out = append(out, s)
	}
	set := func(i int, f func(*registry.Server)) { f(&out[i]) }
	set(0, func(s *registry.Server) {
		s.Name, s.Description = "getForecast WeatherAPI", "Café-Wetter für Zürich, naïve ﬁle"
		s.Tools = []registry.Tool{{Name: "getForecastForCity"}, {Name: `odd "name" with \ and 'quotes'`}}
		s.Tags = []string{"Wetter", `a"b`, "2024", "c++", "日本", "x y"}
	})
	set(1, func(s *registry.Server) {
		s.Name, s.Description, s.Readme = "天气预报", "中国天气 MCP 服务器", "Погода в Москве и прогноз"
		s.License, s.Language = "Лицензия", "日本語"
	})
	set(2, func(s *registry.Server) {
		*s = registry.Server{ID: s.ID, Seq: s.Seq, Slug: "bare", Repo: registry.Repository{Owner: "x"}}
	})
	set(3, func(s *registry.Server) {
		s.Name = strings.Repeat("long", 60)
		s.Readme = strings.Repeat("z", 500) + " nul\x00byte \xff\xfe invalid"
		s.Tags = []string{strings.Repeat("t", 400)}
		s.License = "mit"
	})
	set(4, func(s *registry.Server) { s.Name, s.Description = "C#", "don't email: a_b-c.d/e F# node.js v2.0" })
	set(5, func(s *registry.Server) { s.Name = "data base"; s.Readme = "database" })
	set(6, func(s *registry.Server) { s.Name = "database"; s.Tags = []string{"data-base"} })
	set(7, func(s *registry.Server) {
		s.Description = "negative -word \"quoted phrase\" OR AND NOT * ? ~ + : ( ) [ ] { } ^"
	})
	return out
}

func all(servers []registry.Server) iter.Seq[*registry.Server] {
	return func(yield func(*registry.Server) bool) {
		for i := range servers {
			if !yield(&servers[i]) {
				return
			}
		}
	}
}

var searchTexts = []string{
	"", "postgres", "slack", "query", "que", "server", "mcp server", "the", "q", "qu", "getForecast", "forecast", "getforecast", "getfore",
	"weatherapi", "weather api", "WEATHER", "cafe", "Café", "zurich", "ZÜRICH wetter", "file", "naïve", "naive", "天气", "中国", "天", "日本語",
	"погода", "пого", "МОСКВЕ", "прогноs", "c#", "C++", "don't", "email", "email", "a_b", "node.js",
	"node.j", "v2.0", "2024", "202",
	"data base", "database", "data-base", "databse", "\"quoted phrase\"", "-word", "quoted -word", "negative OR word", "*", "???", "   ",
	"postgers", "postgress", "slakc", "slacc", "kubernets", "kuberntees", "xubernetes", "filesytem", "elasticsaerch", "notoin", "tables postgers",
	"postgers tabels", "messages slack", "slack messages", "slack mess", "slack messages channel", "slack messages channels threads",
	"postgres slack", "postgres slack github notion", "postgres zzzzzzzz", "zzzzzzzz", "yyyyyy zzzzzzz xxxxxxx wwwwwww vvvvv",
	"An MCP server for postgres: query tables and schemas.",
	"Model Context Protocol server that lets AI assistants query tables in postgres with words that nobody has written here",
	"the quick brown fox jumps over the lazy dog and queries postgers tabels with great enthusiasm every single day of the week",
	"run install configuration claude api key client tools model context protocol example set file it on by environment",
	"slack slack slack", "slack sla", "sla slack", "a b c d e f g h i j k l m n o p q r s t u v w x y z", strings.Repeat("z", 300),
	strings.Repeat("longlong", 30), strings.Repeat("word ", 400), "nul\x00byte", "\xff\xfe", "byte invalid", "\u200b", "ﬁle", "ＦＩＬＥ", "İstanbul", "straße",
	"datenbank", "datenbankserver", "wettervorhersage", "vorhersage", "vorhersagedienste", "versicherung ", "krankenversicherungskarten", "dampf ", "schifffahrt ", "haltestellen",
	"donaudampfschifffahrtsgesellschaft", "information ", "fahrgast", "veritabani", "veritabanı", "bilgi", "hizli", "hızlı", "rated-limits",
}

// ranking returns all that a text matches, best first.
func ranking(t require, idx Index, text string) []string {
	t.Helper()
	var slugs []string
	for {
		res, err := idx.Search(context.Background(), query.Query{Text: text, Limit: 100, Offset: len(slugs)})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		slugs = append(slugs, res.Slugs...)
		if len(slugs) == res.Total {
			return slugs
		}
		if len(res.Slugs) == 0 || len(slugs) > res.Total {
			t.Fatalf("%q: %d servers on all pages, the total is %d", text, len(slugs), res.Total)
		}
	}
}

// require is what tests and the tests of rapid have in common.
type require interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkQuery compares a page with what the same filters, sort and facets give
// of the servers that the text alone matches.
func checkQuery(t require, idx Index, servers []registry.Server, q query.Query) {
	t.Helper()
	got, err := idx.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	among := servers
	orders := q.Orders()
	if q.Text != "" {
		among = nil
		bySlug := map[string]registry.Server{}
		for _, s := range servers {
			bySlug[s.Slug] = s
		}
		for _, slug := range ranking(t, idx, q.Text) {
			among = append(among, bySlug[slug])
		}
	}
	var want query.Results
	if q.Text != "" && byRelevance(orders) {
		want.Facets = noFacets(&q)
		var match []string
		for i := range among {
			if q.Match(&among[i]) {
				match = append(match, among[i].Slug)
				if q.Facets {
					countFacets(want.Facets, &among[i])
				}
			}
		}
		want.Total = len(match)
		page, from := pageOf(match, &q, func(slug string) string { return slug })
		for i, slug := range page {
			p := query.Position{Keys: make([]any, len(orders)), Slug: slug}
			p.Keys[0] = float64(from + i + 1)
			want.Slugs, want.Positions = append(want.Slugs, slug), append(want.Positions, p)
		}
	} else {
		plain := q
		plain.Text, plain.Sort = "", orders
		if want, err = scan(context.Background(), all(among), plain); err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%+v: (-want +got)\n%s", q, diff)
	}
}

func at(t testing.TB, idx Index) Point {
	t.Helper()
	p, err := idx.At(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t *testing.T, idx Index, servers []registry.Server) {
	t.Helper()
	if err := idx.Put(t.Context(), servers, nil, at(t, idx), servers[len(servers)-1].Seq); err != nil {
		t.Fatal(err)
	}
}

func TestSearch(t *testing.T) {
	servers := corpus(corpusSize(300))
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, text := range searchTexts {
			checkQuery(t, idx, servers, query.Query{Text: text, Limit: 20, Facets: true})
			checkQuery(t, idx, servers, query.Query{Text: text, Limit: 10, Sort: []query.Order{{Field: "stars", Desc: true}}})
		}
		for _, filters := range filterTable {
			f, err := query.ParseFilters([]byte(filters))
			if err != nil {
				t.Fatal(err)
			}
			checkQuery(t, idx, servers, query.Query{Filters: f, Limit: 100, Facets: true})
			checkQuery(t, idx, servers, query.Query{Text: "query database", Filters: f, Limit: 20, Facets: true})
		}
		for _, name := range query.SortNames()[1:] {
			for _, desc := range []bool{true, false} {
				checkQuery(t, idx, servers, query.Query{Limit: 100, Offset: max(0, len(servers)-80), Sort: []query.Order{{Field: name, Desc: desc}}})
			}
		}
	})
}

// corpusSize returns a smaller number under the race detector, which makes
// everything slow.
func corpusSize(n int) int {
	if race.Enabled {
		return n / 4
	}
	return n
}

var filterTable = []string{
	`{}`, `{"category":"database"}`, `{"category":["data","api"]}`, `{"sdk":"js"}`, `{"sdk":{"ne":"typescript"}}`, `{"sdk":{"exists":false}}`,
	`{"license":"MIT"}`, `{"license":"лицензия"}`, `{"license":{"exists":false}}`, `{"language":["日本語","go"]}`, `{"tags":"a\"b"}`, `{"tags":"2024"}`,
	`{"tags":"c++"}`, `{"tags":"wetter"}`, `{"tags":["x y","日本"]}`, `{"tags":{"ne":"mcp"}}`, `{"tags":"x OR y"}`, `{"tags":"\" OR stars > 0 OR tags = \""}`,
	`{"tags":"a\\"}`, `{"tools":"odd \"name\" with \\ and 'quotes'"}`, `{"tools":"getforecastforcity"}`, `{"tools":{"exists":true}}`, `{"owner":"X"}`,
	`{"source":"official-registry"}`, `{"type":"remote"}`, `{"type":["remote","package"]}`, `{"type":{"exists":false}}`, `{"registryType":"pypi"}`,
	`{"transport":"http"}`, `{"transport":{"ne":"stdio"}}`, `{"status":{"ne":"active"}}`, `{"official":true}`, `{"verified":false}`, `{"archived":{"ne":false}}`,
	`{"grade":["A","B"]}`, `{"grade":{"exists":false}}`, `{"minScore":80}`, `{"qualityScore":{"lt":30}}`, `{"qualityScore":{"ne":50}}`, `{"popularity":{"gt":20,"lte":50}}`,
	`{"stars":0}`, `{"stars":{"in":[0,1,2]}}`, `{"stars":{"gt":0.5,"lt":1.5}}`, `{"stars":{"lt":-1}}`, `{"downloads":{"gte":1000}}`, `{"downloads":{"exists":false}}`,
	`{"toolCount":{"gte":10}}`, `{"updatedAt":{"gte":"2026-10-28"}}`, `{"updatedAt":{"exists":false}}`, `{"createdAt":{"lt":"2025-10-01"}}`,
	`{"category":"data","stars":{"gt":2},"sdk":["go","python"],"license":{"ne":"MIT"}}`, `{"stars":1e300}`, `{"stars":{"gte":-1e300}}`,
}

func TestCursors(t *testing.T) {
	servers := corpus(corpusSize(300))
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, text := range []string{"", "query", "query tables"} {
			for _, sort := range []string{"", "-name", "stars:asc", "downloads", "-created,name"} {
				q := query.Query{Text: text, Limit: 17}
				var err error
				if q.Sort, err = query.ParseSort(sort, text != ""); err != nil {
					t.Fatal(err)
				}
				var got []string
				for {
					res, err := idx.Search(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					if len(res.Slugs) == 0 {
						if len(got) != res.Total || len(got) == 0 {
							t.Errorf("%q by %q: %d of %d", text, sort, len(got), res.Total)
						}
						break
					}
					got = append(got, res.Slugs...)
					q.After = &res.Positions[len(res.Positions)-1]
				}
				if once := slices.Compact(slices.Sorted(slices.Values(got))); len(once) != len(got) {
					t.Errorf("%q by %q: %d duplicates", text, sort, len(got)-len(once))
				}
			}
		}
	})
}

// memoryFeed serves servers as a store does.
type memoryFeed struct {
	servers []registry.Server
	removed []registry.Change
	reads   int
	name    string
}

func (f *memoryFeed) Identity(context.Context) (string, error) { return f.name, nil }

func (f *memoryFeed) ServersAfter(_ context.Context, seq int64, limit int) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	f.reads++
	type entry struct {
		seq     int64
		server  *registry.Server
		removed *registry.Change
	}
	var entries []entry
	for i := range f.servers {
		if f.servers[i].Seq > seq {
			entries = append(entries, entry{f.servers[i].Seq, &f.servers[i], nil})
		}
	}
	for i := range f.removed {
		if f.removed[i].Seq > seq {
			entries = append(entries, entry{f.removed[i].Seq, nil, &f.removed[i]})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return int(a.seq - b.seq) })
	last = seq
	for _, e := range entries[:min(limit, len(entries))] {
		last = e.seq
		if e.server != nil {
			servers = append(servers, *e.server)
		} else {
			removed = append(removed, *e.removed)
		}
	}
	return servers, removed, last, nil
}

func (f *memoryFeed) remove(slug string) {
	last := int64(0)
	for _, s := range f.servers {
		last = max(last, s.Seq)
	}
	for _, c := range f.removed {
		last = max(last, c.Seq)
	}
	f.servers = slices.DeleteFunc(f.servers, func(s registry.Server) bool { return s.Slug == slug })
	f.removed = append(f.removed, registry.Change{Seq: last + 1, Slug: slug, Deleted: true})
}

func TestCatchUp(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		ctx := t.Context()
		feed := &memoryFeed{servers: corpus(120)}
		catchUp := func(want int) {
			t.Helper()
			n, err := CatchUp(ctx, feed, idx)
			if err != nil || n != want {
				t.Fatalf("%d changes, %v; want %d", n, err, want)
			}
		}
		total := func(text string) int {
			t.Helper()
			res, err := idx.Search(ctx, query.Query{Text: text, Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			return res.Total
		}
		if n, err := CatchUp(ctx, &memoryFeed{}, idx); n != 0 || err != nil {
			t.Fatalf("nothing to do: %d, %v", n, err)
		}
		catchUp(120) // from empty
		catchUp(0)
		if n := total(""); n != 120 {
			t.Fatalf("%d servers", n)
		}
		feed.servers[9].Description = "unheardof"
		feed.servers[9].Seq = 121
		feed.remove(feed.servers[20].Slug)
		catchUp(2)
		if n := total(""); n != 119 {
			t.Errorf("%d servers after one was removed", n)
		}
		if n := total("unheardof"); n != 1 {
			t.Errorf("%d servers have the new word", n)
		}
		st, err := idx.Stats(ctx)
		if err != nil || st.Servers != 119 || st.Seq != 122 {
			t.Errorf("%+v, %v", st, err)
		}
		// Another database: its numbers end before the index's.
		feed = &memoryFeed{servers: corpus(30)}
		catchUp(30)
		if n := total(""); n != 30 {
			t.Errorf("%d servers of another database", n)
		}
		// And one whose numbers go on behind the index's.
		feed = &memoryFeed{servers: corpus(90), name: "another"}
		catchUp(90)
		if n := total(""); n != 90 {
			t.Errorf("%d servers of a larger database", n)
		}
	})
}

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("CENSUS_TEST_MEILI_URL") == "" {
		fmt.Fprintln(os.Stderr, "search: CENSUS_TEST_MEILI_URL is not set: the Meilisearch half of the conformance test did not run")
	}
	os.Exit(code)
}
