package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func (h *fixture) checker() *jobs.Checker {
	return &jobs.Checker{
		Ingester: jobs.Ingester{Facts: h.db, Results: h.db, SDK: h.enrich.SDK, Hosts: h.hosts(),
			Reader: h.reader, Strikes: h.strikes(), Texts: h.db.Texts, Log: slog.New(slog.DiscardHandler), Now: h.clock.Now},
		Checks: h.db, Enrich: h.enrich, Enqueue: h.db.Enqueue,
		Timeout: time.Minute, // as long as a check may take
	}
}

func (h *fixture) check(c *jobs.Checker, name string) registry.CheckResult {
	h.t.Helper()
	r, err := c.Check(h.t.Context(), ref(name))
	if err != nil {
		h.t.Fatalf("check of %s: %v", name, err)
	}
	return r
}

func TestCheckOfUnknownRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	r := h.check(h.checker(), "Rail/Trains-MCP")
	if r.Status != registry.CheckDone || len(r.Servers) != 1 ||
		r.Servers[0].Server.Health.Score == nil || r.Ref.Owner != "rail" {
		t.Errorf("got %+v", r)
	}
	if n := known(h.status()); n != 1 {
		t.Errorf("%d repositories are queued, want 1", n)
	}
}

func TestConcurrentChecksOfOneRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.check(h.checker(), "rail/trains-mcp")
	alone := len(h.world.Requests())

	h.later(25 * time.Hour) // the report is stale, and is made again
	h.github = h.newGitHub(nil)
	h.world.ClearRequests()
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Delay: 300 * time.Millisecond})
	checkers := []*jobs.Checker{h.checker(), h.checker()} // as two processes
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			r, err := checkers[i%2].Check(t.Context(), ref("rail/trains-mcp"))
			if err != nil || len(r.Servers) != 1 || r.Stale {
				t.Errorf("got %d servers, stale %v, %v", len(r.Servers), r.Stale, err)
			}
		})
	}
	wg.Wait()
	if n := len(h.world.Requests()); n > alone {
		t.Errorf("ten checks asked %d times, one asks %d times", n, alone)
	}
}

func TestFreshReportReused(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	first := h.check(c, "rail/trains-mcp")
	h.world.ClearRequests()
	h.later(23 * time.Hour)
	again := h.check(c, "rail/trains-mcp")
	if n := len(h.world.Requests()); n != 0 || !again.At.Equal(first.At) || again.Stale {
		t.Errorf("%d requests, report of %s, stale %v", n, again.At, again.Stale)
	}
	h.later(2 * time.Hour)
	if newer := h.check(c, "rail/trains-mcp"); !newer.At.After(first.At) {
		t.Errorf("after a day the report is still of %s", newer.At)
	}
	byID, err := c.Checked(t.Context(), first.ID)
	if err != nil || len(byID.Servers) != 1 {
		t.Errorf("by its ID: %d servers, %v", len(byID.Servers), err)
	}
	for _, id := range []string{"", "!!", "bm90aGluZw", strings.Repeat("A", 400)} {
		if _, err := c.Checked(t.Context(), id); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("ID %.10q: %v", id, err)
		}
	}
}

func TestNotFoundCached(t *testing.T) {
	h := newFixture(t, noServer("cook/book"))
	c := h.checker()
	for i, remembered := range []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour,
		24 * time.Hour} {
		if r := h.check(c, "no/body"); r.Status != registry.CheckNotFound {
			t.Fatalf("time %d: got %+v", i, r)
		}
		h.world.ClearRequests()
		h.later(remembered - time.Minute)
		if r := h.check(c, "no/body"); r.Status != registry.CheckNotFound ||
			len(h.world.Requests()) != 0 {
			t.Errorf("time %d: asked %d times within %s", i, len(h.world.Requests()), remembered)
		}
		h.later(2 * time.Minute)
	}
	gone, err := c.Checked(t.Context(), h.check(c, "no/body").ID)
	if err != nil || gone.Status != registry.CheckNotFound {
		t.Errorf("by its ID: %+v, %v", gone, err)
	}
	h.later(25 * time.Hour)
	h.must(h.world.Add(aServer("no/body")))
	if r := h.check(c, "no/body"); r.Status != registry.CheckDone || len(r.Servers) != 1 {
		t.Errorf("there at last: %+v", r)
	}
}

