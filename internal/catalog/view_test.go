package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

func servers(n int) []registry.Server {
	return slices.Collect(generate.Servers(n, 3))
}

// plain returns servers with little more than a name.
func plain(n int) (all []registry.Server) {
	for i := range int64(n) {
		all = append(all, registry.Server{ID: i + 1, Seq: i + 1, Slug: fmt.Sprint("server-", i+1),
			Category: "tools", Status: registry.StatusActive,
			Repo: registry.Repository{Host: registry.GitHub, Owner: "octo", Name: fmt.Sprint("repo-", i+1)}})
	}
	return all
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// check fails the test if v does not have exactly the servers in want.
func check(t *testing.T, v *View, want map[string]registry.Server) {
	t.Helper()
	all := make([]registry.Server, 0, len(want))
	values := map[string]*query.Values{}
	for _, s := range want {
		all = append(all, s)
		values[s.Slug] = query.ValuesOf(&s)
	}
	for _, s := range Sorts {
		order := []query.Order{{Field: s.String(), Desc: s != ByName && s != ByToolTokens}}
		compare := query.Comparer((&query.Query{Sort: order}).Orders())
		slices.SortFunc(all, func(a, b registry.Server) int {
			return compare(values[a.Slug], values[b.Slug])
		})
		for _, category := range append([]string{""}, registry.Categories...) {
			for _, min := range []int{-1, 0, 60} {
				var slugs []string
				for _, x := range all {
					if (category == "" || x.Category == category) && (min < 0 || x.Health.Score != nil && *x.Health.Score >= min) {
						slugs = append(slugs, x.Slug)
					}
				}
				l := v.List(category, s, min)
				var got []string
				for i := range l.Total() {
					got = append(got, l.At(i).Slug())
					if at := l.After(l.Position(i)); at != i+1 {
						t.Fatalf("%v %q: after %d comes %d", s, category, i, at)
					}
				}
				if !slices.Equal(got, slugs) {
					t.Fatalf("%v %q from %d:\n got %v\nwant %v", s, category, min, got, slugs)
				}
			}
		}
	}
	for _, s := range all {
		i, gone := v.Find(s.Slug)
		if i == nil || gone {
			t.Fatalf("%s is not found", s.Slug)
		}
		r, err := i.Record()
		if err != nil {
			t.Fatal(err)
		}
		s.Readme = ""
		if got, want := asJSON(t, r), asJSON(t, s); got != want {
			t.Fatalf("record of %s: %s", s.Slug, cmp.Diff(&s, r, cmpopts.EquateEmpty()))
		}
		if s.RegistryName != "" {
			if j, _ := v.Find(s.RegistryName); j == nil {
				t.Fatalf("%s is not found", s.RegistryName)
			}
		}
		in := v.InRepo(registry.RepoRef{Host: s.Repo.Host, Owner: strings.ToUpper(s.Repo.Owner), Name: s.Repo.Name}.Key())
		if !slices.Contains(in, i) {
			t.Fatalf("%s is not in its repository", s.Slug)
		}
	}
}

func TestApplyInSteps(t *testing.T) {
	race.Skip(t)
	rng := rand.New(rand.NewPCG(1, 2))
	c := New()
	pool := servers(120)
	want := map[string]registry.Server{}
	seq := int64(0)
	for round := range 30 {
		var put []registry.Server
		var gone []registry.Change
		for range 1 + rng.IntN(20) {
			seq++
			s := pool[rng.IntN(len(pool))]
			if rng.IntN(4) == 0 {
				gone = append(gone, registry.Change{Seq: seq, Slug: s.Slug, Deleted: true, Gone: rng.IntN(2) == 0})
				put = slices.DeleteFunc(put, func(p registry.Server) bool { return p.Slug == s.Slug })
				delete(want, s.Slug)
				continue
			}
			stars := rng.IntN(1000)
			s.Seq, s.Stars, s.Category = seq, &stars, registry.Categories[rng.IntN(10)]
			if rng.IntN(3) == 0 {
				s.Stars, s.Health.Score, s.Name = nil, nil, ""
			}
			put = slices.DeleteFunc(put, func(p registry.Server) bool { return p.Slug == s.Slug })
			put = append(put, s)
			want[s.Slug] = s
		}
		if err := c.Apply(put, gone, seq); err != nil {
			t.Fatal(err)
		}
		if c.View().Seq() != seq || c.View().Len() != len(want) {
			t.Fatalf("at %d with %d servers, want %d with %d", c.View().Seq(), c.View().Len(), seq, len(want))
		}
		if round%10 == 9 {
			check(t, c.View(), want)
		}
	}
	fresh := New()
	var all []registry.Server
	for _, s := range want {
		all = append(all, s)
	}
	if err := fresh.Apply(all, nil, seq); err != nil {
		t.Fatal(err)
	}
	check(t, fresh.View(), want)
	if fresh.View().Tag() != c.View().Tag() {
		t.Errorf("tags differ: %s and %s", fresh.View().Tag(), c.View().Tag())
	}
}

// TestApplyRandom replaces and removes servers in random steps and compares the
// result with a map.
func TestApplyRandom(t *testing.T) {
	race.Skip(t)
	pool := servers(20)
	rapid.Check(t, func(t *rapid.T) {
		c := New()
		now := map[string]registry.Server{}
		all := slices.Clone(pool[:rapid.IntRange(1, len(pool)).Draw(t, "servers")])
		seq := int64(0)
		apply := func(changed []registry.Server, removed []registry.Change) {
			for i := range changed {
				seq++
				changed[i].Seq = seq
				now[changed[i].Slug] = changed[i]
			}
			for i := range removed {
				seq++
				removed[i].Seq = seq
				delete(now, removed[i].Slug)
			}
			if err := c.Apply(changed, removed, seq); err != nil {
				t.Fatal(err)
			}
		}
		apply(all, nil)
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			var changed []registry.Server
			var removed []registry.Change
			for range rapid.IntRange(0, 8).Draw(t, "together") {
				s := all[rapid.IntRange(0, len(all)-1).Draw(t, "server")]
				if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
					removed = append(removed, registry.Change{Slug: s.Slug, Deleted: true})
					continue
				}
				stars := rapid.IntRange(0, 9).Draw(t, "stars")
				s.Stars = &stars
				changed = append(changed, s)
			}
			apply(changed, removed)
		}
		v := c.View()
		for _, s := range Sorts {
			l := v.List("", s, -1)
			if l.Total() != len(now) {
				t.Fatalf("%d servers, want %d", l.Total(), len(now))
			}
			for n := range l.Total() {
				i := l.At(n)
				if want := now[i.Slug()]; i.Seq() != want.Seq || v.slugs[i.Slug()] != i {
					t.Fatalf("%s is of change %d, want %d", i.Slug(), i.Seq(), want.Seq)
				}
				if n > 0 && s.compare(l.At(n-1), i) >= 0 {
					t.Fatalf("%s and %s are not in the order %s", l.At(n-1).Slug(), i.Slug(), s)
				}
			}
		}
	})
}

