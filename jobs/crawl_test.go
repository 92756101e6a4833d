package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/github"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/postgres"
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

func TestSpentBudgetPostponesWork(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), aServer("tram/lines-mcp"))
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
	c := h.crawler()
	c.Hosts[registry.GitHub] = hostWith{Host: h.github,
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

	h.world.ClearFaults()
	h.github = h.newGitHub(nil)
	h.later(41 * time.Minute) // new repositories wait no longer than others
	if n := h.refresh(); n != 2 {
		t.Errorf("visited %d after the budget came back, want 2", n)
	}
	if s := h.server("tram/lines-mcp"); s.Stars == nil || s.Slug != listed.Slug {
		t.Errorf("visited at last: stars %v, slug %s (was %s)", s.Stars, s.Slug, listed.Slug)
	}
}

func TestRefusedToken(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.later(20 * 24 * time.Hour)
	h.world.Revoke(token)
	c := h.crawler()
	c.Hosts[registry.GitHub] = hostWith{Host: h.github,
		backoff: func() (time.Time, error) { return time.Time{}, h.github.Ready() }}
	if _, err := c.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	failing := h.status().Failing
	if len(failing) != 1 || !strings.Contains(failing[0].Error, "rejects the credential") ||
		strings.Contains(failing[0].Error, "budget") {
		t.Errorf("the reason is %+v", failing)
	}
	if w := h.status(); w.Due != 0 {
		t.Errorf("%d are due at once", w.Due)
	}
}

