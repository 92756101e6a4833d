package postgres_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestPackages(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	npm, pypi := registry.PackageKey{RegistryType: "npm",
		Identifier: "@octo/weather"},
		registry.PackageKey{RegistryType: "pypi", Identifier: "weather"}
	for range 2 {
		if err := db.EnqueuePackages(t.Context(),
			[]registry.PackageKey{npm, pypi, npm,
				{RegistryType: "npm", Identifier: strings.Repeat("x",
					1<<20)}, {}}, start); err != nil {
			t.Fatal(err)
		}
	}
	leasePackages := func(kind string, now time.Time, types ...string) []registry.PackageWork {
		t.Helper()
		keys, err := db.LeasePackages(t.Context(), kind, types, 10, time.Hour, now)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if keys := leasePackages(registry.PackageFactsKind, start); len(keys) != 2 {
		t.Fatalf("due for facts: %v, want both", keys)
	}
	if keys := leasePackages(registry.PackageFactsKind, start); len(keys) != 0 {
		t.Errorf("leased twice: %v", keys)
	}
	if keys := leasePackages(registry.PackageDownloadsKind, start, "npm"); len(keys) != 1 ||
		keys[0].PackageKey != npm || keys[0].Attempt != 0 {
		t.Errorf("due for downloads: %v, want %v", keys, npm)
	}
	if known, err := db.PackageFacts(t.Context(), []registry.PackageKey{npm, pypi}); err != nil ||
		len(known) != 0 {
		t.Errorf("known before any answer: %v %v", known, err)
	}

	observed, counted := at(1), at(2)
	facts := registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather",
		Latest: "1.2.3\x00", Found: new(true), ObservedAt: &observed}
	if err := db.SavePackage(t.Context(), facts, at(100), ""); err != nil {
		t.Fatal(err)
	}
	if err := db.SavePackage(t.Context(),
		registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather",
			Downloads: new(int64(42)), DownloadsObservedAt: &counted}, at(50), ""); err != nil {
		t.Fatal(err)
	}
	facts.Latest = "1.2.4"
	if err := db.SavePackage(t.Context(), facts, at(100), "no advisories"); err != nil {
		t.Fatal(err)
	}
	known, err := db.PackageFacts(t.Context(), []registry.PackageKey{npm, pypi})
	if err != nil {
		t.Fatal(err)
	}
	want := facts
	want.Downloads, want.DownloadsObservedAt = new(int64(42)), &counted
	if diff := cmp.Diff(map[registry.PackageKey]registry.PackageFacts{npm: want},
		known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	if err := db.FailPackage(t.Context(), registry.PackageFactsKind, pypi, at(3),
		"says 503"); err != nil {
		t.Fatal(err)
	}
	if keys := leasePackages(registry.PackageFactsKind, at(2.9)); len(keys) != 0 {
		t.Errorf("due too early: %v", keys)
	}
	if keys := leasePackages(registry.PackageFactsKind, at(3)); len(keys) != 1 ||
		keys[0].PackageKey != pypi || keys[0].Attempt != 1 {
		t.Errorf("due after a failure: %v", keys)
	}
	if keys := leasePackages(registry.PackageDownloadsKind, at(50), "npm"); len(keys) != 1 {
		t.Errorf("downloads due: %v", keys)
	}
	if err := db.SavePackage(t.Context(),
		registry.PackageFacts{RegistryType: "npm", Identifier: "never wanted",
			ObservedAt: &observed}, at(1), ""); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("a package nobody wants: %v", err)
	}
	if _, err := db.LeasePackages(t.Context(), "colour", nil, 1, time.Hour, start); err == nil {
		t.Error("leased an unknown kind")
	}
	status, err := db.Status(t.Context(), at(60))
	if err != nil || status.Packages != 2 || status.PackagesDue != 1 || status.DownloadsDue != 2 ||
		len(status.Failing) != 2 {
		t.Errorf("status %+v, %v", status, err)
	}
}

