package catalog

import (
	"fmt"
	"testing"

	"mcpcensus/internal/registry"
)

func TestLighter(t *testing.T) {
	c := New()
	server := func(slug, category string, tokens int) registry.Server {
		s := registry.Server{ID: int64(tokens + 2), Seq: 1, Slug: slug, Category: category}
		if tokens >= 0 {
			s.ToolTokens = &tokens
		}
		return s
	}
	servers := []registry.Server{
		server("a", "data", 10), server("b", "data", 20), server("c", "data", 20),
		server("d", "data", 4000), server("unknown", "data", -1), server("other", "search", 1),
	}
	for i := range servers {
		servers[i].Seq = int64(i + 1)
	}
	if err := c.Apply(servers, nil, 9); err != nil {
		t.Fatal(err)
	}
	for slug, want := range map[string]string{
		"a": "0 of 3", "b": "1 of 3", "c": "1 of 3", "d": "3 of 3", "unknown": "0 of 0", "other": "0 of 0",
	} {
		i, _ := c.View().Find(slug)
		lighter, of := c.View().Lighter(i)
		if got := fmt.Sprintf("%d of %d", lighter, of); got != want {
			t.Errorf("%s: %s, want %s", slug, got, want)
		}
	}
}
