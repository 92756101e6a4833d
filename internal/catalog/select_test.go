package catalog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

// TestSelect compares choices with a scan with plain conditions, over versions in which
// servers are added, changed and removed.
func TestSelect(t *testing.T) {
	c := New()
	servers := map[string]registry.Server{}
	g := rand.New(rand.NewPCG(1, 2))
	seq := int64(0)
	for round := range 6 {
		var put []registry.Server
		for range 70 {
			s := generate.Server(g.IntN(140), uint64(round%2+1))
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
				Livenesses: some(registry.Livenesses), Effects: some(registry.Effects), Package: g.IntN(4) == 0, Remote: g.IntN(4) == 0,
			}
			order := Sorts[g.IntN(len(Sorts))]
			list, counts := c.View().Select(choice, order)
			wanted, want := scanned(servers, choice)
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
				a, b := list.At(i-1), list.At(i)
				if b.Active() && !a.Active() {
					t.Fatalf("%s is behind %s, which is inactive", b.Slug(), a.Slug())
				}
				if a.Active() == b.Active() && order.compare(a, b) >= 0 {
					t.Fatal("not in order")
				}
			}
		}
	}
}

// scanned computes Select with one condition after the other.
func scanned(servers map[string]registry.Server, c Choice) (slugs []string, counts map[string]map[string]int) {
	counts = map[string]map[string]int{}
	one := func(v string) []string {
		if v == "" {
			return nil
		}
		return []string{v}
	}
	for _, facet := range []string{"category", "sdk", "transport", "license", "grade", "liveness", "effect", "type"} {
		counts[facet] = map[string]int{}
	}
	for _, s := range servers {
		grade := ""
		if s.Health.Score != nil {
			grade = registry.GradeOf(*s.Health.Score)
		}
		has := map[string][]string{"category": one(s.Category), "sdk": one(s.SDK), "transport": s.Transports, "license": one(s.License), "grade": one(grade), "liveness": one(s.Liveness), "effect": one(s.Effect())}
		fits := map[string]bool{}
		for facet, want := range map[string][]string{"category": c.Categories, "sdk": c.SDKs, "transport": c.Transports, "license": c.Licenses, "grade": c.Grades, "liveness": c.Livenesses, "effect": c.Effects} {
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

// TestSearch compares queries without words with the meaning of filters, orders and facets,
// over versions in which servers are added, changed and removed.
func TestSearch(t *testing.T) {
	race.Skip(t)
	c := New()
	servers := map[string]registry.Server{}
	g := rand.New(rand.NewPCG(3, 4))
	seq := int64(0)
	queries, empty := 0, 0
	for round := range 5 {
		var put []registry.Server
		for range 70 {
			s := generate.Server(g.IntN(140), uint64(round%2+1))
			if s.Status == registry.StatusDeleted {
				continue
			}
			switch g.IntN(12) { // fields that made-up servers do not have
			case 0:
				s.Tags = append(slices.Clone(s.Tags), "Mixed Case", "mixed case")
				for n := range 24 {
					s.Tags = append(s.Tags, fmt.Sprint("tag-", n))
				}
			case 1:
				s.Tags, s.Language, s.Framework, s.License, s.Name, s.Sources, s.Packages = nil, "", "", "", "", nil, nil
				s.Stars, s.Downloads, s.ToolCount, s.Health.Score, s.Health.Grade, s.Popularity.Score = nil, nil, nil, nil, "", nil
				s.CreatedAt, s.UpdatedAt = time.Time{}, time.Time{}
			case 2:
				s.License, s.Repo.Owner, s.Status = "mit", "Ünïcode", registry.StatusArchived
				s.Sources = []registry.Discovery{{Name: "github"}, {Name: "a list"}, {Name: "a list"}}
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
		all := slices.Collect(maps.Values(servers))
		values := map[string]*query.Values{}
		for i := range all {
			values[all[i].Slug] = query.ValuesOf(&all[i])
		}
		for range 60 {
			q := query.Query{Limit: 1 + g.IntN(30), Facets: g.IntN(2) == 0}
			for range g.IntN(4) {
				q.Filters = append(q.Filters, someFilter(g, all))
			}
			for _, n := range g.Perm(len(Sorts))[:g.IntN(4)] {
				q.Sort = append(q.Sort, query.Order{Field: Sorts[n].String(), Desc: g.IntN(2) == 0})
			}
			orders := q.Orders()
			match, compare := query.Matcher(q.Filters), query.Comparer(orders)
			var want []*registry.Server
			for i := range all {
				if match(&all[i]) {
					want = append(want, &all[i])
				}
			}
			slices.SortFunc(want, func(a, b *registry.Server) int {
				return compare(values[a.Slug], values[b.Slug])
			})
			switch n := len(want); g.IntN(3) {
			case 0:
				q.Offset = g.IntN(n + 5)
			case 1:
				if n > 0 { // a server of the listing, or one that is none of it
					from := want[g.IntN(n)]
					if g.IntN(3) == 0 {
						from = &all[g.IntN(len(all))]
					}
					p := values[from.Slug].Position(orders)
					q.After = &p
				}
			}
			got, before := c.View().Search(q, nil)
			queries++
			from := min(q.Offset, len(want))
			if q.After != nil {
				for from = 0; from < len(want) && query.ComparePositions(values[want[from].Slug].Position(orders), *q.After, orders) <= 0; from++ {
				}
			}
			if got.Total != len(want) || before != from {
				t.Fatalf("%+v: %d servers from %d, want %d from %d", q, got.Total, before, len(want), from)
			}
			page := want[from:min(len(want), from+q.Limit)]
			if len(page) == 0 {
				empty++
			}
			if len(got.Slugs) != len(page) || len(got.Positions) != len(page) {
				t.Fatalf("%+v: %d on the page, want %d", q, len(got.Slugs), len(page))
			}
			for n := range page {
				if p := values[page[n].Slug].Position(orders); got.Slugs[n] != page[n].Slug || fmt.Sprint(got.Positions[n]) != fmt.Sprint(p) {
					t.Fatalf("%+v: place %d is %s at %v, want %s at %v", q, n, got.Slugs[n], got.Positions[n], page[n].Slug, p)
				}
			}
			if !q.Facets {
				continue
			}
			facets := facetsOf(want)
			if fmt.Sprint(got.Facets) != fmt.Sprint(facets) {
				t.Fatalf("%+v: facets\n%v, want\n%v", q, got.Facets, facets)
			}
		}
	}
	if queries < 300 || empty > queries*2/3 {
		t.Errorf("%d of %d queries have no results", empty, queries)
	}
}

func TestSearch_text(t *testing.T) {
	c := New()
	servers := slices.Collect(generate.Servers(200, 3))
	if err := c.Apply(servers, nil, 200); err != nil {
		t.Fatal(err)
	}
	v := c.View()
	var matches, local []string
	for n := range 90 {
		s := &servers[(n*7)%200]
		if matches = append(matches, s.Slug); slices.Contains(s.Transports, "stdio") {
			local = append(local, s.Slug)
		}
	}
	matches = append(matches[:40], append([]string{"not-listed"}, matches[40:]...)...)
	q := query.Query{Text: "words", Limit: 7, Facets: true,
		Filters: []query.Filter{query.Equal("transport", "stdio")}}
	t.Run("pages", func(t *testing.T) {
		var got []string
		q := q
		for {
			res, from := v.Search(q, matches)
			if from != len(got) || res.Total != len(local) || res.Facets["transport"]["stdio"] != len(local) {
				t.Fatalf("%+v from %d", res, from)
			}
			if got = append(got, res.Slugs...); len(res.Slugs) == 0 {
				break
			}
			q.After = &res.Positions[len(res.Positions)-1]
		}
		if diff := cmp.Diff(local, got); diff != "" || len(local) < 8 {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("cursor of a removed server", func(t *testing.T) {
		q := q
		q.After = &query.Position{Keys: []any{float64(3), nil, nil, nil}, Slug: "removed"}
		if res, from := v.Search(q, matches); from != 3 || res.Slugs[0] != local[3] {
			t.Errorf("%v from %d", res.Slugs, from)
		}
	})
	t.Run("sort by a field", func(t *testing.T) {
		q := q
		q.Sort = []query.Order{{Field: "stars", Desc: true}}
		res, _ := v.Search(q, matches)
		all := v.Query(query.Query{Filters: q.Filters, Sort: q.Sort}, nil)
		var want []string
		for n := range all.Total() {
			if slug := all.At(n).Slug(); slices.Contains(local, slug) && len(want) < q.Limit {
				want = append(want, slug)
			}
		}
		if diff := cmp.Diff(want, res.Slugs); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("no matches", func(t *testing.T) {
		if res, _ := v.Search(q, nil); res.Total != 0 || res.Facets["transport"] == nil {
			t.Errorf("%+v", res)
		}
	})
}

// someFilter draws a filter whose values some server has, mostly.
func someFilter(g *rand.Rand, all []registry.Server) query.Filter {
	var fields []query.Field
	for _, f := range query.Fields {
		if f.Filter {
			fields = append(fields, f)
		}
	}
	field := fields[g.IntN(len(fields))]
	ops := []query.Op{query.OpEq, query.OpNe, query.OpIn, query.OpExists}
	switch field.Kind {
	case query.Bool:
		ops = []query.Op{query.OpEq, query.OpNe, query.OpExists}
	case query.Number, query.Time:
		ops = append(ops, query.OpGt, query.OpGte, query.OpLt, query.OpLte)
	}
	f := query.Filter{Field: field.Name, Op: ops[g.IntN(len(ops))]}
	if f.Op == query.OpExists {
		f.Values = []any{g.IntN(2) == 0}
		return f
	}
	n := 1
	if f.Op == query.OpIn {
		n += g.IntN(3)
	}
	for range n {
		s := &all[g.IntN(len(all))]
		switch field.Kind {
		case query.Text:
			values := append(field.Texts(s), "nobody has this")
			f.Values = append(f.Values, values[g.IntN(len(values))])
		case query.Bool:
			f.Values = append(f.Values, g.IntN(2) == 0)
		case query.Time:
			f.Values = append(f.Values, s.UpdatedAt.Add(time.Duration(g.IntN(3)-1)*time.Microsecond))
		default:
			n, _ := field.Num(s)
			f.Values = append(f.Values, n+float64(g.IntN(3)-1)/2)
		}
	}
	return f
}

func BenchmarkSelect(b *testing.B) {
	c := New()
	if err := c.Apply(slices.Collect(maps.Values(byID(100_000))), nil, 100_000); err != nil {
		b.Fatal(err)
	}
	v := c.View()
	for b.Loop() {
		v.selections.Purge()
		v.Select(Choice{Categories: []string{"data"}, SDKs: []string{"go", "python"}}, ByStars)
	}
}

func BenchmarkSearch(b *testing.B) {
	c := New()
	if err := c.Apply(slices.Collect(maps.Values(byID(100_000))), nil, 100_000); err != nil {
		b.Fatal(err)
	}
	v := c.View()
	for name, q := range map[string]query.Query{
		"category": {Filters: []query.Filter{{Field: "category", Op: query.OpEq, Values: []any{"data"}}}},
		"stars":    {Filters: []query.Filter{{Field: "stars", Op: query.OpGte, Values: []any{10.0}}}},
		"owner":    {Filters: []query.Filter{{Field: "owner", Op: query.OpNe, Values: []any{"nobody"}}}},
		"sorted":   {Sort: []query.Order{{Field: "qualityScore"}, {Field: "name"}}},
	} {
		q.Limit, q.Facets = 20, true
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				v.selections.Purge()
				v.Search(q, nil)
			}
		})
	}
}

func byID(n int) map[int64]registry.Server {
	all := map[int64]registry.Server{}
	for s := range generate.Servers(n, 3) {
		all[s.ID] = s
	}
	return all
}

// The API sorts by the field alone; on pages inactive servers are last.
func TestSearch_inactive(t *testing.T) {
	few, many := 10, 20
	old, current := generate.Server(1, 1), generate.Server(2, 1)
	old.Slug, old.Status, old.Copy, old.Stars, old.Health.Score, old.Seq = "old", registry.StatusDeprecated, nil, &many, &many, 1
	current.Slug, current.Status, current.Copy, current.Stars, current.Health.Score, current.Seq =
		"current", registry.StatusActive, nil, &few, &few, 2
	c := New()
	if err := c.Apply([]registry.Server{old, current}, nil, 2); err != nil {
		t.Fatal(err)
	}
	view := c.View()
	for _, field := range []string{"qualityScore", "stars"} {
		res, _ := view.Search(query.Query{Limit: 2, Sort: []query.Order{{Field: field, Desc: true}}}, nil)
		if want := []string{"old", "current"}; !slices.Equal(res.Slugs, want) {
			t.Errorf("by %s: %v, want %v", field, res.Slugs, want)
		}
	}
	if list, _ := view.Select(Choice{}, ByStars); list.At(0).slug != "current" {
		t.Errorf("on pages %s is first", list.At(0).slug)
	}
}

// facetsOf counts the servers with each value of each facet.
func facetsOf(servers []*registry.Server) map[string]map[string]int {
	all := query.Select(nil, query.FacetNames(), false)
	for _, s := range servers {
		all.Add(query.ValuesOf(s))
	}
	return all.Counts()
}
