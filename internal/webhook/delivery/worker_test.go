package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// A store is a registry with its accounts.
type store struct {
	*postgres.DB
	*people.Store
}

func newStore(t *testing.T) store {
	t.Helper()
	db := pgtest.New(t)
	return store{db, people.New(db)}
}

// newAccount stores an account with a plan, and returns its ID.
func newAccount(t *testing.T, db store, name, plan string) int64 {
	t.Helper()
	l, _, err := db.SignUp(t.Context(), account.Login{Account: account.Account{
		Email: name + "@example.com", CreatedAt: now}}, name+"@example.com", account.ByOwner, "", now)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetPlan(t.Context(), account.ByOperator, now, l.ID,
		account.Subscription{Plan: plan}); err != nil {
		t.Fatal(err)
	}
	return l.ID
}

// newEndpoint stores an endpoint.
func newEndpoint(
	t *testing.T, db store, acc int64, url string, change ...func(*webhook.Endpoint),
) webhook.Endpoint {
	t.Helper()
	e := webhook.Endpoint{Account: acc, URL: url, Generation: 1, CreatedAt: now,
		UpdatedAt: now}
	for _, f := range change {
		f(&e)
	}
	e, err := db.AddEndpoint(t.Context(), e, 100)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// visit stores a repository with one server, whose description is text.
func visit(t *testing.T, db store, name string, score int, text string, at time.Time) {
	t.Helper()
	ref := registry.RepoRef{Host: registry.GitHub, Owner: "octo", Name: name}
	id := int64(len(name))*1000 + int64(name[0])
	if _, err := db.Enqueue(t.Context(), []registry.Candidate{{Ref: ref, HostID: id,
		Source: "github"}}, at); err != nil {
		t.Fatal(err)
	}
	works, err := db.Lease(t.Context(), 100, time.Hour, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range works {
		if w.Ref != ref {
			if err := db.Release(t.Context(), []registry.Work{w}, at, ""); err != nil {
				t.Fatal(err)
			}
			continue
		}
		repo := registry.Repository{Host: registry.GitHub, ID: id, NodeID: "R", Owner: "octo",
			Name: name, Commit: "c1", CreatedAt: now, UpdatedAt: now, PushedAt: now, ObservedAt: at}
		if err := db.SaveResult(t.Context(), registry.Result{
			Visit: registry.Visit{Work: w, Outcome: registry.Fetched,
				Snapshot: &registry.Snapshot{Repo: repo}},
			Now: at, NextAt: at, State: "server",
			Scored: []registry.Scored{{Facts: registry.Facts{Repo: repo}, Server: registry.Server{
				Name: name, Description: text, Repo: repo, Status: registry.StatusActive,
				Category: "tools", Health: registry.Health{Status: registry.HealthScored,
					Score: &score, Version: "mh-1"},
			}}},
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// A receiver counts what arrives, by path.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    map[string][]string // "type" or "type server" of deliveries by path
	status map[string]int      // of responses by path; default 200
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{got: map[string][]string{}, status: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[q.URL.Path] = append(r.got[q.URL.Path], q.Header.Get("webhook-id"))
		if s := r.status[q.URL.Path]; s != 0 {
			w.WriteHeader(s)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// worker returns a worker whose clock is *at.
func worker(db store, r *receiver, at *time.Time) *Worker {
	return &Worker{Store: db.Store, Log: slog.New(slog.DiscardHandler), Site: "Census",
		Base: "https://census.example", Now: func() time.Time { return *at },
		Sender: &Sender{Hosts: []string{strings.TrimPrefix(r.URL, "http://")}}}
}

// drain does what is due.
func drain(t *testing.T, w *Worker) (attempts int) {
	t.Helper()
	for {
		n := 0
		var jobs []webhook.Job
		busy, err := w.step(t.Context(), 16, func(j webhook.Job) { jobs = append(jobs, j) })
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			w.attempt(t.Context(), j)
			n++
		}
		if attempts += n; n == 0 && !busy {
			return attempts
		}
	}
}

// types returns the types of the deliveries to an endpoint, with states.
func types(t *testing.T, db store, e webhook.Endpoint) string {
	t.Helper()
	list, err := db.Deliveries(t.Context(), e.Account, e.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range list {
		what := strings.TrimPrefix(d.Event.Type, "server.")
		if d.Event.Server != "" {
			what += " " + d.Event.Server
		}
		if d.State != webhook.Delivered {
			what += fmt.Sprintf(" (%s after %d)", d.State, d.Attempts)
		}
		all = append(all, what)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestWorker(t *testing.T) {
	db := newStore(t)
	r := newReceiver(t)
	clock := now
	w := worker(db, r, &clock)
	basic := newAccount(t, db, "basic", account.Basic)
	big := newAccount(t, db, "big", account.Enterprise)
	lapsed := newAccount(t, db, "lapsed", account.Basic)
	for _, acc := range []int64{big, lapsed} {
		if _, _, err := db.PutCustom(t.Context(), acc, account.Custom{Name: "good",
			Filters: `{"qualityScore":{"gte":50}}`, CreatedAt: now, UpdatedAt: now}, 10); err != nil {
			t.Fatal(err)
		}
	}
	endpoints := map[string]webhook.Endpoint{}
	add := func(name string, acc int64, change ...func(*webhook.Endpoint)) {
		endpoints[name] = newEndpoint(t, db, acc, r.URL+"/"+name, change...)
	}
	add("all", basic)
	add("beyond the plan", basic)
	add("big", big)
	add("listed", big, func(e *webhook.Endpoint) { e.Events = []string{webhook.Listed} })
	add("servers", big, func(e *webhook.Endpoint) { e.Servers = []string{"octo-b"} })
	add("view", big, func(e *webhook.Endpoint) { e.Search = "good" })
	add("lapsed", lapsed, func(e *webhook.Endpoint) { e.Search = "good" })
	add("disabled", big, func(e *webhook.Endpoint) { e.DisabledAt = &now })
	drain(t, w)

	visit(t, db, "a", 70, "one", clock)
	visit(t, db, "b", 20, "one", clock)
	drain(t, w)
	visit(t, db, "b", 60, "one", clock)
	drain(t, w)
	visit(t, db, "a", 30, "two", clock)
	visit(t, db, "b", 60, "two", clock)
	drain(t, w)
	clock = clock.Add(time.Second)
	if _, err := db.AddTest(t.Context(), big, endpoints["listed"].ID, mustTest(clock)); err != nil {
		t.Fatal(err)
	}
	drain(t, w)

	const everything = "listed octo-a, listed octo-b, score_changed octo-a, score_changed octo-b, " +
		"updated octo-a, updated octo-b"
	want := map[string]string{
		"all":             everything,
		"beyond the plan": "",
		"big":             everything,
		"listed":          "listed octo-a, listed octo-b, webhook.test",
		"servers":         "listed octo-b, score_changed octo-b, updated octo-b",
		"view":            "listed octo-a, score_changed octo-b, updated octo-b",
		"lapsed":          "",
		"disabled":        "",
	}
	got := map[string]string{}
	for name, e := range endpoints {
		got[name] = types(t, db, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, ids := range r.got {
		slices.Sort(ids)
		if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
			t.Errorf("%s received %d events %d times", path, n, len(ids))
		}
	}
	if n := len(r.got["/all"]); n != 6 {
		t.Errorf("/all received %d", n)
	}
	if s, err := db.WebhookStatus(t.Context(), clock); err != nil ||
		s != (registry.WebhookStatus{Endpoints: 8, Disabled: 1}) {
		t.Errorf("status %+v, %v", s, err)
	}
	// Deliveries and endpoints go with the account.
	if err := db.DeleteAccount(t.Context(), big); err != nil {
		t.Fatal(err)
	}
	if s, err := db.WebhookStatus(t.Context(), clock); err != nil || s.Endpoints != 3 {
		t.Errorf("status after a deletion %+v, %v", s, err)
	}
}

func mustTest(at time.Time) webhook.Event {
	e, err := webhook.TestChange().Event(0, at)
	if err != nil {
		panic(err)
	}
	return e
}

type mails []string

func (m *mails) Send(to, subject, _ string) error {
	*m = append(*m, to+": "+subject)
	return nil
}

func TestRetries(t *testing.T) {
	db := newStore(t)
	r := newReceiver(t)
	clock := now
	w := worker(db, r, &clock)
	var sent mails
	w.Mail = &sent
	acc := newAccount(t, db, "a", account.Professional)
	failing := newEndpoint(t, db, acc, r.URL+"/failing")
	gone := newEndpoint(t, db, acc, r.URL+"/gone")
	fine := newEndpoint(t, db, acc, r.URL+"/fine")
	r.status["/failing"], r.status["/gone"] = 500, 410
	visit(t, db, "a", 70, "one", clock)
	if n := drain(t, w); n != 3 {
		t.Errorf("%d attempts at first", n)
	}
	if got := types(t, db, fine); got != "listed octo-a" {
		t.Error(got)
	}
	if got := types(t, db, gone); got != "listed octo-a (failed after 1)" {
		t.Error(got)
	}
	if diff := cmp.Diff(mails{"a@example.com: Census: A webhook endpoint was disabled"}, sent); diff != "" {
		t.Error(diff)
	}
	clock = clock.Add(4 * time.Second)
	if n := drain(t, w); n != 0 {
		t.Errorf("%d attempts after four seconds", n)
	}
	// All attempts within three to four days.
	attempts := 1
	for range 100 {
		clock = clock.Add(time.Hour)
		attempts += drain(t, w)
	}
	if got := types(t, db, failing); got != "listed octo-a (failed after 10)" || attempts != 10 {
		t.Errorf("%s, %d attempts", got, attempts)
	}
	// Resend it, while the endpoint works again.
	list, err := db.Deliveries(t.Context(), acc, failing.ID, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Resend(t.Context(), acc+1, failing.ID, list[0].ID, clock); err == nil {
		t.Error("another account could resend")
	}
	if _, err := db.Resend(t.Context(), acc, failing.ID, list[0].ID, clock); err != nil {
		t.Fatal(err)
	}
	// Five days of failures disable it.
	clock = now.Add(5 * 24 * time.Hour)
	drain(t, w)
	e, err := db.Endpoint(t.Context(), acc, failing.ID)
	if err != nil || e.DisabledWhy != webhook.DisabledFailing || len(sent) != 2 {
		t.Errorf("%+v, %v, %d mails", e, err, len(sent))
	}
	// Enabled again, it gets what waits.
	r.status["/failing"] = 200
	if _, err := db.UpdateEndpoint(t.Context(), acc, failing.ID, "webhook.changed",
		func(e *webhook.Endpoint) { e.Apply(webhook.Settings{URL: e.URL}, clock) }); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(time.Hour)
	drain(t, w)
	if got := types(t, db, failing); got != "listed octo-a" {
		t.Error(got)
	}
	if e, err = db.Endpoint(t.Context(), acc, failing.ID); err != nil || e.FailingSince != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// A slow endpoint has two requests at a time, and does not hold up others.
func TestSlowEndpoint(t *testing.T) {
	db := newStore(t)
	acc := newAccount(t, db, "a", account.Professional)
	slow := newEndpoint(t, db, acc, "https://slow.example/")
	fast := newEndpoint(t, db, acc, "https://fast.example/")
	for range 5 {
		for _, e := range []webhook.Endpoint{slow, fast} {
			if _, err := db.AddTest(t.Context(), acc, e.ID, mustTest(now)); err != nil {
				t.Fatal(err)
			}
		}
	}
	claim := func(at time.Time) (jobs []webhook.Job, of map[int64]int) {
		t.Helper()
		jobs, err := db.ClaimDeliveries(t.Context(), 100, 2, time.Minute, at)
		if err != nil {
			t.Fatal(err)
		}
		of = map[int64]int{}
		for _, j := range jobs {
			of[j.EndpointID]++
		}
		return jobs, of
	}
	jobs, of := claim(now)
	if diff := cmp.Diff(map[int64]int{slow.ID: 2, fast.ID: 2}, of); diff != "" {
		t.Error(diff)
	}
	for _, j := range jobs {
		if j.EndpointID == fast.ID {
			if _, err := db.SaveAttempt(t.Context(), j,
				j.Result(webhook.Attempt{At: now, Status: 200}, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, of = claim(now); of[slow.ID] != 0 || of[fast.ID] != 2 {
		t.Errorf("claimed %v", of)
	}
	// The leases of a killed worker end.
	jobs, of = claim(now.Add(time.Minute))
	if of[slow.ID] != 2 || of[fast.ID] != 2 {
		t.Errorf("claimed %v after a minute", of)
	}
	for _, j := range jobs {
		if j.EndpointID == slow.ID {
			if _, err := db.SaveAttempt(t.Context(), j,
				j.Result(webhook.Attempt{At: now, Error: "no response in time"}, 0)); err != nil {
				t.Fatal(err)
			}
			if err := db.ReleaseDeliveries(t.Context(), jobs); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if _, of = claim(now.Add(time.Minute)); of[slow.ID] != 1 {
		t.Errorf("claimed %v after a failure", of)
	}
}

func TestRun(t *testing.T) {
	db := newStore(t)
	r := newReceiver(t)
	acc := newAccount(t, db, "a", account.Professional)
	newEndpoint(t, db, acc, r.URL+"/a")
	visit(t, db, "a", 70, "one", now)
	w := worker(db, r, new(time.Time))
	w.Now = time.Now
	results := make(chan string, 1)
	w.Done = func(result string) { results <- result }
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- w.Run(ctx) }()
	if got := <-results; got != "delivered" {
		t.Error(got)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