func TestCheckWithoutServer(t *testing.T) {
	h := newFixture(t, noServer("cook/book"), "repo: rail/nothing\ncreated: 3d\nservers: 0\n",
		aServer("rail/trains-mcp"))
	h.must(h.world.Block("rail/trains-mcp", "dmca"))
	for _, name := range []string{"cook/book", "rail/nothing", "rail/trains-mcp"} {
		if r := h.check(h.checker(), name); r.Status != registry.CheckDone || len(r.Servers) != 0 ||
			r.Reason == "" {
			t.Errorf("%s: got %+v", name, r)
		}
	}
	if n := known(h.status()); n != 0 {
		t.Errorf("%d repositories without servers are queued", n)
	}
}

func TestSlowCheck(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Delay: 700 * time.Millisecond, Times: 1})
	c := h.checker()
	c.Timeout = 100 * time.Millisecond
	r := h.check(c, "rail/trains-mcp")
	if r.Status != registry.CheckPending || r.ID == "" || r.RetryAfter <= 0 {
		t.Fatalf("got %+v", r)
	}
	poll(func() bool {
		var err error
		r, err = c.Checked(t.Context(), r.ID)
		h.must(err)
		return r.Status != registry.CheckPending
	})
	if r.Status != registry.CheckDone || len(r.Servers) != 1 {
		t.Errorf("later: %+v", r)
	}
}

// TestFailedCheckByID polls checks that fail after their callers left: the ID responds with the
// failure for as long as the check is stored.
func TestFailedCheckByID(t *testing.T) {
	for name, x := range map[string]struct {
		setup func(h *fixture, c *jobs.Checker)
		want  string
	}{
		"failing host": {func(h *fixture, c *jobs.Checker) {
			h.world.Fail(fakegithub.Fault{Path: "/github/", Status: http.StatusBadGateway,
				Delay: 300 * time.Millisecond})
		}, "GitHub did not respond about the repository"},
		"internal error": {func(h *fixture, c *jobs.Checker) {
			h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Delay: 300 * time.Millisecond,
				Times: 1})
			c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github, paths: trip("trains-mcp")}
		}, "The repository could not be processed"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, folderServer("rail/trains-mcp"))
			c, other := h.checker(), h.checker() // as two processes
			c.Timeout = 50 * time.Millisecond
			x.setup(h, c)
			pending := h.check(c, "rail/trains-mcp")
			if pending.Status != registry.CheckPending {
				t.Fatalf("got %+v", pending)
			}
			poll(func() bool {
				r, err := c.Checked(t.Context(), pending.ID)
				if err == nil && r.Ref.FullName() != "rail/trains-mcp" {
					t.Errorf("the check is of %s", r.Ref)
				}
				return err != nil || r.Status != registry.CheckPending
			})
			for _, later := range []time.Duration{0, 2 * time.Minute, 6 * 24 * time.Hour} {
				h.later(later)
				for _, c := range []*jobs.Checker{c, other} {
					_, err := c.Checked(t.Context(), pending.ID)
					if !errors.Is(err, registry.ErrCheckFailed) ||
						!strings.HasPrefix(err.Error(), x.want) {
						t.Errorf("%s later: %v", later, err)
					}
				}
			}
			h.world.ClearFaults()
			if r := h.check(other, "rail/trains-mcp"); r.Status != registry.CheckDone {
				t.Errorf("another check: %s", r.Status)
			}
			if r, err := c.Checked(t.Context(), pending.ID); err != nil || len(r.Servers) == 0 {
				t.Errorf("by the same ID: %d servers, %v", len(r.Servers), err)
			}
		})
	}
}