func TestViewIsImmutable(t *testing.T) {
	c := New()
	all := servers(200)
	want := map[string]registry.Server{}
	for _, s := range all {
		want[s.Slug] = s
	}
	if err := c.Apply(all, nil, 1000); err != nil {
		t.Fatal(err)
	}
	old := c.View()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 30 {
			s := all[i]
			s.Seq, s.Description = int64(2000+i), "changed"
			if err := c.Apply([]registry.Server{s}, []registry.Change{{Seq: int64(3000 + i), Slug: all[100+i].Slug}}, int64(3000+i)); err != nil {
				t.Error(err)
			}
		}
	})
	check(t, old, want)
	wg.Wait()
	check(t, old, want)
	if c.View().Len() != 170 {
		t.Errorf("%d servers, want 170", c.View().Len())
	}
}

func TestApplyOldChanges(t *testing.T) {
	c := New()
	s := servers(1)[0]
	s.Seq = 10
	newer := s
	newer.Seq, newer.Description = 20, "newer"
	for _, step := range []struct {
		put  []registry.Server
		gone []registry.Change
		seq  int64
	}{{[]registry.Server{newer}, nil, 20}, {[]registry.Server{s}, nil, 10}, {nil, []registry.Change{{Seq: 15, Slug: s.Slug, Deleted: true}}, 15}} {
		if err := c.Apply(step.put, step.gone, step.seq); err != nil {
			t.Fatal(err)
		}
	}
	if c.View().Seq() != 20 {
		t.Errorf("went back to %d", c.View().Seq())
	}
	check(t, c.View(), map[string]registry.Server{s.Slug: newer})
}

