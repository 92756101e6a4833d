package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

func TestTryLock(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	release, ok, err := db.TryLock(t.Context(), "crawl")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := db.TryLock(t.Context(), "crawl"); ok || err != nil {
		t.Errorf("while held: got %v, %v", ok, err)
	}
	release()
	release, ok, err = db.TryLock(t.Context(), "crawl")
	if !ok || err != nil {
		t.Fatalf("after release: got %v, %v", ok, err)
	}
	release()
}

func TestLocksOverProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	open := func() *postgres.DB {
		db, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	one, other := open(), open()
	var releases []func()
	for i := range 60 {
		release, ok, err := one.TryLock(t.Context(), fmt.Sprint("list ", i))
		if err != nil || !ok {
			t.Fatal(i, ok, err)
		}
		releases = append(releases, release)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := one.Ping(ctx); err != nil {
		t.Fatalf("while 60 locks are held: %v", err)
	}
	if _, ok, err := other.TryLock(t.Context(), "list 7"); ok || err != nil {
		t.Errorf("held by another process: %v, %v", ok, err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, ok, err := one.TryLock(cancelled, "more"); ok || err == nil {
		t.Errorf("for a caller who is gone: %v, %v", ok, err)
	}
	releases[7]()
	release, ok, err := other.TryLock(t.Context(), "list 7")
	if !ok || err != nil {
		t.Fatalf("after release: %v, %v", ok, err)
	}
	release()
	release() // twice does no harm
	if _, ok, err := other.TryLock(t.Context(), "list 8"); ok || err != nil {
		t.Errorf("still held by another process: %v, %v", ok, err)
	}
	for _, release := range releases {
		release()
	}
	if _, ok, err := other.TryLock(t.Context(), "list 8"); !ok || err != nil {
		t.Errorf("after all were released: %v, %v", ok, err)
	}
}

// A request does not wait for a server that keeps connections open and stops responding.
func TestRequestPoolSilentServer(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var silent atomic.Bool
	var dials atomic.Int64
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			dials.Add(1)
			t.Cleanup(func() { client.Close() })
			behind, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			t.Cleanup(func() { behind.Close() })
			for _, way := range [][2]net.Conn{{client, behind}, {behind, client}} {
				go func() {
					b := make([]byte, 32<<10)
					for {
						n, err := way[0].Read(b)
						if err != nil {
							way[1].Close()
							return
						}
						if !silent.Load() {
							_, _ = way[1].Write(b[:n])
						}
					}
				}()
			}
		}
	}()
	u.Host = listener.Addr().String()
	db, err := postgres.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	answers, err := db.RequestPool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answers.Close() })
	if _, err := answers.Growth(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	silent.Store(true)
	ask := func() error {
		done := make(chan error, 1)
		go func() {
			_, _, err := people.New(answers).Session(t.Context(), account.TokenHash{}, time.Now())
			done <- err
		}()
		select {
		case err := <-done:
			return err
		case <-time.After(time.Minute):
			t.Error("still waiting after a minute")
			return nil
		}
	}
	if err := ask(); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("a silent server answered: %v", err)
	}
	// Once that is found out, nobody opens a connection to wait at.
	deadline := time.Now().Add(30 * time.Second)
	for dialed := dials.Load(); ; dialed = dials.Load() {
		for range 100 {
			if err := ask(); !errors.Is(err, registry.ErrUnavailable) {
				t.Fatalf("a silent server answered: %v", err)
			}
			if time.Now().After(deadline) {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("each request dials and waits")
		}
		if dials.Load() < dialed+50 { // pings whether it responds again
			break
		}
	}
	silent.Store(false)
	for {
		if err := ask(); err == nil {
			break
		}
		if time.Now().After(deadline.Add(30 * time.Second)) {
			t.Fatal("does not recover")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A slow statement does not mean that the server is down.
func TestRequestPoolSlowStatement(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	answers, err := db.RequestPool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answers.Close() })
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	tx, err := own.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`LOCK TABLE sessions`); err != nil {
		t.Fatal(err)
	}
	long := make(chan error, 1)
	go func() {
		_, _, err := people.New(answers).Session(t.Context(), account.TokenHash{}, time.Now())
		long <- err
	}()
	for waiting := true; waiting; {
		select {
		case err := <-long:
			if !errors.Is(err, registry.ErrUnavailable) {
				t.Errorf("a statement that has no end was waited for: %v", err)
			}
			waiting = false
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := people.New(answers).Keys(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 { // while it is asked whether the server is silent
		if _, err := people.New(answers).Keys(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	server := pgtest.Empty(t)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	password, ok := u.User.Password()
	if !ok {
		t.Skip("SKIPPED: the server of CENSUS_TEST_DATABASE_URL asks for no password")
	}
	for _, test := range []struct{ url, want string }{
		{"", "must look like"},
		{"mysql://root:hunter2@localhost/x", "must look like"},
		{"postgres://u:hunter2@[::1/x", "must look like"},
		{"postgres://u:hunter2@local host/x", "must look like"},
		{"postgres://u:hunter2@127.0.0.1:1/x", "is the server running"},
		{strings.Replace(server, password, "hunter2", 1), "refuses this user or password"},
		{strings.Replace(server, u.Path+"?", "/hunter?", 1), "the database does not exist"},
		{strings.Replace(server, "sslmode=disable", "sslmode=require", 1), "TLS"},
		{"postgres://u:hunter2@127.0.0.1:99999/x", `invalid DATABASE_URL: pq: wrong value for "port"`},
	} {
		_, err := postgres.Open(t.Context(), test.url)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%q): %v, want %q", test.url, err, test.want)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), password) {
			t.Errorf("Open(%q) leaks the password: %v", test.url, err)
		}
	}
}

func TestMigrateConcurrently(t *testing.T) {
	t.Parallel()
	server := pgtest.Empty(t)
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			db, err := postgres.Open(context.Background(), server)
			if err == nil {
				err = db.Close()
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	db, err := sql.Open("postgres", server)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var seqs int
	if err := db.QueryRow(`SELECT count(*) FROM changes`).Scan(&seqs); err != nil || seqs != 1 {
		t.Errorf("%d counters, %v; want 1", seqs, err)
	}
}

// A process that a newer version has overtaken starts nothing and stores nothing.
func TestNewerSchema(t *testing.T) {
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("acme/one", 1))
	enqueue(t, db, start, candidate("acme/two", 2))
	work := lease(t, db, 1, start)[0]
	own := sqlx.MustConnect("postgres", db.URL())
	defer own.Close()
	own.MustExec(`INSERT INTO migrations (name) VALUES ('0000_added_later')`)
	for name, f := range map[string]func() error{
		"lease":  func() error { _, err := db.Lease(t.Context(), 1, time.Hour, start); return err },
		"extend": func() error { _, err := db.ExtendLease(t.Context(), nil, time.Hour, start); return err },
		"lock":   func() error { _, _, err := db.TryLock(t.Context(), "job"); return err },
		"save": func() error {
			return db.SaveResult(t.Context(), fetched(work, observed("acme/one", 1, start), start, ""))
		},
		"open": func() error { _, err := postgres.Open(t.Context(), db.URL()); return err },
		"enqueue": func() error {
			_, err := db.Enqueue(t.Context(), []registry.Candidate{candidate("acme/three", 3)}, start)
			return err
		},
		"scores":  func() error { _, err := db.SaveScores(t.Context(), []registry.Scored{{}}, start); return err },
		"package": func() error { return db.FailPackage(t.Context(), "facts", registry.PackageKey{}, start, "") },
		"figures": func() error { _, err := db.SnapshotDay(t.Context(), start); return err },
		"deliveries": func() error {
			_, err := people.New(db).ClaimDeliveries(t.Context(), 1, 1, time.Hour, start)
			return err
		},
		"delivery": func() error {
			_, err := people.New(db).SaveAttempt(t.Context(), webhook.Job{}, webhook.Attempt{})
			return err
		},
		"dispatch": func() error {
			_, err := people.New(db).Dispatch(t.Context(), nil, start)
			return err
		},
	} {
		if err := f(); !errors.Is(err, postgres.ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if st, err := db.Status(t.Context(), start); err != nil || st.Leased != 1 || st.Due != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestFailed checks which errors mean that the database is away.
func TestFailed(t *testing.T) {
	for code, want := range map[string]bool{"08006": true, "28P01": true, "28000": true, "3D000": true,
		"53100": true, "53200": false, "53300": true, "57P01": true, "23505": false, "42601": false} {
		err := postgres.Failed("reading", fmt.Errorf("x: %w", &pq.Error{Code: pqerror.Code(code)}))
		if got := errors.Is(err, registry.ErrUnavailable); got != want {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestCause checks that causes name no host, user or database.
func TestCause(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 5432},
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for want, err := range map[string]error{
		"connection refused": refused,
		"invalid password":   &pq.Error{Code: "28P01", Message: `password authentication failed for user "ada"`},
		"no response":        context.DeadlineExceeded,
	} {
		if got := postgres.Cause(fmt.Errorf("reading: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