// TestInterruptedCheckByID polls a check whose process ended.
func TestInterruptedCheckByID(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	key := ref("rail/trains-mcp").Key()
	_, _, err := h.db.StartCheck(t.Context(), key, h.clock.Now(), time.Second)
	h.must(err)
	c := h.checker()
	c.Timeout = time.Millisecond
	id := h.check(c, "rail/trains-mcp").ID
	h.later(2 * time.Minute)
	if _, err := c.Checked(t.Context(), id); !errors.Is(err, registry.ErrCheckFailed) ||
		!strings.HasPrefix(err.Error(), "The check was interrupted.") {
		t.Errorf("got %v", err)
	}
	if r := h.check(h.checker(), "rail/trains-mcp"); len(r.Servers) != 1 {
		t.Errorf("another check: %+v", r)
	}
}

func TestCheckProgress(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Delay: 400 * time.Millisecond, Times: 3})
	c, other := h.checker(), h.checker() // as two processes
	c.Timeout, other.Timeout = time.Millisecond, time.Millisecond
	asked := 0
	begin := func() error { asked++; return nil }
	refused := registry.Errorf(registry.ErrLimited, "no budget")
	if _, err := c.Follow(t.Context(), ref("rail/trains-mcp"),
		func() error { return refused }); err != refused {
		t.Fatalf("it was begun in spite of %v: %v", refused, err)
	}
	var r registry.CheckResult
	var seen []registry.CheckProgress
	poll(func() bool {
		for _, c := range []*jobs.Checker{c, other} {
			var err error
			r, err = c.Follow(t.Context(), ref("rail/trains-mcp"), begin)
			h.must(err)
		}
		if p := r.Progress; p != nil {
			if p.Repo.FullName() != "rail/trains-mcp" || p.Searched && len(r.Servers) != 1 {
				t.Fatalf("so far: %+v with %d servers", p, len(r.Servers))
			}
			seen = append(seen, *p)
		}
		return r.Status == registry.CheckDone
	})
	if len(seen) == 0 || seen[0].Read != nil || r.Status != registry.CheckDone ||
		len(r.Servers) != 1 || r.Progress != nil || asked != 1 {
		t.Errorf("seen %+v, begun %d times, at the end %+v", seen, asked, r)
	}
}

func TestCheckAfterCallerLeaves(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Delay: 300 * time.Millisecond, Times: 1})
	c := h.checker()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Check(ctx, ref("rail/trains-mcp")); err == nil {
		t.Fatal("the visitor left, and was answered")
	}
	if r := h.check(c, "rail/trains-mcp"); len(r.Servers) != 1 {
		t.Errorf("got %+v", r)
	}
}

// spent returns the response of a host whose budget is spent until a time.
func spent(until time.Time) func() registry.Visit {
	return func() registry.Visit {
		return registry.Visit{Outcome: registry.Failed, Err: &transport.LimitError{Until: until}}
	}
}

func TestStaleReportWithoutBudget(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	first := h.check(h.checker(), "rail/trains-mcp")
	c := h.checker()
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github,
		resolve: spent(h.clock.Now().Add(time.Hour))}
	for range 3 { // the warnings must not pile up
		h.later(25 * time.Hour)
		r := h.check(c, "rail/trains-mcp")
		if !r.Stale || len(r.Servers) != 1 || !r.At.Equal(first.At) {
			t.Fatalf("stale %v, %d servers, of %s", r.Stale, len(r.Servers), r.At)
		}
		if n := strings.Count(strings.Join(r.Warnings, "\n"),
			"Could not be checked again"); n != 1 {
			t.Errorf("warnings: %q", r.Warnings)
		}
	}
	if _, err := c.Check(t.Context(), ref("tram/lines-mcp")); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("nothing known and nothing to ask: got %v", err)
	}
}