func TestFindDeleted(t *testing.T) {
	c := New()
	all := servers(3)
	all[2].Status = registry.StatusDeleted
	gone := []registry.Change{{Seq: 10, Slug: all[0].Slug, Deleted: true, Gone: true}, {Seq: 11, Slug: all[1].Slug, Deleted: true}}
	if err := c.Apply(all, gone, 11); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, true} {
		if item, gone := c.View().Find(all[i].Slug); item != nil || gone != want {
			t.Errorf("%d: %v, gone %v, want %v", i, item, gone, want)
		}
	}
	back := all[0]
	back.Seq = 30
	if err := c.Apply([]registry.Server{back}, nil, 30); err != nil {
		t.Fatal(err)
	}
	if item, gone := c.View().Find(back.Slug); item == nil || gone {
		t.Error("a server that came back is still called gone")
	}
}

func TestApplyInvalidServer(t *testing.T) {
	c := New()
	all := servers(80)
	all[7].CategoryConfidence = math.NaN() // JSON cannot represent it
	if err := c.Apply(all, nil, 80); err == nil || !strings.Contains(err.Error(), all[7].Slug) {
		t.Errorf("error %v does not name %s", err, all[7].Slug)
	}
	if c.View().Len() != 79 {
		t.Errorf("%d servers, want 79", c.View().Len())
	}
}

func TestServers(t *testing.T) {
	c := New()
	all := servers(300)
	if err := c.Apply(all, nil, 300); err != nil {
		t.Fatal(err)
	}
	by := map[string]*registry.Server{}
	for s := range c.Servers() {
		by[s.Slug] = s
	}
	for i := range all {
		want, got := &all[i], by[all[i].Slug]
		if got == nil {
			t.Fatalf("%s is missing", want.Slug)
		}
		for _, f := range query.Fields {
			if f.Texts != nil {
				a, b := f.Texts(want), f.Texts(got)
				if !slices.Equal(a, b) {
					t.Errorf("%s: %s is %v, want %v", want.Slug, f.Name, b, a)
				}
				continue
			}
			a, aok := f.Num(want)
			b, bok := f.Num(got)
			if a != b || aok != bok {
				t.Errorf("%s: %s is %v %v, want %v %v", want.Slug, f.Name, b, bok, a, aok)
			}
		}
		if got.Description != want.Description || got.Title != want.Title || got.Repo.Name != want.Repo.Name || got.Subfolder != want.Subfolder {
			t.Errorf("%s: %q %q %q %q", want.Slug, got.Description, got.Title, got.Repo.Name, got.Subfolder)
		}
	}
	f := c.View().Facets()
	n := 0
	for _, count := range f["category"] {
		n += count
	}
	if n != 300 {
		t.Errorf("categories add up to %d", n)
	}
	counts := c.View().CategoryCounts()
	for i, category := range registry.Categories {
		if counts[i] != f["category"][category] {
			t.Errorf("%s: %d and %d", category, counts[i], f["category"][category])
		}
	}
}

func TestIdentify(t *testing.T) {
	tags := map[string]string{}
	for _, identity := range []string{"one database", "another", "one database, newer program"} {
		c := New()
		c.Identify(identity)
		if err := c.Apply([]registry.Server{{Slug: "a", Seq: 1}}, nil, 7); err != nil {
			t.Fatal(err)
		}
		tag := c.View().Tag()
		if other, taken := tags[tag]; taken {
			t.Errorf("%q and %q have the tag %s", identity, other, tag)
		}
		tags[tag] = identity
		if id := c.View().Identity(); len(id) < 8 || !strings.Contains(tag, id) {
			t.Errorf("the identity %q is not part of the tag %s", id, tag)
		}
	}
}

func BenchmarkApplyOne(b *testing.B) {
	c := New()
	all := servers(100_000)
	if err := c.Apply(all, nil, 100_000); err != nil {
		b.Fatal(err)
	}
	seq := int64(100_000)
	for b.Loop() {
		seq++
		s := all[int(seq)%len(all)]
		s.Seq = seq
		if err := c.Apply([]registry.Server{s}, nil, seq); err != nil {
			b.Fatal(err)
		}
	}
}
