package search

import (
	"context"
	"iter"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// benchServers returns CENSUS_BENCH_SERVERS, by default 100,000.
func benchServers() int {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

// generated is a feed of made-up servers. The time to generate them is reported separately: it
// is not part of an index's work.
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

// processorTime returns the processor time of this process.
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
	// Searches during the rebuild.
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
			if _, err := idx.Match(context.Background(), "server"); err != nil {
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
	b.Logf("%d servers indexed in %.1f s (%.1f s of processor time here, making them up included; that alone took %.1f s); %d searches during it, the slowest %v",
		feed.n, took.Seconds(), cpu.Seconds(), feed.spent.Seconds(), answered, <-slowest)
}

// commonWords are in a large part of all generated servers.
var commonWords = []string{"server", "the", "mcp", "mcp server", "ser", "query"}

func BenchmarkBleve(b *testing.B) {
	idx, err := OpenBleve(b.TempDir(), quiet)
	if err != nil {
		b.Fatal(err)
	}
	defer idx.Close()
	rebuilt(b, idx)
	benchSearch(b, idx)
}

func BenchmarkMeili(b *testing.B) {
	idx := testMeili(b)
	rebuilt(b, idx)
	benchSearch(b, idx)
}

// sentences are searches as agents write them.
var sentences = []string{
	"I need to query tables in postgres", "send messages to a slack channel", "read and write files on my computer",
}

// benchSearch searches for words that few servers have, for misspelt ones, for
// words that many have, and for sentences.
func benchSearch(b *testing.B, idx Index) {
	b.Run("word", func(b *testing.B) {
		for i := range b.N {
			benchText(b, idx.Match, benchWords(i))
		}
	})
	b.Run("misspelt", func(b *testing.B) {
		for i := range b.N {
			w := []byte(benchWords(i))
			w[len(w)-2]++
			benchText(b, idx.Match, string(w))
		}
	})
	for _, text := range slices.Concat(commonWords, sentences) {
		b.Run(text, func(b *testing.B) {
			for range b.N {
				benchText(b, idx.Match, text)
			}
		})
	}
}

func benchText[T any](b *testing.B, match func(context.Context, string) (T, error), text string) {
	if _, err := match(b.Context(), text); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkScan scans servers in the catalog's form.
func BenchmarkScan(b *testing.B) {
	servers := make([]registry.Server, benchServers())
	for i := range servers {
		servers[i] = generate.Server(i, 1)
	}
	cat := catalog.New()
	if err := cat.Apply(servers, nil, 1); err != nil {
		b.Fatal(err)
	}
	servers = nil
	idx := &brokenIndex{}
	idx.mode.Store("fail")
	f := &Fallback{Index: idx, Log: quiet, Retry: time.Hour,
		Servers: func() iter.Seq[*registry.Server] { return cat.View().Texts() }}
	for _, text := range []string{"server", "postgres", "I need to query tables in postgres"} {
		b.Run(text, func(b *testing.B) {
			for range b.N {
				benchText(b, f.Match, text)
			}
		})
	}
}
