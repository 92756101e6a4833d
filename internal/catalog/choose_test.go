package catalog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// TestSelectMeansWhatAScanMeans holds choices to a scan with plain conditions,
// over versions in which servers come, change and go.
func TestSelectMeansWhatAScanMeans(t *testing.T) {
	c := New(func(*registry.Server, bool) (Record, error) {
		return Record{[]byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")}, nil
	})
	servers := map[string]registry.Server{}
	g := rand.New(rand.NewPCG(1, 2))
	seq := int64(0)
	for round := range 6 {
		var put []registry.Server
		for range 200 {
			s := generate.Server(g.IntN(400), uint64(round%2+1))
			if s.Status == registry.StatusDeleted {
				continue
			}
			seq++
			s.Seq = seq
			put = append(put, s)
			servers[s.Slug] = s
		}
		var removed []registry.Change
		for slug := range servers {
			if g.IntN(5) == 0 {
				seq++
				removed = append(removed, registry.Change{Seq: seq, Slug: slug, Deleted: true})
				delete(servers, slug)
			}
		}
		if err := c.Apply(put, removed, seq); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			some := func(all []string) (out []string) {
				if g.IntN(3) == 0 {
					for range 1 + g.IntN(2) {
						out = append(out, all[g.IntN(len(all))])
					}
				}
				return out
			}
			choice := Choice{
				Categories: some(registry.Categories), SDKs: some(registry.SDKs), Transports: some(registry.Transports),
				Licenses: some([]string{"MIT", "apache-2.0", "nobody has this"}), Grades: some(registry.Grades),
				Package: g.IntN(4) == 0, Remote: g.IntN(4) == 0,
			}
			order := Sort(g.IntN(sorts))
			list, counts := c.View().Select(choice, order)
			wanted, want := scan(servers, choice)
			var got []string
			for i := range list.Total() {
				got = append(got, list.At(i).Slug())
			}
			slices.Sort(got)
			if !slices.Equal(got, wanted) {
				t.Fatalf("%+v: %d servers, want %d", choice, len(got), len(wanted))
			}
			if fmt.Sprint(counts) != fmt.Sprint(want) {
				t.Fatalf("%+v: counts\n%v, want\n%v", choice, counts, want)
			}
			for i := 1; i < list.Total(); i++ {
				if compare(order, list.At(i-1), list.At(i)) >= 0 {
					t.Fatal("not in order")
				}
			}
		}
	}
}

// scan says what Select says, one condition after the other.
func scan(servers map[string]registry.Server, c Choice) (slugs []string, counts map[string]map[string]int) {
	counts = map[string]map[string]int{}
	one := func(v string) []string {
		if v == "" {
			return nil
		}
		return []string{v}
	}
	for _, facet := range []string{"category", "sdk", "transport", "license", "grade", "type"} {
		counts[facet] = map[string]int{}
	}
	for _, s := range servers {
		grade := ""
		if s.Health.Score != nil {
			grade = registry.GradeOf(*s.Health.Score)
		}
		has := map[string][]string{"category": one(s.Category), "sdk": one(s.SDK), "transport": s.Transports, "license": one(s.License), "grade": one(grade)}
		fits := map[string]bool{}
		for facet, want := range map[string][]string{"category": c.Categories, "sdk": c.SDKs, "transport": c.Transports, "license": c.Licenses, "grade": c.Grades} {
			fits[facet] = len(want) == 0 || slices.ContainsFunc(has[facet], func(v string) bool {
				return slices.ContainsFunc(want, func(w string) bool { return strings.EqualFold(w, v) })
			})
		}
		fits[query.TypePackage] = !c.Package || len(s.Packages) > 0
		fits[query.TypeRemote] = !c.Remote || len(s.Remotes) > 0
		but := func(facet string) bool {
			for f, ok := range fits {
				if f != facet && !ok {
					return false
				}
			}
			return true
		}
		if but("") {
			slugs = append(slugs, s.Slug)
		}
		for facet, values := range has {
			for _, v := range values {
				if but(facet) {
					counts[facet][v]++
				}
			}
		}
		if len(s.Packages) > 0 && but(query.TypePackage) {
			counts["type"][query.TypePackage]++
		}
		if len(s.Remotes) > 0 && but(query.TypeRemote) {
			counts["type"][query.TypeRemote]++
		}
	}
	slices.Sort(slugs)
	return slugs, counts
}

func BenchmarkSelect(b *testing.B) {
	c := New(func(*registry.Server, bool) (Record, error) {
		return Record{[]byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")}, nil
	})
	if err := c.Apply(slices.Collect(maps.Values(byID(100_000))), nil, 100_000); err != nil {
		b.Fatal(err)
	}
	v := c.View()
	for b.Loop() {
		v.chosen = nil
		v.Select(Choice{Categories: []string{"data"}, SDKs: []string{"go", "python"}}, ByStars)
	}
}

func byID(n int) map[int64]registry.Server {
	all := map[int64]registry.Server{}
	for s := range generate.Servers(n, 3) {
		all[s.ID] = s
	}
	return all
}

func TestAlikeServersShareRareTags(t *testing.T) {
	c := New(func(*registry.Server, bool) (Record, error) {
		return Record{[]byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")}, nil
	})
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