func TestListings(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	listing := func(name, repoID string) *registry.Listing {
		return &registry.Listing{Name: name, Description: "d", Status: "active",
			RepoSource: "github", RepoID: repoID}
	}
	first, second, third := candidate("octo/many", 0), candidate("Octo/Many",
		7), candidate("octo/many", 8)
	first.Listing, second.Listing, third.Listing = listing("io.x/a", ""), listing("io.x/b",
		"7"), listing("io.x/c", "8")
	enqueue(t, db, start, first)
	enqueue(t, db, start, second)
	enqueue(t, db, start, third) // says that the name is another repository's
	if err := db.SaveListings(t.Context(),
		[]registry.Listing{{Name: "io.x/remote", Status: "active"},
			{Name: "", Status: "active"}}, start); err != nil {
		t.Fatal(err)
	}
	if s, err := db.Status(t.Context(), start); err != nil || s.Listings != 4 {
		t.Errorf("%d listings, %v; want 4", s.Listings, err)
	}
	of := func(key string, id int64) string {
		t.Helper()
		ls, err := db.ListingsOfRepo(t.Context(), key, id)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range ls {
			all = append(all, l.Name)
		}
		return strings.Join(all, " ")
	}
	if got, want := of("github:octo/many", 7), "io.x/a io.x/b"; got != want {
		t.Errorf("listings of the repository: %s, want %s", got, want)
	}
	if got, want := of("github:octo/many", 0), "io.x/a io.x/b io.x/c"; got != want {
		t.Errorf("listings of the name: %s, want %s", got, want)
	}
	if got, want := of("github:elsewhere/x", 8), "io.x/c"; got != want {
		t.Errorf("listings of the id: %s, want %s", got, want)
	}
	// IDs belong to a host: another host's repository may have the same.
	other := registry.Candidate{Ref: registry.RepoRef{Host: "forge", Owner: "octo/sub",
		Name: "many"}, HostID: 7, Source: "test"}
	other.Listing = listing("io.x/d", "7")
	other.Listing.RepoSource = "forge"
	enqueue(t, db, start, other)
	if got, want := of("forge:octo/sub/many", 7), "io.x/d"; got != want {
		t.Errorf("listings of another host's repository: %s, want %s", got, want)
	}
	if got, want := of("github:octo/many", 7), "io.x/a io.x/b"; got != want {
		t.Errorf("listings beside another host's: %s, want %s", got, want)
	}
	// The entry moves to another repository.
	moved := candidate("octo/new", 0)
	moved.Listing = listing("io.x/a", "")
	enqueue(t, db, at(1), moved)
	if got, want := of("github:octo/new", 0)+"|"+of("github:octo/many",
		7), "io.x/a|io.x/b"; got != want {
		t.Errorf("after it moved: %s, want %s", got, want)
	}
}

func TestStartCheckConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const key = "github:octo/weather"
	var started atomic.Int32
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			run, ok, err := db.StartCheck(t.Context(), key, start, time.Minute)
			if err != nil || run.State != registry.CheckRunning {
				t.Errorf("%+v, %v", run, err)
			}
			if ok {
				started.Add(1)
			}
		})
	}
	group.Wait()
	if started.Load() != 1 {
		t.Fatalf("%d started the check, want 1", started.Load())
	}
	for _, sofar := range []string{"found", "read"} {
		if err := db.NoteCheck(t.Context(), key, []byte(sofar)); err != nil {
			t.Fatal(err)
		}
		if run, err := db.Check(t.Context(), key); err != nil ||
			run.State != registry.CheckRunning || string(run.Progress) != sofar {
			t.Errorf("so far %s: %+v, %v", sofar, run, err)
		}
	}
	if err := db.FinishCheck(t.Context(), key, at(0.01), []byte("report"), true); err != nil {
		t.Fatal(err)
	}
	if err := db.NoteCheck(t.Context(), key, []byte("too late")); err != nil {
		t.Fatal(err)
	}
	run, err := db.Check(t.Context(), key)
	if run.Progress != nil {
		t.Errorf("done, and still %q", run.Progress)
	}
	if err != nil || run.State != registry.CheckDone || string(run.Result) != "report" ||
		!run.FinishedAt.Equal(at(0.01)) {
		t.Errorf("done: %+v, %v", run, err)
	}
	if _, ok, err := db.StartCheck(t.Context(), key, at(1), time.Minute); !ok || err != nil {
		t.Errorf("again: %v %v", ok, err)
	}
	if run, err := db.Check(t.Context(), key); err != nil || run.Progress != nil {
		t.Errorf("begun again, it has come as far as the run before: %q, %v", run.Progress, err)
	}
	// It comes to nothing, or its process dies: the old result stays and the
	// next may try.
	if err := db.FinishCheck(t.Context(), key, at(1), nil, true); err != nil {
		t.Fatal(err)
	}
	if run, _ := db.Check(t.Context(), key); string(run.Result) != "report" ||
		!run.FinishedAt.Equal(at(0.01)) {
		t.Errorf("after nothing: %+v", run)
	}
	for _, hour := range []float64{2, 2.1} {
		if _, ok, err := db.StartCheck(t.Context(), key, at(hour), time.Minute); !ok || err != nil {
			t.Errorf("at hour %v: %v %v; want a new start", hour, ok, err)
		}
	}
	if _, err := db.Check(t.Context(), "github:nobody/asked"); !errors.Is(err,
		registry.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	for _, bad := range []string{"", strings.Repeat("x", 1000)} {
		if _, _, err := db.StartCheck(t.Context(), bad, start, time.Minute); !errors.Is(err,
			registry.ErrInvalid) {
			t.Errorf("key of %d bytes: %v", len(bad), err)
		}
	}
}

