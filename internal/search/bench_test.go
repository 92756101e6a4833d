package search

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	bquery "github.com/blevesearch/bleve/v2/search/query"
	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// benchServers is 100,000 unless CENSUS_BENCH_SERVERS says otherwise.
func benchServers() int {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

// generated is a feed of made-up servers. How long it takes to make them up is
// reported apart: it is no part of an index's work.
type generated struct {
	n     int
	spent time.Duration
}

func (*generated) Identity(context.Context) (string, error) { return "made up", nil }

func (g *generated) ServersAfter(_ context.Context, seq int64, limit int) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	start := time.Now()
	for i := int(seq); i < g.n && len(servers) < limit; i++ {
		servers = append(servers, generate.Server(i, 1))
	}
	g.spent += time.Since(start)
	return servers, nil, seq + int64(len(servers)), nil
}

// benchWords are different for every i: a made-up word, found in few or many
// servers.
func benchWords(i int) string { return generate.Coined(i * 7 % 20_000) }

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rebuilt builds the index, searching it all the while.
func rebuilt(b *testing.B, idx Index) {
	b.Helper()
	feed := &generated{n: benchServers()}
	// What is searched meanwhile.
	first, _, seq, err := feed.ServersAfter(b.Context(), 0, 1000)
	if err == nil {
		err = idx.Put(b.Context(), first, nil, at(b, idx), seq)
	}
	if err != nil {
		b.Fatal(err)
	}
	feed.spent = 0
	done := make(chan struct{})
	slowest := make(chan time.Duration)
	var answered int
	go func() {
		var most time.Duration
		for {
			select {
			case <-done:
				slowest <- most
				return
			case <-time.After(250 * time.Millisecond):
			}
			start := time.Now()
			if _, err := idx.Search(context.Background(), query.Query{Text: "server", Limit: 20}); err != nil {
				b.Error(err)
			}
			answered++
			most = max(most, time.Since(start))
		}
	}()
	start, cpu := time.Now(), processorTime()
	if err := idx.Rebuild(b.Context(), feed); err != nil {
		b.Fatal(err)
	}
	took, cpu := time.Since(start), processorTime()-cpu
	close(done)
	b.Logf("%d servers indexed in %.1f s (%.1f s of processor time here, making them up included; that alone took %.1f s); %d searches meanwhile, the slowest %v",
		feed.n, took.Seconds(), cpu.Seconds(), feed.spent.Seconds(), answered, <-slowest)
}

// asked is what Bleve itself is asked for a word: the same fields, boosts and
// beginnings, twenty servers and the total.
func asked(word string) *bleve.SearchRequest {
	var any []bquery.Query
	for _, f := range textFields {
		t := bquery.NewTermQuery(word)
		t.SetField(f.name)
		t.SetBoost(boosts[f.name])
		p := bquery.NewPrefixQuery(word)
		p.SetField(f.name)
		p.SetBoost(boosts[f.name] * begun)
		any = append(any, t, p)
	}
	return bleve.NewSearchRequestOptions(bquery.NewDisjunctionQuery(any), 20, 0, false)
}

// commonWords stand in a large part of all generated servers.
var commonWords = []string{"server", "the", "mcp", "mcp server", "ser", "query"}

// BenchmarkBleve compares a search through this package with the same words
// asked of Bleve itself.
func BenchmarkBleve(b *testing.B) {
	idx, err := OpenBleve(b.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer idx.Close()
	rebuilt(b, idx)
	b.Run("direct", func(b *testing.B) {
		for i := range b.N {
			if _, err := idx.index.Search(asked(benchWords(i))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("census", func(b *testing.B) { benchSearch(b, idx) })
	b.Run("misspelt", func(b *testing.B) {
		for i := range b.N {
			w := []byte(benchWords(i))
			w[len(w)-2]++
			if _, err := idx.Search(b.Context(), query.Query{Text: string(w), Limit: 20}); err != nil {
				b.Fatal(err)
			}
		}
	})
	benchCommon(b, idx)
	b.Run("direct common server", func(b *testing.B) {
		for range b.N {
			if _, err := idx.index.Search(asked("server")); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchCommon(b *testing.B, idx Index) {
	for _, word := range commonWords {
		for _, facets := range []bool{false, true} {
			b.Run(fmt.Sprintf("common %s, facets %v", word, facets), func(b *testing.B) {
				for range b.N {
					if _, err := idx.Search(b.Context(), query.Query{Text: word, Limit: 20, Facets: facets}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func benchSearch(b *testing.B, idx Index) {
	for i := range b.N {
		if _, err := idx.Search(b.Context(), query.Query{Text: benchWords(i), Limit: 20}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMeili compares a search through this package with the same words
// asked of Meilisearch over HTTP.
func BenchmarkMeili(b *testing.B) {
	idx := testMeili(b)
	rebuilt(b, idx)
	b.Run("direct", func(b *testing.B) {
		for i := range b.N {
			if _, err := idx.client.Index(idx.uid).SearchWithContext(b.Context(), benchWords(i), &meilisearch.SearchRequest{Limit: 20}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("census", func(b *testing.B) { benchSearch(b, idx) })
	benchCommon(b, idx)
}

// BenchmarkScan goes through servers without READMEs and without what tools
// say of themselves, as the read model has them.
func BenchmarkScan(b *testing.B) {
	servers := make([]registry.Server, benchServers())
	for i := range servers {
		s := generate.Server(i, 1)
		s.Readme, s.Health.Categories, s.Health.Improve, s.Variables = "", nil, nil, nil
		tools := make([]registry.Tool, len(s.Tools))
		for n := range s.Tools {
			tools[n].Name = s.Tools[n].Name
		}
		s.Tools = tools
		servers[i] = s
	}
	idx := &brokenIndex{}
	idx.mode.Store("fail")
	f := &Fallback{Index: idx, Log: slog.New(slog.DiscardHandler), Retry: time.Hour, Servers: func() iter.Seq[Entry] { return entries(servers) }}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	before, start, cpu := heap(), time.Now(), processorTime()
	if _, err := f.Search(b.Context(), query.Query{Text: "server", Limit: 20}); err != nil {
		b.Fatal(err)
	}
	b.Logf("the first search takes %v (%v of processor time), which reads all servers; what it keeps takes %.0f MB", time.Since(start), processorTime()-cpu, heap()-before)
	filters, err := query.ParseFilters([]byte(`{"sdk":["go","python"],"stars":{"gte":10},"license":{"ne":"MIT"}}`))
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range []query.Query{
		{Text: "server"}, {Text: "server", Facets: true}, {Text: "postgres"}, {Text: "postgers"}, {Text: "zzzzzzzz yyyyyyyy"},
		{Text: "lets assistants qeury tables in postgers with words nobody has written"},
		{Text: "server", Filters: filters, Facets: true, Sort: []query.Order{{Field: "name"}}},
		{Facets: true, Sort: []query.Order{{Field: "downloads", Desc: true}}},
	} {
		q.Limit = 20
		b.Run(fmt.Sprintf("%s, %d filters, facets %v", q.Text, len(q.Filters), q.Facets), func(b *testing.B) {
			cpu := processorTime()
			for range b.N {
				if _, err := f.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processorTime()-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