func TestHostFailureNotCachedAsNotFound(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.world.Fail(fakegithub.Fault{Path: "/github/", Status: http.StatusBadGateway, Body: "<html>"})
	c := h.checker()
	if _, err := c.Check(t.Context(), ref("rail/trains-mcp")); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	h.world.ClearFaults()
	h.world.ClearRequests()
	h.later(20 * time.Second)
	for _, c := range []*jobs.Checker{c, h.checker()} { // also in another process
		_, err := c.Check(t.Context(), ref("rail/trains-mcp"))
		if e, ok := errors.AsType[*registry.Error](err); !ok ||
			!errors.Is(err, registry.ErrUnavailable) || e.RetryAfter != 40*time.Second {
			t.Errorf("20 seconds later: got %v", err)
		}
	}
	if n := len(h.world.Requests()); n != 0 {
		t.Errorf("asked %d times within a minute of the failure", n)
	}
	h.later(40 * time.Second)
	if r := h.check(c, "rail/trains-mcp"); r.Status != registry.CheckDone || len(r.Servers) != 1 {
		t.Errorf("healed: %s with %d servers", r.Status, len(r.Servers))
	}
}

// failing returns the response of a host that fails.
func failing(asked *atomic.Int64) func() registry.Visit {
	return func() registry.Visit {
		asked.Add(1)
		return registry.Visit{Outcome: registry.Failed, Err: errors.New("502")}
	}
}

func TestFailedRenewal(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	h.check(c, "rail/trains-mcp")
	h.later(25 * time.Hour)
	var asked atomic.Int64
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github, resolve: failing(&asked)}
	for range 3 {
		if r := h.check(c, "rail/trains-mcp"); !r.Stale || len(r.Servers) != 1 ||
			len(r.Warnings) == 0 {
			t.Errorf("stale %v, %d servers, warnings %q", r.Stale, len(r.Servers), r.Warnings)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	h.later(time.Minute)
	h.check(c, "rail/trains-mcp")
	if n := asked.Load(); n != 2 {
		t.Errorf("a minute later: asked %d times in all, want 2", n)
	}
}

func TestBreaker(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	var asked atomic.Int64
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github, resolve: failing(&asked)}
	refused := func(name string) *registry.Error {
		t.Helper()
		_, err := c.Check(t.Context(), ref(name))
		e, ok := errors.AsType[*registry.Error](err)
		if !ok || !errors.Is(err, registry.ErrUnavailable) {
			t.Fatalf("%s: got %v", name, err)
		}
		return e
	}
	for i := range 4 {
		refused(fmt.Sprintf("slow/repo%d", i))
		h.later(11 * time.Second) // never five within 30 seconds
	}
	for i := range 3 {
		refused(fmt.Sprintf("fast/repo%d", i))
	}
	if n := asked.Load(); n != 7 {
		t.Fatalf("asked %d times, want 7", n)
	}
	h.later(50 * time.Second)
	if e := refused("rail/trains-mcp"); asked.Load() != 7 || e.RetryAfter != 10*time.Second {
		t.Errorf("asked %d times, told to come back in %s", asked.Load(), e.RetryAfter)
	}
	c.Ingester.Hosts[registry.GitHub] = h.github
	h.later(10 * time.Second)
	if r := h.check(c, "rail/trains-mcp"); len(r.Servers) != 1 {
		t.Errorf("a minute later: %s with %d servers", r.Status, len(r.Servers))
	}
}

