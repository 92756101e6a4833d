package search

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// benchServers is 100,000 unless CENSUS_BENCH_SERVERS says otherwise.
func benchServers() int {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

// generated is a feed of made-up servers.
type generated int

func (n generated) ServersAfter(_ context.Context, seq int64, limit int) (servers []registry.Server, removed []registry.Change, last int64, err error) {
	for i := int(seq); i < int(n) && len(servers) < limit; i++ {
		servers = append(servers, generate.Server(i, 1))
	}
	return servers, nil, seq + int64(len(servers)), nil
}

// benchWords are different for every i: a made-up word, found in few or many
// servers.
func benchWords(i int) string { return generate.Coined(i * 7 % 20_000) }

func rebuilt(b *testing.B, idx Index) {
	b.Helper()
	start := time.Now()
	if err := idx.Rebuild(b.Context(), generated(benchServers())); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d servers indexed in %.1f s", benchServers(), time.Since(start).Seconds())
}

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
			var any []query.Query
			for _, f := range textFields {
				t := query.NewMatchQuery(benchWords(i))
				t.Analyzer = "standard"
				t.SetField(f.name)
				any = append(any, t)
				p := query.NewPrefixQuery(benchWords(i))
				p.SetField(f.name)
				any = append(any, p)
			}
			if _, err := idx.index.Search(bleve.NewSearchRequestOptions(query.NewDisjunctionQuery(any), 20, 0, false)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("census", func(b *testing.B) { benchSearch(b, idx) })
}

func benchSearch(b *testing.B, idx Index) {
	for i := range b.N {
		if _, err := idx.Search(b.Context(), registry.Query{Text: benchWords(i), Limit: 20}); err != nil {
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
}
