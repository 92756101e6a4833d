package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// encodeForTest makes documents that say which server and which change of it
// they are of.
func encodeForTest(s *registry.Server, _ bool) (Record, error) {
	if s.Name == "broken" {
		return Record{}, errors.New("cannot be encoded")
	}
	doc := func(kind string) []byte {
		b, err := json.Marshal(map[string]any{"kind": kind, "slug": s.Slug, "seq": s.Seq, "description": s.Description,
			"tags": s.Tags, "stars": s.Stars, "self": "/servers/" + s.Slug, "verified": s.Verified})
		if err != nil {
			panic(err)
		}
		return b
	}
	return Record{doc("basic"), doc("entry"), doc("detail"), doc("health")}, nil
}

func servers(n int) []registry.Server {
	return slices.Collect(generate.Servers(n, 3))
}

// check fails the test if v does not hold exactly want.
func check(t *testing.T, v *View, want map[string]registry.Server) {
	t.Helper()
	all := make([]registry.Server, 0, len(want))
	for _, s := range want {
		all = append(all, s)
	}
	for s := range Sort(sorts) {
		order := []query.Order{{Field: s.String(), Desc: s != ByName}}
		slices.SortFunc(all, func(a, b registry.Server) int { return query.Compare(&a, &b, order) })
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
						t.Fatalf("%v %q: behind %d comes %d", s, category, i, at)
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
		r, err := encodeForTest(&s, false)
		if err != nil {
			t.Fatal(err)
		}
		for n, pair := range [][2][]byte{{i.AppendBasic([]byte("x")), r.Basic}, {i.AppendEntry([]byte("x")), r.Entry},
			{i.AppendDetail([]byte("x")), r.Detail}, {i.AppendHealth([]byte("x")), r.Health}} {
			if string(pair[0]) != "x"+string(pair[1]) {
				t.Fatalf("%s: document %d is %s, want %s", s.Slug, n, pair[0], pair[1])
			}
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

func TestManySmallChangesAddUpToTheSameAsOneLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := New(encodeForTest)
	pool := servers(400)
	want := map[string]registry.Server{}
	seq := int64(0)
	for round := range 60 {
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
	fresh := New(encodeForTest)
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

func TestAVersionNeverChanges(t *testing.T) {
	c := New(encodeForTest)
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
	for range 3 {
		check(t, old, want)
	}
	wg.Wait()
	check(t, old, want)
	if c.View().Len() != 170 {
		t.Errorf("%d servers, want 170", c.View().Len())
	}
}

func TestOldChangesAreIgnored(t *testing.T) {
	c := New(encodeForTest)
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

func TestDeletedServersAreRememberedAndHiddenOnesAreNot(t *testing.T) {
	c := New(encodeForTest)
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

func TestServersThatCannotBeShownDoNotStopTheOthers(t *testing.T) {
	c := New(encodeForTest)
	all := servers(80)
	all[7].Name = "broken"
	if err := c.Apply(all, nil, 80); err == nil || !strings.Contains(err.Error(), all[7].Slug) {
		t.Errorf("error %v does not name %s", err, all[7].Slug)
	}
	if c.View().Len() != 79 {
		t.Errorf("%d servers, want 79", c.View().Len())
	}
}

func TestFieldsForFiltersSurvive(t *testing.T) {
	c := New(encodeForTest)
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
				a, b := f.Texts(want, nil), f.Texts(got, nil)
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

// memory is a feed of changes kept in a slice.
type memory struct {
	mu      sync.Mutex
	servers []registry.Server
	removed []registry.Change
	notes   chan int64
	fail    error
}

func (m *memory) RecordsAfter(_ context.Context, seq int64, limit int) (out []registry.Server, removed []registry.Change, last int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, nil, seq, m.fail
	}
	last = seq
	for n := seq + 1; len(out)+len(removed) < min(limit, 7); n++ {
		i := slices.IndexFunc(m.servers, func(s registry.Server) bool { return s.Seq == n })
		j := slices.IndexFunc(m.removed, func(c registry.Change) bool { return c.Seq == n })
		switch {
		case i >= 0:
			out = append(out, m.servers[i])
		case j >= 0:
			removed = append(removed, m.removed[j])
		default:
			return out, removed, last, nil
		}
		last = n
	}
	return out, removed, last, nil
}

func (m *memory) Listen(context.Context) (<-chan int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes == nil {
		return nil, errors.New("no notifications here")
	}
	return m.notes, nil
}

func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

func TestFollowReadsEverythingAndKeepsUp(t *testing.T) {
	for _, notify := range []bool{true, false} {
		t.Run(fmt.Sprint("notifications ", notify), func(t *testing.T) {
			m := &memory{servers: servers(40)}
			if notify {
				m.notes = make(chan int64, 10)
			}
			c := New(encodeForTest)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- c.Follow(ctx, m, slog.New(slog.DiscardHandler)) }()
			wait(t, "the catalog", c.Ready)
			if c.View().Len() != 40 || c.View().Seq() != 40 {
				t.Errorf("%d servers at %d", c.View().Len(), c.View().Seq())
			}
			m.mu.Lock()
			m.fail = errors.New("the database is away")
			m.mu.Unlock()
			time.Sleep(30 * time.Millisecond)
			m.mu.Lock()
			m.fail = nil
			m.removed = append(m.removed, registry.Change{Seq: 41, Slug: m.servers[0].Slug, Deleted: true, Gone: true})
			m.mu.Unlock()
			if notify {
				m.notes <- 41
			}
			wait(t, "the change", func() bool { return c.View().Seq() == 41 })
			if _, gone := c.View().Find(m.servers[0].Slug); !gone || c.View().Len() != 39 {
				t.Error("the removal was not read")
			}
			if notify {
				m.mu.Lock()
				close(m.notes)
				s := m.servers[1]
				s.Seq = 42
				m.servers = append(m.servers, s)
				m.notes = nil
				m.mu.Unlock()
				wait(t, "a change after the connection broke", func() bool { return c.View().Seq() == 42 })
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("Follow returned %v", err)
			}
		})
	}
}

func TestSimilarNames(t *testing.T) {
	c := New(encodeForTest)
	var all []registry.Server
	for i, slug := range []string{"octo-weather-mcp", "octo-weather-mcp-2", "acme-postgres", "acme-postgresql", "zed-files"} {
		all = append(all, registry.Server{ID: int64(i), Seq: int64(i), Slug: slug, Category: "data"})
	}
	if err := c.Apply(all, nil, 5); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"octo-wether-mcp": "octo-weather-mcp", "Octo/Weather-MCP": "octo-weather-mcp", "acme-postgre": "acme-postgres",
		"postgres": "acme-postgres", "files": "zed-files", "xyzzy-plugh": "", "ab": "", "": "", strings.Repeat("x", 500): "",
	} {
		got := c.View().Similar(name, 1)
		if strings.Join(got, " ") != want {
			t.Errorf("%.30q: %v, want %q", name, got, want)
		}
	}
}

func TestCacheKeepsToItsSize(t *testing.T) {
	c := NewCache(1 << 20)
	big := make([]byte, 1000)
	for i := range 5000 {
		k := fmt.Sprint(i)
		c.Put(k, big)
		if i%7 == 0 {
			c.Get("0")
		}
	}
	kept := 0
	for i := range 5000 {
		if _, ok := c.Get(fmt.Sprint(i)); ok {
			kept++
		}
	}
	if kept < 300 || kept > 1000 {
		t.Errorf("kept %d answers of 1 kB in 1 MB", kept)
	}
	c.Put("huge", make([]byte, 1<<20))
	if _, ok := c.Get("huge"); ok {
		t.Error("kept an answer that fills the cache")
	}
}

func BenchmarkApplyOne(b *testing.B) {
	c := New(encodeForTest)
	all := servers(20_000)
	if err := c.Apply(all, nil, 20_000); err != nil {
		b.Fatal(err)
	}
	seq := int64(20_000)
	for b.Loop() {
		seq++
		s := all[int(seq)%len(all)]
		s.Seq = seq
		if err := c.Apply([]registry.Server{s}, nil, seq); err != nil {
			b.Fatal(err)
		}
	}
}

// Items are laid out in chunks that are given up when many of theirs have been
// replaced: whatever is replaced and removed, in small steps and large ones,
// what is read is what was written, and no more memory is held than allowed.
func TestChunksAreGivenUpWhenTheirItemsAreReplaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := New(encodeForTest)
		now := map[string]registry.Server{}
		all := servers(rapid.IntRange(1, 300).Draw(t, "servers"))
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
		for range rapid.IntRange(0, 30).Draw(t, "changes") {
			var changed []registry.Server
			var removed []registry.Change
			for range rapid.IntRange(0, 40).Draw(t, "together") {
				s := all[rapid.IntRange(0, len(all)-1).Draw(t, "server")]
				if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
					removed = append(removed, registry.Change{Slug: s.Slug, Deleted: true})
					continue
				}
				stars := rapid.IntRange(0, 9).Draw(t, "stars")
				s.Stars, s.Description = &stars, strings.Repeat("again ", stars)
				changed = append(changed, s)
			}
			apply(changed, removed)
		}
		v := c.View()
		if v.Len() != len(now) {
			t.Fatalf("%d servers, want %d", v.Len(), len(now))
		}
		alive := map[*chunk]int{}
		l := v.List("", ByQuality, -1)
		for n := range l.Total() {
			i := l.At(n)
			s := now[i.Slug()]
			r, err := encodeForTest(&s, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := i.AppendBasic(nil); !bytes.Equal(got, r.Basic) || !bytes.Equal(i.AppendHealth(nil), r.Health) {
				t.Fatalf("%s reads %s", i.Slug(), got)
			}
			if i.home.items[i.place] != i {
				t.Fatalf("%s is not at home", i.Slug())
			}
			if at := v.at[l.slots[n]]; v.chunks[at>>placeBits] != i.home || at%perChunk != uint32(i.place) {
				t.Fatalf("%s is looked for elsewhere", i.Slug())
			}
			alive[i.home]++
		}
		if used := len(v.chunks) - len(v.unused); used != len(alive) {
			t.Errorf("%d chunks are kept, %d are in use", used, len(alive))
		}
		for h, n := range alive {
			if dead := len(h.items) - n; dead != h.dead || dead*deadShare >= len(h.items) {
				t.Errorf("a chunk of %d has %d alive and counts %d dead", len(h.items), n, h.dead)
			}
		}
		z := new(Zip)
		z.Begin(nil, "[")
		l.ZipBasics(z, 0, l.Total())
		if got, want := unzip(t, z.End([]byte("]"))), "["+plain(l, 0, l.Total())+"]"; got != want {
			t.Errorf("compressed differs: %s", got)
		}
	})
}