func TestLimitOfNewChecks(t *testing.T) {
	h := newFixture(t, noServer("cook/book"))
	c := h.checker()
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github,
		resolve: func() registry.Visit { return registry.Visit{Outcome: registry.Blocked} }}
	const burst = 60
	var wg sync.WaitGroup
	var mu sync.Mutex
	limited := 0
	for i := range burst + 10 {
		wg.Go(func() {
			_, err := c.Check(t.Context(), ref(fmt.Sprintf("nobody/repo%d", i)))
			mu.Lock()
			defer mu.Unlock()
			if e, ok := errors.AsType[*registry.Error](err); ok &&
				errors.Is(err, registry.ErrLimited) && e.RetryAfter > 0 {
				limited++
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if limited != 10 {
		t.Errorf("%d of %d were refused, want 10", limited, burst+10)
	}
	h.later(time.Minute) // 600 an hour are ten a minute
	allowed := 0
	for i := range 15 {
		if _, err := c.Check(t.Context(), ref(fmt.Sprintf("nobody/later%d", i))); err == nil {
			allowed++
		}
	}
	if allowed != 10 {
		t.Errorf("%d were allowed a minute later, want 10", allowed)
	}
}

func TestCheckOfHiddenServer(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	before := h.check(c, "rail/trains-mcp") // of a time when it was not hidden
	h.refresh()
	slug := h.server("rail/trains-mcp").Slug
	h.must(h.db.Hide(t.Context(), slug, "spam"))
	none := func(name string) {
		t.Helper()
		r, err := c.Check(t.Context(), ref(name))
		if !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%s: %s with %d servers, %v", name, r.Status, len(r.Servers), err)
		}
	}
	none("rail/trains-mcp")
	if r, err := c.Checked(t.Context(), before.ID); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("by the ID of its check: %s with %d servers, %v", r.Status, len(r.Servers), err)
	}
	h.later(25 * time.Hour)
	h.world.ClearRequests()
	none("Rail/Trains-MCP")
	if n := len(h.world.Requests()); n != 0 {
		t.Errorf("%d requests about it", n)
	}
	h.must(h.world.Rename("rail/trains-mcp", "railway/timetable-mcp"))
	none("railway/timetable-mcp") // the host reports that it is the same
	h.must(h.db.Unhide(t.Context(), slug))
	if r := h.check(c, "railway/timetable-mcp"); len(r.Servers) != 1 ||
		r.ListedAs != ref("rail/trains-mcp").Key() {
		t.Errorf("shown again, and listed under the name it had: %+v", r)
	}
}

func TestCheckOfPartlyHiddenRepository(t *testing.T) {
	h := newFixture(t)
	h.enqueue("nimbus-tools/toolbox")
	h.refresh()
	all := h.servers("nimbus-tools/toolbox")
	h.must(h.db.Hide(t.Context(), all[1].Slug, "spam"))
	r := h.check(h.checker(), "nimbus-tools/toolbox")
	if len(r.Servers) != len(all)-1 {
		t.Errorf("the report has %d of %d servers", len(r.Servers), len(all))
	}
	for _, s := range r.Servers {
		if s.Server.Subfolder == all[1].Subfolder {
			t.Errorf("%s is in the report", s.Server.Subfolder)
		}
	}
}

func TestCheckOfFolders(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	for _, path := range []string{"main/src/a", "main/src/b", ""} {
		address := ref("rail/trains-mcp")
		address.Path = path
		r, err := c.Check(t.Context(), address)
		if err != nil || r.Ref.Path != path {
			t.Fatalf("asked with %q: got %q, %v", path, r.Ref.Path, err)
		}
		again, err := c.Checked(t.Context(), r.ID)
		if err != nil || again.Ref.Path != path || again.ID != r.ID {
			t.Errorf("asked for the check with %q: got %q, %v", path, again.Ref.Path, err)
		}
	}
}

func TestCheckUsesStoredTexts(t *testing.T) {
	h := newFixture(t)
	const name = "octo-labs/weather-mcp"
	h.enqueue(name)
	h.refresh()
	if _, err := h.packager().Facts(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/", Status: http.StatusInternalServerError})
	h.world.ClearRequests()
	r := h.check(h.checker(), name)
	if len(r.Servers) != 1 || r.Servers[0].Facts.Scorecard == nil || len(r.Warnings) != 0 {
		t.Errorf("%d servers, warnings %q, facts %+v", len(r.Servers), r.Warnings,
			r.Servers[0].Facts)
	}
	if n := h.asked("/deps-dev/v3/projects/"); n != 0 {
		t.Errorf("asked %d times for the scorecard that is stored", n)
	}
}

func TestCheckWithoutBudget(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), aServer("rail/trams-mcp"))
	c := h.checker()
	until, why := h.clock.Now().Add(48*time.Minute), error(nil)
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github,
		backoff: func() (time.Time, error) { return until, why }}
	h.check(c, "rail/trams-mcp")
	h.later(25 * time.Hour)
	h.world.ClearRequests()
	until, why = h.clock.Now().Add(48*time.Minute), errors.New(
		"github: graphql budget is spent until 12:48")
	begun := 0
	begin := func() error { begun++; return nil }
	_, err := c.Follow(t.Context(), ref("rail/trains-mcp"), begin)
	var shown *registry.Error
	if !errors.As(err, &shown) || !errors.Is(err, registry.ErrUnavailable) ||
		shown.RetryAfter != 48*time.Minute || !strings.Contains(shown.Msg, "budget is spent") {
		t.Errorf("got %v", err)
	}
	if r, err := c.Follow(t.Context(), ref("rail/trams-mcp"), begin); err != nil || !r.Stale ||
		len(r.Servers) != 1 || !strings.Contains(strings.Join(r.Warnings, " "), "budget is spent") {
		t.Errorf("what is known: %v, %v", r.Warnings, err)
	}
	if n := len(h.world.Requests()); n != 0 || begun != 0 {
		t.Errorf("%d requests, %d checks begun", n, begun)
	}
	until = time.Time{}
	if _, err := c.Check(t.Context(), ref("rail/trains-mcp")); !errors.As(err, &shown) ||
		shown.RetryAfter != time.Hour || strings.Contains(shown.Msg, "github") {
		t.Errorf("refused: %v", err)
	}
}