func TestCheckMisses(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const key = "github:octo/nothing"
	now := start
	for i, wait := range []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 24 * time.Hour} {
		if _, ok, err := db.StartCheck(t.Context(), key, now, time.Minute); !ok || err != nil {
			t.Fatalf("try %d: %v %v", i, ok, err)
		}
		if err := db.FinishCheck(t.Context(), key, now, []byte("{}"), false); err != nil {
			t.Fatal(err)
		}
		run, ok, err := db.StartCheck(t.Context(), key, now.Add(wait-time.Second), time.Minute)
		if ok || err != nil || run.State != registry.CheckNotFound || run.Misses != i+1 ||
			!run.NegativeUntil.Equal(now.Add(wait)) {
			t.Errorf("after miss %d: %+v %v %v; want until %v", i+1, run, ok, err, now.Add(wait))
		}
		now = now.Add(wait)
	}
	if _, ok, _ := db.StartCheck(t.Context(), key, now, time.Minute); !ok {
		t.Fatal("never asked again")
	}
	if err := db.FinishCheck(t.Context(), key, now, []byte("found"), true); err != nil {
		t.Fatal(err)
	}
	if run, _ := db.Check(t.Context(), key); run.Misses != 0 || run.NegativeUntil != nil {
		t.Errorf("after it was found: %+v", run)
	}
	if n, err := db.ForgetChecks(t.Context(), now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
}

func TestUpkeepStates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	state, err := db.SourceState(t.Context(), "github")
	if err != nil || state.Name != "github" || state.Cursor != nil || state.LastSuccess != nil {
		t.Errorf("a source never read: %+v %v", state, err)
	}
	when := at(1)
	want := registry.SourceState{Name: "github", Cursor: []byte(`{"page":2}`), LastStarted: &when,
		LastError: "502", LastErrorAt: &when, Found: 7}
	if err := db.SaveSourceState(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := db.SourceState(t.Context(), "github")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("source state: %v\n%s", err, diff)
	}
	if err := db.SaveSourceState(t.Context(),
		registry.SourceState{Name: "x", Cursor: []byte("{")}); err == nil {
		t.Error("stored an invalid cursor")
	}

	budget := registry.Budget{Upstream: "github", Credential: "a1", Resource: "core", Limit: 5000,
		Remaining: 10, ResetAt: at(2), ObservedAt: at(1)}
	older := budget
	older.Remaining, older.ObservedAt = 4000, at(0)
	for _, b := range []registry.Budget{budget, older} {
		if err := db.SaveBudget(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	budgets, err := db.Budgets(t.Context())
	if diff := cmp.Diff([]registry.Budget{budget}, budgets); diff != "" || err != nil {
		t.Errorf("budgets: %v\n%s", err, diff)
	}

	for i := range 120 {
		run := registry.JobRun{Job: "refresh", StartedAt: at(float64(i))}
		id, err := db.JobStarted(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if i < 119 {
			end := at(float64(i) + 0.5)
			run.FinishedAt, run.Note = &end, fmt.Sprint("run ", i)
			if err := db.JobFinished(t.Context(), id, run); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs, err := db.JobRuns(t.Context())
	if err != nil || len(runs) != 1 || !runs[0].StartedAt.Equal(at(119)) ||
		runs[0].FinishedAt != nil {
		t.Errorf("runs: %+v %v", runs, err)
	}

	crawled(t, db, "octo/weather", 7, start, "", "b")
	enqueue(t, db, at(1), candidate("octo/new", 8), candidate("octo/new2", 9))
	lease(t, db, 1, at(1))
	if err := db.Hide(t.Context(), "octo-weather-b", "spam"); err != nil {
		t.Fatal(err)
	}
	status, err := db.Status(t.Context(), at(1.5))
	if err != nil {
		t.Fatal(err)
	}
	if status.Repositories["server"] != 1 || status.Repositories["new"] != 2 ||
		status.Servers != 1 || status.Hidden != 1 ||
		status.Due != 1 || status.Leased != 1 || *status.LagP50 != 1800 || *status.AgeP50 != 5400 ||
		status.Seq != 3 {
		text, _ := json.MarshalIndent(status, "", " ")
		t.Errorf("status %s", text)
	}
	if status.Unvisited != 2 || len(status.Named) == 0 {
		t.Errorf("unvisited %d, want 2; named %v", status.Unvisited, status.Named)
	}
	if len(status.Sources) != 1 || len(status.Budgets) != 1 || len(status.Jobs) != 1 {
		t.Errorf("status lacks sources, budgets or jobs: %+v", status)
	}
}
