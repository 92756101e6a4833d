package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/github"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func many(n int) (fixtures, names []string) {
	for i := range n {
		name := fmt.Sprintf("owner%02d/trains%02d-mcp", i, i)
		fixtures, names = append(fixtures, aServer(name)), append(names, name)
	}
	return fixtures, names
}

func TestSpentBudgetPutsWorkBackUntilItReturns(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"), aServer("tram/lines-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")

	h.later(20 * 24 * time.Hour)
	_, err := h.db.Enqueue(t.Context(),
		[]registry.Candidate{{Ref: ref("tram/lines-mcp"), Source: "official-registry",
			Listing: &registry.Listing{
				Name: "io.github.tram/lines-mcp", Title: "Tram lines",
				Description: "Lines of trams", Version: "1.0.0", Status: "active",
				RepoURL: "https://github.com/tram/lines-mcp",
				Packages: []registry.Package{{RegistryType: "npm", Identifier: "lines-mcp",
					Version: "1.0.0"}},
			}}}, h.clock.Now())
	h.must(err)
	reset := h.clock.Now().Add(40 * time.Minute)
	h.github = h.newGitHub(func(o *github.Options) {
		o.Floor = map[string]int{"graphql": 1_000_000, "core": 1_000_000} // nothing may be asked
	})
	h.github.Restore([]registry.Budget{{Upstream: registry.GitHub, Resource: "graphql", Limit: 5000,
		Remaining: 0, ResetAt: reset, ObservedAt: h.clock.Now()}})
	h.world.Fail(fakegithub.Fault{Path: "/github/", Status: 403, Header: map[string][]string{
		"X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"0"},
		"X-Ratelimit-Resource": {"graphql"}, "X-Ratelimit-Reset": {fmt.Sprint(reset.Unix())},
	}, Body: `{"message":"API rate limit exceeded"}`})
	c := h.crawler("worker/0")
	c.Hosts[registry.GitHub] = altered{Host: h.github,
		backoff: func() (time.Time, error) {
			return reset,
				errors.New("github: graphql budget is spent")
		}}
	if _, err := c.Refresh(t.Context(), 0); err != nil {
		t.Fatalf("a spent budget is an error: %v", err)
	}
	if after := h.server("rail/trains-mcp"); after.Slug != before.Slug ||
		after.Status != registry.StatusActive {
		t.Errorf("what was known is lost: %+v", after)
	}
	listed := h.server("tram/lines-mcp")
	if listed.Title != "Tram lines" || listed.Stars != nil {
		t.Errorf("the registry's record: title %q, stars %v", listed.Title, listed.Stars)
	}
	st := h.status()
	if st.Due != 0 || st.Leased != 0 {
		t.Errorf("%d due and %d leased before the budget is back", st.Due, st.Leased)
	}

	h.world.Heal()
	h.github = h.newGitHub(nil)
	h.later(2 * time.Hour)
	if n := h.refresh(); n != 2 {
		t.Errorf("visited %d after the budget came back, want 2", n)
	}
	if s := h.server("tram/lines-mcp"); s.Stars == nil || s.Slug != listed.Slug {
		t.Errorf("visited at last: stars %v, slug %s (was %s)", s.Stars, s.Slug, listed.Slug)
	}
}

func TestARefusedTokenIsSaidToBeRefused(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.later(20 * 24 * time.Hour)
	h.world.Revoke(token)
	c := h.crawler("worker/0")
	c.Hosts[registry.GitHub] = altered{Host: h.github,
		backoff: func() (time.Time, error) { return time.Time{}, h.github.Ready() }}
	if _, err := c.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	failing := h.status().Failing
	if len(failing) != 1 || !strings.Contains(failing[0].Error, "refuses the credential") ||
		strings.Contains(failing[0].Error, "budget") {
		t.Errorf("the reason is %+v", failing)
	}
	if w := h.status(); w.Due != 0 {
		t.Errorf("%d are due at once", w.Due)
	}
}