// A check that requests a fresh read of a listed server returns a current report, and
// the registry's entry follows.
func TestRecheckOfListedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	c := h.checker()
	asked := 0
	begin := func() error { asked++; return nil }
	again := func() registry.CheckResult {
		t.Helper()
		var r registry.CheckResult
		if !poll(func() (done bool) {
			var err error
			r, err = c.Recheck(t.Context(), ref("rail/trains-mcp"), begin)
			h.must(err)
			return r.Status != registry.CheckPending
		}) {
			t.Fatal("there is no report")
		}
		return r
	}
	again()
	h.refresh()
	h.later(10 * time.Minute)
	if r, err := c.Follow(t.Context(), ref("rail/trains-mcp"), begin); err != nil || asked != 1 ||
		!r.At.Before(h.clock.Now()) {
		t.Fatalf("who only looks begins a check: %+v, %v", r, err)
	}
	if r := again(); asked != 2 || !r.At.Equal(h.clock.Now().Truncate(time.Second)) {
		t.Errorf("asked %d times, got a report of %v at %v", asked, r.At, h.clock.Now())
	}
	h.later(time.Minute)
	if again(); asked != 2 {
		t.Error("a report of a minute ago is made again")
	}
	if n := h.refresh(); n != 1 {
		t.Errorf("%d repositories are due, want the one that was asked for", n)
	}
	s := h.server("rail/trains-mcp")
	if s.LastCrawledAt == nil || !s.LastCrawledAt.Equal(h.clock.Now()) {
		t.Errorf("last read %v, want %v", s.LastCrawledAt, h.clock.Now())
	}
	for _, source := range s.Sources {
		if source.Name == "on-demand" {
			t.Errorf("it is said to be found through a check: %+v", s.Sources)
		}
	}
}

func TestCheckWithoutStore(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	c := h.checker()
	h.db.Close()
	for name, ask := range map[string]func() (registry.CheckResult, error){
		"check": func() (registry.CheckResult,
			error) {
			return c.Check(t.Context(), ref("rail/trains-mcp"))
		},
		"follow": func() (registry.CheckResult, error) {
			return c.Follow(t.Context(), ref("rail/trains-mcp"), func() error { return nil })
		},
	} {
		if _, err := ask(); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
