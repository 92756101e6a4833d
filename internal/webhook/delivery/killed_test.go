package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/webhook"
)

// Variables of a process that TestKilledWorker starts.
const (
	workerDatabase = "CENSUS_TEST_WEBHOOK_DATABASE"
	workerHost     = "CENSUS_TEST_WEBHOOK_HOST"
)

// endpointsVariable is how many endpoints TestKilledWorker has, by default 200.
const endpointsVariable = "CENSUS_TEST_WEBHOOK_ENDPOINTS"

// speed is how much faster the clock of the worker of TestKilledWorker is, so that
// retries and ends of leases need not be awaited.
const speed = 30

// TestMain runs the worker of TestKilledWorker, or the tests.
func TestMain(m *testing.M) {
	if url := os.Getenv(workerDatabase); url != "" {
		if err := runWorker(url, os.Getenv(workerHost)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func runWorker(url, host string) error {
	db, err := postgres.Open(context.Background(), url)
	if err != nil {
		return err
	}
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &Worker{Store: people.New(db), Log: slog.New(slog.DiscardHandler),
		Now:    func() time.Time { return base.Add(time.Since(base) * speed) },
		Sender: &Sender{Hosts: []string{host}, Timeout: time.Second}}
	return w.Run(context.Background())
}

// A fleet are receivers, of which every fifth fails at first.
type fleet struct {
	mu       sync.Mutex
	byPath   map[string]webhook.Endpoint
	events   map[string]int             // expected by path
	attempts map[string]map[string]int  // by path and event
	accepted map[string]map[string]bool // by path and event
	faults   []string
	received []received // all requests, of all attempts
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	id := r.Header.Get("webhook-id")
	f.mu.Lock()
	e, ok := f.byPath[r.URL.Path]
	if f.attempts[r.URL.Path] == nil {
		f.attempts[r.URL.Path], f.accepted[r.URL.Path] = map[string]int{}, map[string]bool{}
	}
	f.attempts[r.URL.Path][id]++
	n := f.attempts[r.URL.Path][id]
	stamp, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	want := http.Header{}
	if signErr := webhook.Sign(want, id, time.Unix(stamp, 0), body, []string{secretOf(e)}); signErr != nil ||
		!ok || err == nil && want.Get("webhook-signature") != r.Header.Get("webhook-signature") {
		f.faults = append(f.faults, "signature of another endpoint at "+r.URL.Path)
	}
	f.received = append(f.received, receivedOf(r.Header, string(body), secretOf(e)))
	f.mu.Unlock()
	switch {
	case e.ID%10 == 0 && n == 1:
		<-r.Context().Done() // never responds
		return
	case e.ID%5 == 0 && n <= 2:
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.accepted[r.URL.Path][id] = true
}

// missing returns how many events endpoints have not accepted yet.
func (f *fleet) missing() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, expected := range f.events {
		n += expected - len(f.accepted[p])
	}
	return n
}

func (f *fleet) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.received)
}

// Endpoints receive each of ten events at least once while a fifth of them fail at first
// and the worker is killed again and again, and none receives what another account's does.
func TestKilledWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	endpoints := 100
	if v := os.Getenv(endpointsVariable); v != "" {
		var err error
		if endpoints, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	db := newStore(t)
	f := &fleet{byPath: map[string]webhook.Endpoint{}, events: map[string]int{}, attempts: map[string]map[string]int{},
		accepted: map[string]map[string]bool{}}
	server := httptest.NewServer(f)
	defer server.CloseClientConnections()
	defer server.Close()
	var own []webhook.Endpoint // one of each account
	for n := 0; n < endpoints; {
		acc := newAccount(t, db, fmt.Sprint("a", n), account.Enterprise)
		for i := 0; i < 50 && n < endpoints; i++ {
			p := fmt.Sprint("/", acc, "/", n)
			e := newEndpoint(t, db, acc, server.URL+p)
			f.byPath[p], f.events[p] = e, 10
			if n++; i == 0 {
				own = append(own, e)
				f.events[p]++
			}
		}
	}
	for n := range 10 {
		visit(t, db, "a", 70, fmt.Sprint("text ", n), now.Add(time.Duration(n)*time.Minute))
	}
	for _, e := range own { // events of one account
		if _, err := db.AddTest(t.Context(), e.Account, e.ID, mustTest(now)); err != nil {
			t.Fatal(err)
		}
	}
	kills, deadline := 0, time.Now().Add(10*time.Minute)
	for f.missing() > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("%d deliveries are missing", f.missing())
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerDatabase+"="+db.URL(),
			workerHost+"="+strings.TrimPrefix(server.URL, "http://"))
		var output strings.Builder
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// At first it is killed in the middle of its work.
		middle := endpoints * 2 * (kills + 1)
		for began := time.Now(); time.Since(began) < 15*time.Second && f.missing() > 0; {
			if kills < 4 && f.requests() >= middle {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("the worker has ended: %v\n%s", err, output.String())
		}
		_ = cmd.Wait()
		kills++
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.faults {
		t.Error(fault)
	}
	twice := 0
	for p, e := range f.byPath {
		list, err := db.Deliveries(t.Context(), e.Account, e.ID, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		expected := map[string]bool{}
		for _, d := range list {
			expected[d.Event.ID] = true
		}
		for id, n := range f.attempts[p] {
			if !expected[id] {
				t.Errorf("endpoint %s of account %d received %s", path.Base(p), e.Account, id)
			}
			twice += n - 1
		}
	}
	t.Logf("%d endpoints, %d kills, %d attempts more than one", endpoints, kills, twice)
	if kills < 4 {
		t.Errorf("the worker was killed only %d times", kills)
	}
	t.Run("signatures", func(t *testing.T) {
		types := make([]string, len(f.received))
		for i, r := range f.received {
			var body struct{ Type string }
			if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
				t.Fatal(err)
			}
			types[i] = body.Type
		}
		verifyAll(t, f.received, types)
	})
}