func TestTwoCrawlersVisitEachRepositoryOnce(t *testing.T) {
	fixtures, names := many(30)
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	var mu sync.Mutex
	visits := map[string]int{}
	var group errgroup.Group
	for i := range 2 {
		c := h.crawler(fmt.Sprintf("host%d/1", i))
		c.Hosts[registry.GitHub] = counted{h.newGitHub(nil), func(v registry.Visit) {
			mu.Lock()
			defer mu.Unlock()
			visits[v.Work.Ref.String()]++
		}}
		group.Go(func() error {
			for { // in small portions, so that both get some
				n, err := c.Refresh(t.Context(), 4)
				if err != nil || n == 0 {
					return err
				}
			}
		})
	}
	h.must(group.Wait())
	for _, name := range names {
		if visits[ref(name).String()] != 1 {
			t.Errorf("%s was visited %d times", name, visits[ref(name).String()])
		}
	}
	if n := h.status().Servers; n != len(names) {
		t.Errorf("%d servers are listed, want %d", n, len(names))
	}
	// REST: one listing of files for each repository, and no more.
	asked := map[string]int{}
	for _, r := range h.world.Requests() {
		if strings.Contains(r.Path, "/git/trees/") {
			asked[r.Path]++
		}
	}
	for path, n := range asked {
		if n > 1 {
			t.Errorf("%s was asked %d times", path, n)
		}
	}
}

// counted is a host whose visits are told.
type counted struct {
	jobs.Host
	told func(registry.Visit)
}

func (c counted) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for v := range c.Host.Visit(ctx, works) {
			c.told(v)
			if !yield(v) {
				return
			}
		}
	}
}

