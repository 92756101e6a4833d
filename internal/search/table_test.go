package search

import (
	"fmt"
	"testing"
	"time"

	"mcpcensus/internal/query"
)

// Servers are changed, added and removed, round after round.
func TestATableKeepsUp(t *testing.T) {
	x := newTableIndex()
	servers := corpus(300)
	x.servers = servers[:200]
	texts := []string{"query", "database", "databse", "slack messages channel that nobody wrote of here", "churned", "ser"}
	for round := range 12 {
		for i := range 40 {
			s := &x.servers[(round*37+i*3)%len(x.servers)]
			s.Seq = int64(1000 + round*100 + i)
			s.Description = fmt.Sprintf("churned in round%d as number%d", round, i)
			s.Tags = []string{fmt.Sprint("tag", round, i), "Same"}
		}
		if n := len(x.servers); round%2 == 0 {
			x.servers = x.servers[:n-7]
		} else {
			x.servers = servers[:n+11]
		}
		// Numbers given anew must not change an answer.
		for _, s := range x.shards {
			if round%4 == 3 {
				s.renumber()
			}
		}
		x.mu.Lock()
		x.read = time.Time{}
		x.mu.Unlock()
		for _, text := range texts {
			checkAgainstScan(t, x, x.servers, query.Query{Text: text, Limit: 100, Facets: true})
			checkAgainstScan(t, x, x.servers, query.Query{Text: text, Limit: 100, Sort: []query.Order{{Field: "name"}}})
		}
		checkAgainstScan(t, x, x.servers, query.Query{Limit: 50, Facets: true, Filters: []query.Filter{{Field: "tags", Op: query.OpEq, Values: []any{"SAME"}}}})
	}
	for _, s := range x.shards {
		have := map[uint32]int32{}
		for _, r := range s.rows {
			for _, w := range r.words {
				have[w]++
			}
		}
		for w, n := range s.having {
			if n.anywhere != have[uint32(w)] {
				t.Fatalf("%q stands in %d servers, counted as %d", s.spelling[w], have[uint32(w)], n.anywhere)
			}
		}
	}
}
