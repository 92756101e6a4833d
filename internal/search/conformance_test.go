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

// testMeili returns a new index in the Meilisearch of the environment.
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

// meiliProgram returns the URL of a new Meilisearch, and functions that start and kill it.
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

// match returns the matches of a text.
func match(t testing.TB, idx Index, text string) []string {
	t.Helper()
	m, err := idx.Match(t.Context(), text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m.Slugs
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

func TestMatch(t *testing.T) {
	servers := corpus(corpusSize(300))
	listed := map[string]bool{}
	for _, s := range servers {
		listed[s.Slug] = true
	}
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, text := range searchTexts {
			slugs := match(t, idx, text)
			if diff := cmp.Diff(slugs, match(t, idx, text)); diff != "" {
				t.Errorf("%q, the second time: (-want +got)\n%s", text, diff)
			}
			seen := map[string]bool{}
			for _, slug := range slugs {
				if seen[slug] || !listed[slug] {
					t.Errorf("%q: %s comes twice or is not a server", text, slug)
				}
				seen[slug] = true
			}
		}
	})
}

// A text matches the best servers only if it matches too many.
func TestMaxMatches(t *testing.T) {
	const most, n = 200, 220
	servers := make([]registry.Server, n)
	best := map[string]bool{}
	for i := range servers {
		quality := i % 101
		servers[i] = registry.Server{ID: int64(i + 1), Seq: int64(i + 1), Slug: fmt.Sprintf("s%05d", i), Name: "everywhere", Health: registry.Health{Score: &quality}}
		if quality > 10 {
			best[servers[i].Slug] = true
		}
	}
	forEachEngine(t, func(t *testing.T, idx Index) {
		var limit *int
		switch idx := idx.(type) {
		case *Bleve:
			limit = &idx.most
		case *Meili:
			limit = &idx.most
		}
		if *limit != query.MaxMatches {
			t.Errorf("%d matches at most, want %d", *limit, query.MaxMatches)
		}
		*limit = most
		load(t, idx, servers)
		slugs := match(t, idx, "everywhere ")
		if len(slugs) != most {
			t.Errorf("%d matches", len(slugs))
		}
		for n, slug := range slugs[:len(best)] {
			if !best[slug] {
				t.Fatalf("%s is the %dth", slug, n)
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
		size := func() int {
			t.Helper()
			st, err := idx.Stats(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return st.Servers
		}
		total := func(text string) int {
			t.Helper()
			return len(match(t, idx, text))
		}
		if n, err := CatchUp(ctx, &memoryFeed{}, idx); n != 0 || err != nil {
			t.Fatalf("nothing to do: %d, %v", n, err)
		}
		catchUp(120) // from empty
		catchUp(0)
		if n := size(); n != 120 {
			t.Fatalf("%d servers", n)
		}
		feed.servers[9].Description = "unheardof"
		feed.servers[9].Seq = 121
		feed.remove(feed.servers[20].Slug)
		catchUp(2)
		if n := size(); n != 119 {
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
		if n := size(); n != 30 {
			t.Errorf("%d servers of another database", n)
		}
		// And one whose numbers go on behind the index's.
		feed = &memoryFeed{servers: corpus(90), name: "another"}
		catchUp(90)
		if n := size(); n != 90 {
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

// TestMatch_groups checks that servers that match all words come first, and that misspelt words of
// short texts are corrected.
func TestMatch_groups(t *testing.T) {
	var servers []registry.Server
	add := func(name, description, readme string) {
		n := int64(len(servers) + 1)
		servers = append(servers, registry.Server{ID: n, Seq: n, Slug: name, Name: name, Description: description, Readme: readme})
	}
	add("sentinel", "Error monitoring of production", "")
	add("translator", "Translates texts", "error monitoring error monitoring error monitoring")
	add("postgres", "Queries postgres databases", "")
	for n := range 40 {
		add(fmt.Sprint("other-", n), "Reads files", "error logs and reads")
	}
	idx := engines["bleve"](t)
	load(t, idx, servers)
	for text, want := range map[string]query.Matches{
		"error monitoring": {Slugs: []string{"sentinel"}, All: 1},
		"postgress":        {Slugs: []string{"postgres"}, All: 1, Corrected: "postgres"},
		"reads postgres":   {Slugs: []string{"postgres"}, All: 1},
	} {
		m, err := idx.Match(t.Context(), text)
		if err != nil || m.All != want.All || m.Corrected != want.Corrected || m.Slugs[0] != want.Slugs[0] {
			t.Errorf("%s: %+v, %v, want %+v", text, m, err, want)
		}
	}
}