func TestTwoCrawlers(t *testing.T) {
	fixtures, names := many(30)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	var mu sync.Mutex
	visits := map[string]int{}
	var group errgroup.Group
	for range 2 {
		c := h.crawler()
		c.Hosts[registry.GitHub] = countedHost{h.newGitHub(nil), func(v registry.Visit) {
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

// countedHost is a host whose visits are told.
type countedHost struct {
	jobs.Host
	told func(registry.Visit)
}

func (c countedHost) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for v := range c.Host.Visit(ctx, works) {
			c.told(v)
			if !yield(v) {
				return
			}
		}
	}
}

func TestStoppedCrawler(t *testing.T) {
	fixtures, names := many(30)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	ctx, cancel := context.WithCancel(t.Context())
	c := h.crawler()
	visited := 0
	c.Hosts[registry.GitHub] = countedHost{h.github, func(registry.Visit) {
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

func TestLostLease(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	slow := h.crawler()
	slow.Hosts[registry.GitHub] = countedHost{h.github, func(registry.Visit) {
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

// A renewalCounter counts how often leases were renewed.
type renewalCounter struct {
	jobs.Queue
	beats atomic.Int64
}

func (s *renewalCounter) ExtendLease(
	ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	works, err := s.Queue.ExtendLease(ctx, works, ttl, now)
	s.beats.Add(1)
	return works, err
}

func TestLeasesRenewed(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	slow := h.crawler()
	store := &renewalCounter{Queue: slow.Queue}
	slow.Queue, slow.Heartbeat = store, 5*time.Millisecond
	slow.Hosts[registry.GitHub] = countedHost{h.github, func(registry.Visit) {
		for range 6 { // four minutes, in steps shorter than the lease
			h.clock.advance(40 * time.Second)
			from := store.beats.Load() // the next may have begun before
			poll(func() bool { return store.beats.Load() >= from+2 })
			works, err := h.db.Lease(t.Context(), 10, time.Minute, h.clock.Now())
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

// TestLostLeases checks that a worker that has lost leases stops its visits and says so, and leases
// what it may have.
func TestLostLeases(t *testing.T) {
	fixtures, names := many(3)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	slow := h.crawler()
	late := lateRenewal{slow.Queue, make(chan struct{})}
	slow.Queue, slow.Heartbeat = late, 5*time.Millisecond
	var log strings.Builder
	slow.Log = slog.New(slog.NewTextHandler(&log, nil))
	slow.Hosts[registry.GitHub] = &interruptedHost{h.github, func(ctx context.Context) {
		h.clock.advance(2 * time.Minute) // longer than the lease
		other, err := postgres.Open(t.Context(), h.db.URL())
		h.must(err)
		defer other.Close()
		works, err := other.Lease(t.Context(), 1, time.Hour, h.clock.Now())
		if err != nil || len(works) != 1 {
			t.Errorf("another worker got %d, %v", len(works), err)
		}
		close(late.begin)
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Error("the visits go on")
		}
		other.Release(context.WithoutCancel(ctx), works, h.clock.Now(), "")
	}}
	if _, err := slow.Refresh(t.Context(), len(names)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "repositories=1") {
		t.Errorf("the log is %q", log.String())
	}
	if st := h.status(); st.Servers != len(names) || st.Leased != 0 || len(st.Failing) != 0 {
		t.Errorf("%d servers, %d leased, failing %v", st.Servers, st.Leased, st.Failing)
	}
}

// A lateRenewal renews no lease before begin is closed.
type lateRenewal struct {
	jobs.Queue
	begin chan struct{}
}

func (s lateRenewal) ExtendLease(
	ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	<-s.begin
	return s.Queue.ExtendLease(ctx, works, ttl, now)
}

// An interruptedHost visits nothing the first time, when it calls during.
type interruptedHost struct {
	jobs.Host
	during func(ctx context.Context)
}

func (s *interruptedHost) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	during := s.during
	if s.during = nil; during == nil {
		return s.Host.Visit(ctx, works)
	}
	return func(func(registry.Visit) bool) { during(ctx) }
}

// A stuckHost begins to read the first of its works and never ends; the others it visits.
type stuckHost struct {
	jobs.Host
	during func(stuck registry.Work) // after the others were visited
}

func (s stuckHost) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		works[0].OnProgress(registry.Repository{}, nil)
		for v := range s.Host.Visit(ctx, works[1:]) {
			if !yield(v) {
				return
			}
		}
		s.during(works[0])
	}
}

// TestStuckLease checks that a repository that is read without progress loses its lease, and that
// the others of its batch are stored in the meantime.
func TestStuckLease(t *testing.T) {
	fixtures, names := many(5)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	stuck := h.crawler()
	stuck.Heartbeat = 5 * time.Millisecond
	stuck.Hosts[registry.GitHub] = stuckHost{h.github, func(w registry.Work) {
		if !poll(func() bool { return h.status().Servers == len(names)-1 }) {
			t.Errorf("%d servers", h.status().Servers)
		}
		if !poll(func() bool {
			h.clock.advance(10 * time.Second)
			works, err := h.db.Lease(t.Context(), 10, time.Minute, h.clock.Now())
			h.must(err)
			return slices.ContainsFunc(works, func(x registry.Work) bool { return x.ID == w.ID })
		}) {
			t.Error("no other worker gets it")
		}
	}}
	if _, err := stuck.Refresh(t.Context(), len(names)); err != nil {
		t.Fatal(err)
	}
}

func TestTakeOver(t *testing.T) {
	fixtures, names := many(3)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	var workers []*postgres.DB
	for range 2 {
		db, err := postgres.Open(t.Context(), h.db.URL())
		h.must(err)
		works, err := db.Lease(t.Context(), 1, time.Hour, h.clock.Now())
		if err != nil || len(works) != 1 {
			t.Fatalf("%d leased, %v", len(works), err)
		}
		workers = append(workers, db)
	}
	defer workers[1].Close()
	if works, err := h.db.Lease(t.Context(), 1, time.Hour, h.clock.Now()); err != nil || len(works) != 1 {
		t.Fatalf("%d leased, %v", len(works), err)
	}
	h.must(workers[0].Close())
	if !poll(func() bool { // Postgres notices the end a moment later
		h.must(h.crawler().TakeOver(t.Context()))
		return h.status().Due > 0
	}) {
		t.Error("nothing was taken over")
	}
	if st := h.status(); st.Leased != 2 || st.Due != 1 {
		t.Errorf("%d leased, %d due, want 2 of the living and 1", st.Leased, st.Due)
	}
}

func TestRefreshLimit(t *testing.T) {
	fixtures, names := many(5)
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	n, err := h.crawler().Refresh(t.Context(), 3)
	if err != nil || n != 3 || h.status().Due != 2 {
		t.Errorf("visited %d, %d due, %v", n, h.status().Due, err)
	}
}

func TestListingOfRefusedRepository(t *testing.T) {
	for _, test := range []struct {
		name string
		stop func(h *fixture)
	}{
		{"refused token", func(h *fixture) { h.world.Revoke(token) }},
		{"spent budget", func(h *fixture) {
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
			h := newFixture(t, aServer("rail/held-mcp"), aServer("rail/new-mcp"))
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
			h.later(31 * 24 * time.Hour) // both are due again
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

// A sourceOf names batches of repositories; its state is the number of
// batches that were taken.
type sourceOf struct {
	name    string
	batches [][]registry.Candidate
	failAt  int // the batch before which it fails, 0 for never
	asked   []int
}

func (s *sourceOf) Name() string { return s.name }

func (s *sourceOf) Discover(
	_ context.Context, state []byte, yield func([]registry.Candidate, []byte) error,
) error {
	from, _ := strconv.Atoi(string(state))
	for i := from; i < len(s.batches); i++ {
		if s.failAt > 0 && i == s.failAt {
			return errors.New("the source went away")
		}
		s.asked = append(s.asked, i)
		if err := yield(s.batches[i], []byte(strconv.Itoa(i+1))); err != nil {
			return err
		}
	}
	return nil
}

func batchesOf(batches, each int) [][]registry.Candidate {
	var out [][]registry.Candidate
	for b := range batches {
		var batch []registry.Candidate
		for i := range each {
			batch = append(batch, registry.Candidate{Ref: ref(fmt.Sprintf("owner%d/repo%d", b, i)),
				Source: "test"})
		}
		out = append(out, batch)
	}
	return out
}

func known(s registry.Status) int {
	n := 0
	for _, count := range s.Repositories {
		n += count
	}
	return n
}

func TestDiscoverAfterFailure(t *testing.T) {
	h := newFixture(t, noServer("a/b"))
	s := &sourceOf{name: "test", batches: batchesOf(4, 3), failAt: 2}
	c := h.crawler()
	found, err := c.Discover(t.Context(), s, 0)
	if err == nil || !strings.Contains(err.Error(), "test: the source went away") || found != 6 {
		t.Fatalf("got %d, %v", found, err)
	}
	state, err := h.db.SourceState(t.Context(), "test")
	h.must(err)
	if state.LastError != "the source went away" || state.LastSuccess != nil ||
		known(h.status()) != 6 {
		t.Errorf("after the failure: %+v, %d repositories", state, known(h.status()))
	}
	s.failAt, s.asked = 0, nil
	found, err = c.Discover(t.Context(), s, 0)
	h.must(err)
	if found != 6 || fmt.Sprint(s.asked) != "[2 3]" {
		t.Errorf("the second run found %d in batches %v", found, s.asked)
	}
	state, err = h.db.SourceState(t.Context(), "test")
	h.must(err)
	if state.LastError != "" || state.LastSuccess == nil || known(h.status()) != 12 {
		t.Errorf("after the end: %+v, %d repositories", state, known(h.status()))
	}
}

func TestDiscoverLimit(t *testing.T) {
	h := newFixture(t, noServer("a/b"))
	s := &sourceOf{name: "test", batches: batchesOf(3, 3)}
	c := h.crawler()
	found, err := c.Discover(t.Context(), s, 4)
	h.must(err)
	if found != 4 || known(h.status()) != 4 {
		t.Fatalf("found %d, %d stored, want 4", found, known(h.status()))
	}
	if state, err := h.db.SourceState(t.Context(), "test"); err != nil || state.LastSuccess != nil {
		t.Errorf("a run that was cut short counts as whole: %+v, %v", state, err)
	}
	_, err = c.Discover(t.Context(), s, 0)
	h.must(err)
	if got := known(h.status()); got != 9 {
		t.Errorf("%d repositories after the rest, want 9", got)
	}
}

func TestListingsWithoutRepository(t *testing.T) {
	h := newFixture(t, noServer("a/b"))
	s := &sourceOf{name: "official-registry", batches: [][]registry.Candidate{{
		{Source: "official-registry",
			Listing: &registry.Listing{Name: "com.example/remote-only", Description: "Remote",
				Version: "1.0.0", Status: "active"}},
		{Ref: ref("rail/trains-mcp"), Source: "official-registry",
			Listing: &registry.Listing{Name: "io.github.rail/trains-mcp", Version: "1.0.0",
				Status: "active", RepoURL: "https://github.com/rail/trains-mcp"}},
	}}}
	found, err := h.crawler().Discover(t.Context(), s, 0)
	h.must(err)
	if st := h.status(); found != 2 || st.Listings != 2 || known(st) != 1 {
		t.Errorf("found %d, %d listings, %d repositories", found, st.Listings, known(st))
	}
}

func TestOfficialRegistryIncremental(t *testing.T) {
	h := newFixture(t)
	c := h.crawler()
	first, err := c.Discover(t.Context(), h.source, 0)
	h.must(err)
	if first < 5 {
		t.Fatalf("the registry named %d servers", first)
	}
	second, err := c.Discover(t.Context(), h.source, 0)
	h.must(err)
	if second >= first {
		t.Errorf("the second read took %d again, the first %d", second, first)
	}
}

// Waiting for the host's budget does not count as a failed attempt of the repositories: a
// later failure is retried as soon as without the wait.
func TestBudgetWaitIsNotAnAttempt(t *testing.T) {
	h := newFixture(t, aServer("rail/a-mcp"), aServer("rail/b-mcp"))
	h.enqueue("rail/a-mcp", "rail/b-mcp")
	h.world.SetLimit("graphql", 0)
	for range 5 {
		c := h.crawler()
		until := h.clock.Now().Add(time.Hour)
		c.Hosts[registry.GitHub] = hostWith{Host: h.github,
			backoff: func() (time.Time, error) { return until, h.github.Ready() }}
		if n, err := c.Refresh(t.Context(), 0); err != nil {
			t.Fatalf("visited %d, %v", n, err)
		}
		h.later(time.Hour + time.Minute)
	}
	w := h.work("rail/a-mcp")
	if w.Attempt != 0 {
		t.Errorf("waiting counted as %d attempts", w.Attempt)
	}
	if s := h.status(); s.Leased != 0 || s.Due != 2 {
		t.Errorf("leased %d, due %d", s.Leased, s.Due)
	}
	h.world.SetLimit("graphql", 5000)
	if n := h.refresh(); n != 2 {
		t.Errorf("visited %d when the budget was back", n)
	}
	if s := h.status(); len(s.Failing) != 0 {
		t.Errorf("still failing: %+v", s.Failing)
	}
}

func TestReasonOfWait(t *testing.T) {
	h := newFixture(t, aServer("rail/a-mcp"))
	h.enqueue("rail/a-mcp")
	h.refresh()
	h.later(20 * 24 * time.Hour)
	h.world.SetLimit("graphql", 0)
	for range 3 {
		h.refresh()
		h.later(time.Hour + time.Minute)
	}
	if w := h.work("rail/a-mcp"); w.Attempt != 0 {
		t.Errorf("waiting counted as %d attempts", w.Attempt)
	}
	s := h.status()
	if len(s.Failing) != 1 || !strings.HasPrefix(s.Failing[0].Error, "Not visited yet") {
		t.Errorf("got %+v", s.Failing)
	}
}

// A failingStore does not take the results of one repository, or nothing at all
// once it is down.
type failingStore struct {
	*postgres.DB
	refuses string
	down    bool
}

var errStore = errors.New("pq: value out of range for type integer")

func (s *failingStore) SaveResult(ctx context.Context, r registry.Result) error {
	if s.down || r.Visit.Work.Ref.Name == s.refuses {
		return errStore
	}
	return s.DB.SaveResult(ctx, r)
}

func (s *failingStore) Release(
	ctx context.Context, works []registry.Work, at time.Time, why string,
) error {
	if s.down {
		return errStore
	}
	return s.DB.Release(ctx, works, at, why)
}

func TestResultNotStored(t *testing.T) {
	names := []string{"rail/a-mcp", "rail/b-mcp", "rail/c-mcp", "rail/d-mcp", "rail/e-mcp",
		"rail/f-mcp"}
	var fixtures []string
	for _, name := range names {
		fixtures = append(fixtures, aServer(name))
	}
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	c := h.crawler()
	store := &failingStore{DB: h.db, refuses: "b-mcp"}
	c.Results, c.Queue = store, store
	n, err := c.Refresh(t.Context(), 0)
	if err != nil || n != len(names) {
		t.Errorf("visited %d, %v", n, err)
	}
	for _, name := range names {
		w := h.work(name)
		if name == "rail/b-mcp" {
			if w.Attempt != 1 || len(h.servers(name)) != 0 {
				t.Errorf("%s: attempt %d", name, w.Attempt)
			}
			continue
		}
		if w.Attempt != 0 || len(h.servers(name)) != 1 {
			t.Errorf("%s: attempt %d, %d servers", name, w.Attempt, len(h.servers(name)))
		}
	}
	s := h.status()
	if s.Leased != 0 || s.Due != 0 || len(s.Failing) != 1 || s.Failing[0].Count != 1 {
		t.Errorf("leased %d, due %d, failing %+v", s.Leased, s.Due, s.Failing)
	} else if strings.Contains(s.Failing[0].Error, "pq:") {
		t.Errorf("the status shows %q", s.Failing[0].Error)
	}
	// It waits longer each time. The others are visited again for their issues.
	h.later(11 * time.Minute)
	if n, err := c.Refresh(t.Context(), 0); n != len(names) || err != nil {
		t.Errorf("visited %d, %v", n, err)
	}
	h.later(11 * time.Minute)
	if n, err := c.Refresh(t.Context(), 0); n != 0 || err != nil {
		t.Errorf("visited %d after 11 minutes again, %v", n, err)
	}
}

func TestStoreUnavailable(t *testing.T) {
	var fixtures, names []string
	for _, letter := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		names = append(names, "rail/"+letter+"-mcp")
		fixtures = append(fixtures, aServer("rail/"+letter+"-mcp"))
	}
	h := newFixture(t, fixtures...)
	h.enqueue(names...)
	c := h.crawler()
	store := &failingStore{DB: h.db, down: true}
	c.Results, c.Queue, c.Log = store, store, slog.New(slog.DiscardHandler)
	n, err := c.Refresh(t.Context(), 0)
	if !errors.Is(err, errStore) {
		t.Errorf("visited %d, %v", n, err)
	}
	store.down = false
	h.later(2 * time.Minute) // the leases have run out
	if n, err := c.Refresh(t.Context(), 0); err != nil || n != len(names) {
		t.Errorf("then visited %d, %v", n, err)
	}
	if w := h.work("rail/a-mcp"); w.Attempt != 0 {
		t.Errorf("attempt %d", w.Attempt)
	}
}
