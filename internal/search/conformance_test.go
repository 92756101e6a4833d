package search

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	mrand "math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// engines are what the conformance test holds to the plain scan. The value
// opens an empty index.
var engines = map[string]func(*testing.T) Index{
	"bleve": func(t *testing.T) Index {
		b, err := OpenBleve(t.TempDir(), slog.New(slog.DiscardHandler))
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
		t.Skip("NOT RUN: set CENSUS_TEST_MEILI_URL and CENSUS_TEST_MEILI_KEY to a Meilisearch to test against it")
	}
	m := OpenMeili(url, os.Getenv("CENSUS_TEST_MEILI_KEY"), "test_"+strings.ToLower(rand.Text()[:10]), slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		m.drop(context.Background(), m.uid)
		m.Close()
	})
	return m
}

func forEachEngine(t *testing.T, f func(t *testing.T, idx Index)) {
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		t.Run(name, func(t *testing.T) { f(t, engines[name](t)) })
	}
}

// corpus are generated servers with some peculiar ones among them.
func corpus(n int) []registry.Server {
	var out []registry.Server
	for s := range generate.Servers(n, 42) {
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
	set(4, func(s *registry.Server) { s.Name, s.Description = "C#", "don't e-mail: a_b-c.d/e F# node.js v2.0" })
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

// entry is a server of a read model that keeps all of it.
type entry struct{ server *registry.Server }

func (e entry) Slug() string            { return e.server.Slug }
func (e entry) Seq() int64              { return e.server.Seq }
func (e entry) Server() registry.Server { return *e.server }

func entries(servers []registry.Server) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range servers {
			if !yield(entry{&servers[i]}) {
				return
			}
		}
	}
}

// tableIndex puts servers into a table, so that it can be tested as an index.
type tableIndex struct {
	Index
	servers []registry.Server
	table
}

func newTableIndex() *tableIndex {
	x := &tableIndex{}
	x.entries = func() iter.Seq[Entry] { return entries(x.servers) }
	return x
}

func (*tableIndex) At(context.Context) (Point, error) { return Point{}, nil }

func (x *tableIndex) Put(_ context.Context, servers []registry.Server, removed []string, _ Point, _ int64) error {
	at := map[string]int{}
	for i := range x.servers {
		at[x.servers[i].Slug] = i
	}
	for _, s := range servers {
		if i, ok := at[s.Slug]; ok {
			x.servers[i] = s
		} else {
			x.servers = append(x.servers, s)
		}
	}
	x.servers = slices.DeleteFunc(x.servers, func(s registry.Server) bool { return slices.Contains(removed, s.Slug) })
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read = time.Time{}
	return nil
}

func (x *tableIndex) Search(ctx context.Context, q query.Query) (query.Results, error) {
	return x.search(ctx, q)
}

// forEverySearch is forEachEngine with the table among the engines.
func forEverySearch(t *testing.T, f func(t *testing.T, idx Index)) {
	t.Run("table", func(t *testing.T) { f(t, newTableIndex()) })
	forEachEngine(t, f)
}

