package catalog

import (
	"fmt"
	"slices"
	"testing"

	"mcpcensus/internal/registry"
)

func TestAlike(t *testing.T) {
	c := New()
	var servers []registry.Server
	add := func(slug, category string, score int, tags ...string) {
		n := int64(len(servers) + 1)
		servers = append(servers, registry.Server{ID: n, Seq: n, Slug: slug, Category: category, Tags: tags, Health: registry.Health{Score: &score}})
	}
	add("self", "data", 50, "mcp", "weather", "forecast")
	for n := range 20 {
		add(fmt.Sprint("common-", n), "data", 90, "mcp")
	}
	add("rare", "data", 60, "Weather", "mcp")
	add("rarest", "data", 40, "weather", "forecast")
	add("elsewhere", "tools", 99, "weather", "forecast")
	add("lonely", "security", 10)
	if err := c.Apply(servers, nil, 100); err != nil {
		t.Fatal(err)
	}
	v := c.View()
	self, _ := v.Find("self")
	var got []string
	for _, i := range v.Alike(self, 3) {
		got = append(got, i.Slug())
	}
	if want := []string{"rarest", "rare", "common-0"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if lonely, _ := v.Find("lonely"); len(v.Alike(lonely, 3)) != 0 {
		t.Error("a server is like itself")
	}
}
