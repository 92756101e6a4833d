package catalog

import (
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

func TestRank(t *testing.T) {
	race.Skip(t)
	c := New()
	var servers []registry.Server
	for s := range generate.Servers(300, 3) {
		servers = append(servers, s)
	}
	if err := c.Apply(servers, nil, servers[299].Seq); err != nil {
		t.Fatal(err)
	}
	v := c.View()
	all := v.List("", ByPopularity, -1)
	in := map[string]int{}
	for n := range all.Total() {
		i := all.At(n)
		in[i.Category()]++
		if o, k := v.Rank(i, ByPopularity); o != n+1 || k != in[i.Category()] {
			t.Fatalf("%s is ranked %d and %d, and stands at %d and %d", i.Slug(), o, k, n+1, in[i.Category()])
		}
	}
}