var texts = []string{
	"", "postgres", "slack", "query", "que", "server", "mcp server", "the", "q", "qu", "getForecast", "forecast", "getforecast", "getfore",
	"weatherapi", "weather api", "WEATHER", "cafe", "Café", "zurich", "ZÜRICH wetter", "file", "naïve", "naive", "天气", "中国", "天", "日本語",
	"погода", "пого", "МОСКВЕ", "прогноs", "c#", "C++", "don't", "e-mail", "email", "a_b", "node.js", "node.j", "v2.0", "2024", "202",
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

// checkAgainstScan compares an index's answer with the plain scan's: totals,
// facets and, where the order does not depend on relevance, every page; where
// it does, the set of what is found.
func checkAgainstScan(t *testing.T, idx Index, servers []registry.Server, q query.Query) {
	t.Helper()
	ctx := t.Context()
	want, werr := Scan(ctx, all(servers), q)
	got, gerr := idx.Search(ctx, q)
	if (werr == nil) != (gerr == nil) {
		t.Fatalf("%+v: %v, scan says %v", q, gerr, werr)
	}
	if werr != nil {
		return
	}
	if got.Total != want.Total {
		t.Errorf("%+v: total %d, scan says %d\n%v\n%v", q, got.Total, want.Total, got.Slugs, want.Slugs)
		return
	}
	if q.Facets && !reflect.DeepEqual(got.Facets, want.Facets) {
		t.Errorf("%+v: facets %v, scan says %v", q, got.Facets, want.Facets)
	}
	if byRelevance(q.Orders()) {
		if len(got.Slugs) != len(want.Slugs) {
			t.Errorf("%+v: %d on the page, scan says %d", q, len(got.Slugs), len(want.Slugs))
		}
		if want.Total <= q.Limit && q.Offset == 0 && q.After == nil {
			a, b := slices.Sorted(slices.Values(got.Slugs)), slices.Sorted(slices.Values(want.Slugs))
			if !slices.Equal(a, b) {
				t.Errorf("%+v:\n%v, scan says\n%v", q, a, b)
			}
		}
		return
	}
	if !slices.Equal(got.Slugs, want.Slugs) {
		t.Errorf("%+v:\n%v, scan says\n%v", q, got.Slugs, want.Slugs)
	}
	if !reflect.DeepEqual(got.Positions, want.Positions) {
		t.Errorf("%+v: positions\n%v, scan says\n%v", q, got.Positions, want.Positions)
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

func TestIndexMeansWhatTheScanMeans(t *testing.T) {
	servers, random := corpus(500), uint64(150)
	if racing {
		random = 30
	}
	forEverySearch(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, text := range texts {
			checkAgainstScan(t, idx, servers, query.Query{Text: text, Limit: 100, Facets: true})
			checkAgainstScan(t, idx, servers, query.Query{Text: text, Limit: 10, Sort: []query.Order{{Field: "stars", Desc: true}}})
		}
		for _, filters := range filterTable {
			f, err := query.ParseFilters([]byte(filters))
			if err != nil {
				t.Fatal(err)
			}
			checkAgainstScan(t, idx, servers, query.Query{Filters: f, Limit: 100, Facets: true})
			checkAgainstScan(t, idx, servers, query.Query{Text: "query", Filters: f, Limit: 20, Sort: []query.Order{{Field: "name"}}})
		}
		for _, name := range query.SortNames()[1:] {
			for _, desc := range []bool{true, false} {
				checkAgainstScan(t, idx, servers, query.Query{Limit: 100, Offset: 420, Sort: []query.Order{{Field: name, Desc: desc}}})
			}
		}
		for seed := range random {
			checkAgainstScan(t, idx, servers, randomQuery(servers, seed))
		}
	})
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

// randomQuery makes a query from words of the servers, their beginnings and
// their misspellings, with filters, sorts and pages.
func randomQuery(servers []registry.Server, seed uint64) query.Query {
	g := mrand.New(mrand.NewPCG(seed, 99))
	var words []string
	s := &servers[g.IntN(len(servers))]
	for _, text := range []string{s.Name, s.Description, s.Readme} {
		eachWord(text, false, func(w string) { words = append(words, w) })
	}
	var q query.Query
	var picked []string
	if len(words) > 0 {
		for range g.IntN(9) {
			w := words[g.IntN(len(words))]
			if len(w) > 5 && g.IntN(3) == 0 {
				b := []byte(w)
				switch i := 1 + g.IntN(len(b)-2); g.IntN(4) {
				case 0:
					b[i], b[i+1] = b[i+1], b[i]
				case 1:
					b = slices.Delete(b, i, i+1)
				case 2:
					b[i] = 'a' + byte(g.IntN(26))
				case 3:
					b = slices.Insert(b, i, 'a'+byte(g.IntN(26)))
				}
				w = strings.ToValidUTF8(string(b), "")
			}
			picked = append(picked, w)
		}
	}
	q.Text = strings.Join(picked, " ")
	if n := len(q.Text); n > 4 && g.IntN(3) == 0 {
		q.Text = strings.ToValidUTF8(q.Text[:n-2], "")
	}
	for range g.IntN(3) {
		f, err := query.ParseFilters([]byte(filterTable[g.IntN(len(filterTable))]))
		if err != nil {
			panic(err)
		}
		q.Filters = append(q.Filters, f...)
	}
	names := query.SortNames()
	for range g.IntN(3) {
		q.Sort = append(q.Sort, query.Order{Field: names[g.IntN(len(names))], Desc: g.IntN(2) == 0})
	}
	q.Limit = 1 + g.IntN(100)
	if g.IntN(2) == 0 {
		q.Offset = g.IntN(60)
	}
	q.Facets = g.IntN(2) == 0
	return q
}

func TestCursorsReachEveryMatchOnce(t *testing.T) {
	servers := corpus(300)
	forEverySearch(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, text := range []string{"", "query", "server"} {
			for _, sort := range []string{"", "name", "-name", "stars:asc", "downloads", "-created,name", "updated:asc"} {
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
						if len(got) != res.Total {
							t.Errorf("%q by %q: %d of %d", text, sort, len(got), res.Total)
						}
						break
					}
					got = append(got, res.Slugs...)
					q.After = &res.Positions[len(res.Positions)-1]
				}
				once := slices.Compact(slices.Sorted(slices.Values(got)))
				if len(once) != len(got) {
					t.Errorf("%q by %q: %d doubles", text, sort, len(got)-len(once))
				}
				if sort != "" {
					want, err := Scan(t.Context(), all(servers), query.Query{Text: text, Sort: q.Sort, Limit: 100})
					if err != nil || !slices.Equal(got[:min(100, len(got))], want.Slugs) {
						t.Errorf("%q by %q: the pages are out of order", text, sort)
					}
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

// swappingFeed rebuilds the index, from what there was until then, after
// changes were read and before they are put.
type swappingFeed struct {
	memoryFeed
	swap func()
}

func (f *swappingFeed) ServersAfter(ctx context.Context, seq int64, limit int) ([]registry.Server, []registry.Change, int64, error) {
	servers, removed, last, err := f.memoryFeed.ServersAfter(ctx, seq, limit)
	if swap := f.swap; swap != nil && len(servers) > 1 {
		f.swap = nil
		swap()
	}
	return servers, removed, last, err
}

func TestARebuildWhileChangesAreReadLosesNone(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		all := corpus(30)
		feed := &swappingFeed{memoryFeed: memoryFeed{servers: all[:20]}}
		if _, err := CatchUp(t.Context(), feed, idx); err != nil {
			t.Fatal(err)
		}
		feed.servers = all
		feed.swap = func() {
			if err := idx.Rebuild(t.Context(), &memoryFeed{servers: all[:10]}); err != nil {
				t.Error(err)
			}
		}
		if _, err := CatchUp(t.Context(), feed, idx); err != nil || feed.swap != nil {
			t.Fatalf("%v, swapped: %v", err, feed.swap == nil)
		}
		st, err := idx.Stats(t.Context())
		if err != nil || st.Servers != 30 || st.Seq != all[29].Seq {
			t.Errorf("%+v, %v: not all of 30 servers", st, err)
		}
	})
}

func TestSearchesGoOnDuringARebuild(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		feed := &memoryFeed{servers: corpus(400)}
		load(t, idx, feed.servers[:100])
		done := make(chan error, 1)
		go func() { done <- idx.Rebuild(ctx, feed) }()
		seen := map[int]int{}
		for {
			res, err := idx.Search(ctx, query.Query{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			seen[res.Total]++
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				res, err := idx.Search(ctx, query.Query{Limit: 1})
				if err != nil || res.Total != 400 {
					t.Fatalf("%d, %v", res.Total, err)
				}
				delete(seen, 100)
				delete(seen, 400)
				if len(seen) > 0 {
					t.Errorf("half-built indexes were searched: %v", seen)
				}
				return
			default:
			}
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