func TestStoppedCrawlerLosesNothing(t *testing.T) {
	fixtures, names := many(30)
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	ctx, cancel := context.WithCancel(t.Context())
	c := h.crawler("worker/0")
	visited := 0
	c.Hosts[registry.GitHub] = counted{h.github, func(registry.Visit) {
		if visited++; visited == 7 {
			cancel()
		}
	}}
	if _, err := c.Refresh(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	st := h.status()
	if st.Leased != 0 {
		t.Errorf("%d are leased after a stop", st.Leased)
	}
	if len(st.Failing) != 0 {
		t.Errorf("a stop counts as a failure: %+v", st.Failing)
	}
	h.later(2 * time.Minute)
	h.refresh()
	if st := h.status(); st.Servers != len(names) || st.Leased != 0 || st.Due != 0 {
		t.Errorf("after going on: %d servers, %d leased, %d due", st.Servers, st.Leased, st.Due)
	}
}

func TestLostLeaseStoresNothing(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	slow := h.crawler("slow/1")
	slow.Hosts[registry.GitHub] = counted{h.github, func(registry.Visit) {
		h.clock.advance(2 * time.Minute) // longer than the lease
		h.refresh()
	}}
	if _, err := slow.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if n := h.status().Servers; n != 1 {
		t.Errorf("%d servers", n)
	}
}

// A beating store counts how often leases were renewed.
type beating struct {
	jobs.Queue
	beats atomic.Int64
}

func (s *beating) ExtendLease(
	ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	works, err := s.Queue.ExtendLease(ctx, works, ttl, now)
	s.beats.Add(1)
	return works, err
}

func TestLivingWorkerKeepsItsLeases(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	slow := h.crawler("slow/1")
	store := &beating{Queue: slow.Queue}
	slow.Queue, slow.Heartbeat = store, 5*time.Millisecond
	slow.Hosts[registry.GitHub] = counted{h.github, func(registry.Visit) {
		for range 6 { // four minutes, in steps shorter than the lease
			h.clock.advance(40 * time.Second)
			from := store.beats.Load() // the next may have begun before
			for deadline := time.Now().Add(time.Minute); store.beats.Load() < from+2 &&
				time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			works, err := h.db.Lease(t.Context(), "other/1", 10, time.Minute, h.clock.Now())
			if err != nil || len(works) != 0 {
				t.Errorf("another worker got %d, %v", len(works), err)
			}
		}
	}}
	if _, err := slow.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	h.server("rail/trains-mcp")
}

func TestTakeOverEndsLeasesOfTheDeadOnly(t *testing.T) {
	fixtures, names := many(4)
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	me := jobs.WorkerName()
	host, _, _ := strings.Cut(me, "/")
	const nobody = 1<<22 + 1 // above the greatest process number
	for _, worker := range []string{fmt.Sprintf("%s/%d", host, nobody),
		fmt.Sprintf("%s/%d", host, os.Getppid()), fmt.Sprintf("elsewhere/%d", nobody), me} {
		works, err := h.db.Lease(t.Context(), worker, 1, time.Hour, h.clock.Now())
		if err != nil || len(works) != 1 {
			t.Fatalf("%d leased, %v", len(works), err)
		}
	}
	h.must(h.crawler(me).TakeOver(t.Context()))
	// The dead one's and ours of before are free; a living process and another
	// machine keep theirs.
	if st := h.status(); st.Leased != 2 || st.Due != 2 {
		t.Errorf("%d leased, %d due, want 2 and 2", st.Leased, st.Due)
	}
}

func TestRefreshHonoursItsLimit(t *testing.T) {
	fixtures, names := many(5)
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	n, err := h.crawler("worker/0").Refresh(t.Context(), 3)
	if err != nil || n != 3 || h.status().Due != 2 {
		t.Errorf("visited %d, %d due, %v", n, h.status().Due, err)
	}
}

func TestNothingIsListedOfWhatTheHostHasAlreadySaidNoTo(t *testing.T) {
	for _, test := range []struct {
		name string
		stop func(h *house)
	}{
		{"refused token", func(h *house) { h.world.Revoke(token) }},
		{"spent budget", func(h *house) {
			h.github.Restore([]registry.Budget{{Upstream: registry.GitHub, Resource: "graphql",
				Limit: 5000, Remaining: 0, ResetAt: h.clock.Now().Add(
					time.Hour), ObservedAt: h.clock.Now()}})
			h.world.Fail(fakegithub.Fault{Path: "/github/", Status: 403,
				Header: map[string][]string{
					"X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"0"},
					"X-Ratelimit-Resource": {"graphql"},
					"X-Ratelimit-Reset":    {fmt.Sprint(h.clock.Now().Add(time.Hour).Unix())},
				}, Body: `{"message":"API rate limit exceeded"}`})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t, aServer("rail/held-mcp"), aServer("rail/new-mcp"))
			h.must(h.world.Block("rail/held-mcp", "dmca"))
			listing := func(name string) registry.Candidate {
				return registry.Candidate{Ref: ref(name), Source: "official-registry",
					Listing: &registry.Listing{
						Name: "io.github." + name, Description: "Trains", Version: "1.0.0",
						Status: "active", RepoURL: "https://github.com/" + name,
					}}
			}
			_, err := h.db.Enqueue(t.Context(),
				[]registry.Candidate{listing("rail/never-mcp"),
					listing("rail/held-mcp")}, h.clock.Now())
			h.must(err)
			h.refresh()
			if w := h.work("rail/never-mcp"); w.Misses != 1 {
				t.Fatalf("%d misses before: nothing to see", w.Misses)
			}
			h.later(31 * 24 * time.Hour) // the turn of both has come again
			_, err = h.db.Enqueue(t.Context(), []registry.Candidate{listing("rail/new-mcp")},
				h.clock.Now())
			h.must(err)
			h.github = h.newGitHub(func(o *github.Options) {
				o.Floor = map[string]int{"graphql": 1,
					"core": 1}
			})
			test.stop(h)
			h.refresh()
			for _, name := range []string{"rail/never-mcp", "rail/held-mcp"} {
				if got := h.servers(name); len(got) != 0 {
					t.Errorf("%s is listed", name)
				}
			}
			if got := h.servers("rail/new-mcp"); len(got) != 1 {
				t.Errorf("one that the host was never asked about is not listed")
			}
			if st := h.status(); st.Due != 0 || st.Leased != 0 {
				t.Errorf("%d due, %d leased", st.Due, st.Leased)
			}
		})
	}
}
