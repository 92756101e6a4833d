package keyring_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// The test asks Postgres itself for what the store has no method for.
func open(t *testing.T, db *postgres.DB) *sql.DB {
	t.Helper()
	s, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newAccount(t *testing.T, s *sql.DB, email string) (id int64) {
	t.Helper()
	if err := s.QueryRow(`INSERT INTO accounts (email, email_key, created_at) VALUES ($1, $1, now()) RETURNING id`, email).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// process returns a ring that follows db as a process of its own would.
func process(t *testing.T, store keyring.Store) *keyring.Ring {
	t.Helper()
	r := keyring.New(store, slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Follow(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Follow: %v", err)
		}
	})
	eventually(t, "the keys are read", r.Ready)
	return r
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not: %s", what)
		}
	}
}

func code(err error) string {
	if e, ok := errors.AsType[*registry.Error](err); ok && errors.Is(err, registry.ErrUnauthorized) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func make1(t *testing.T, r *keyring.Ring, accountID int64, name string) (account.Key, string) {
	t.Helper()
	k, text, err := r.Make(t.Context(), "owner", accountID, account.KeyChange{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return k, text
}

func TestFindInTwoProcesses(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	one := process(t, db)
	// A second process has connections of its own.
	db2, err := postgres.Open(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db2.Close() })
	two := process(t, db2)
	both := []*keyring.Ring{one, two}

	k, text := make1(t, one, who, "ci")
	if k.ID == 0 || k.Prefix != text[:10] || k.Name != "ci" || k.Account != who {
		t.Fatalf("made %+v for %d", k, who)
	}
	// No waiting: it works in both at once.
	for i, r := range both {
		if a, err := r.Find(time.Now(), text); err != nil || a != (account.Access{Account: who, Key: k.ID, Plan: account.PlanNamed("basic"), Scopes: account.AllScopes}) {
			t.Errorf("process %d: %+v, %v", i, a, err)
		}
	}
	plan := func(id string) func() bool {
		return func() bool {
			for _, r := range both {
				if a, err := r.Find(time.Now(), text); err != nil || a.Plan.ID != id {
					return false
				}
			}
			return true
		}
	}
	if _, err := s.Exec(`UPDATE accounts SET plan = 'enterprise' WHERE id = $1`, who); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both see the new plan", plan("enterprise"))
	// An end of the plan needs no change: the clock is enough.
	if _, err := s.Exec(`UPDATE accounts SET plan_until = now() + interval '300 ms', plan_next = 'professional' WHERE id = $1`, who); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the next plan takes over", plan("professional"))

	if _, err := one.Revoke(t.Context(), "owner", who, k.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Find(time.Now(), text); code(err) != "revoked_api_key" {
		t.Errorf("in the process that revoked it: %v", err)
	}
	eventually(t, "the other process sees it too", func() bool { _, err := two.Find(time.Now(), text); return code(err) == "revoked_api_key" })

	_, text = make1(t, two, who, "other")
	eventually(t, "it works", func() bool { _, err := one.Find(time.Now(), text); return err == nil })
	if _, err := s.Exec(`DELETE FROM accounts WHERE id = $1`, who); err != nil {
		t.Fatal(err)
	}
	for _, r := range both {
		eventually(t, "keys of a deleted account are not known", func() bool { _, err := r.Find(time.Now(), text); return code(err) == "invalid_api_key" })
	}
	late := process(t, db)
	if _, err := late.Find(time.Now(), text); code(err) != "invalid_api_key" {
		t.Errorf("a process that starts later: %v", err)
	}
}

func TestRotate(t *testing.T) {
	db := pgtest.New(t)
	who := newAccount(t, open(t, db), "ann@example.com")
	r := process(t, db)
	k, text := make1(t, r, who, "ci")
	old, made, newText, err := r.Rotate(t.Context(), "owner", who, k.ID)
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "ci" || made.ID == old.ID || newText == text || old.ExpiresAt == nil || !old.ExpiresAt.Equal(made.CreatedAt.Add(24*time.Hour)) {
		t.Fatalf("old %+v, new %+v", old, made)
	}
	ends := *old.ExpiresAt
	for _, tt := range []struct {
		at   time.Time
		want string
	}{{made.CreatedAt, ""}, {ends.Add(-1), ""}, {ends, "revoked_api_key"}, {ends.Add(time.Hour), "revoked_api_key"}} {
		if _, err := r.Find(tt.at, text); code(err) != tt.want {
			t.Errorf("old key at %v: %v, want %q", tt.at, err, tt.want)
		}
		if a, err := r.Find(tt.at, newText); err != nil || a.Key != made.ID {
			t.Errorf("new key at %v: %+v, %v", tt.at, a, err)
		}
	}
	if _, err := r.Find(ends, text); !strings.Contains(err.Error(), "rotated") {
		t.Errorf("the answer does not say what became of it: %v", err)
	}
	// There are never more than two of them.
	if _, _, _, err := r.Rotate(t.Context(), "owner", who, old.ID); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("the old key rotated again: %v", err)
	}
	if _, _, _, err := r.Rotate(t.Context(), "owner", who, made.ID); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("the new key rotated within the overlap: %v", err)
	}
	if _, err := r.Revoke(t.Context(), "owner", who, old.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Find(time.Now(), text); code(err) != "revoked_api_key" {
		t.Errorf("revoked within the overlap: %v", err)
	}
	if _, _, _, err := r.Rotate(t.Context(), "owner", who, made.ID); err != nil {
		t.Errorf("after the old one was revoked: %v", err)
	}
}

func TestMakeConcurrently(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	r := process(t, db)
	var wg sync.WaitGroup
	var made, refused atomic.Int32
	for range 20 {
		wg.Go(func() {
			_, _, err := r.Make(context.Background(), "owner", who, account.KeyChange{Name: "key"})
			switch {
			case err == nil:
				made.Add(1)
			case errors.Is(err, registry.ErrConflict):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != account.MaxKeys || refused.Load() != 20-account.MaxKeys {
		t.Fatalf("%d made, %d refused", made.Load(), refused.Load())
	}
	keys, err := db.Keys(t.Context(), who)
	if err != nil || len(keys) != account.MaxKeys {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	full := func(want bool) {
		t.Helper()
		_, _, err := r.Make(t.Context(), "owner", who, account.KeyChange{Name: "one more"})
		if errors.Is(err, registry.ErrConflict) != want || !want && err != nil {
			t.Errorf("one more: %v, want it refused: %v", err, want)
		}
	}
	// A rotated pair counts as one, and goes on to when only the old one is left.
	_, fresh, _, err := r.Rotate(t.Context(), "owner", who, keys[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	full(true)
	if _, err := r.Revoke(t.Context(), "owner", who, fresh.ID); err != nil {
		t.Fatal(err)
	}
	full(true)
	if _, err := r.Revoke(t.Context(), "owner", who, keys[0].ID); err != nil {
		t.Fatal(err)
	}
	full(false)
	full(true)
}

func TestListEndedKeys(t *testing.T) {
	db := pgtest.New(t)
	who := newAccount(t, open(t, db), "ann@example.com")
	maker, r := keyring.New(db, slog.New(slog.DiscardHandler), nil), process(t, db) // the maker waits for nothing
	var first, last string
	for range 103 {
		k, text := make1(t, maker, who, "key")
		if _, err := maker.Revoke(t.Context(), "owner", who, k.ID); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = text
		}
		last = text
	}
	k, _ := make1(t, maker, who, "rotated")
	for range 5 {
		_, made, _, err := maker.Rotate(t.Context(), "owner", who, k.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := maker.Revoke(t.Context(), "owner", who, k.ID); err != nil {
			t.Fatal(err)
		}
		k = made
	}
	keys, err := db.Keys(t.Context(), who)
	if err != nil || len(keys) != 101 {
		t.Errorf("%d keys kept, %v", len(keys), err)
	}
	eventually(t, "the last revoked key is known to be", func() bool { _, err := r.Find(time.Now(), last); return code(err) == "revoked_api_key" })
	if _, err := r.Find(time.Now(), first); code(err) != "invalid_api_key" {
		t.Errorf("the first: %v", err)
	}
}

func TestKeysOfOtherAccounts(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	ann, bob := newAccount(t, s, "ann@example.com"), newAccount(t, s, "bob@example.com")
	r := process(t, db)
	k, text := make1(t, r, ann, "ci")
	for name, f := range map[string]func() error{
		"rename": func() error {
			_, err := r.Change(t.Context(), "owner", bob, k.ID, account.KeyChange{Name: "mine"})
			return err
		},
		"rotate": func() error { _, _, _, err := r.Rotate(t.Context(), "owner", bob, k.ID); return err },
		"revoke": func() error { _, err := r.Revoke(t.Context(), "owner", bob, k.ID); return err },
		"make": func() error {
			_, _, err := r.Make(t.Context(), "owner", bob+1000, account.KeyChange{Name: "x"})
			return err
		},
	} {
		if err := f(); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Find(time.Now(), text); err != nil {
		t.Errorf("Ann's key: %v", err)
	}
}

func TestAudit(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	r := process(t, db)
	k, text := make1(t, r, who, `ci "prod"`)
	if k, err := r.Change(t.Context(), "operator", who, k.ID, account.KeyChange{Name: " build "}); err != nil || k.Name != "build" {
		t.Fatal(k, err)
	}
	_, made, newText, err := r.Rotate(t.Context(), "owner", who, k.ID)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing happens
		if _, err := r.Revoke(t.Context(), "owner", who, made.ID); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := s.Query(`SELECT actor, action, detail FROM audit WHERE account = $1 ORDER BY id`, who)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var actor, action, detail string
		if err := rows.Scan(&actor, &action, &detail); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(detail, text) || strings.Contains(detail, newText) {
			t.Errorf("the key is in the log: %s", detail)
		}
		if !strings.Contains(detail, k.Prefix) && !strings.Contains(detail, made.Prefix) {
			t.Errorf("the entry does not say which key: %s", detail)
		}
		got = append(got, actor+" "+action)
	}
	if want := "owner key.made, operator key.renamed, owner key.rotated, owner key.revoked"; strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
}

func TestLastUse(t *testing.T) {
	db := pgtest.New(t)
	who := newAccount(t, open(t, db), "ann@example.com")
	ctx, cancel := context.WithCancel(t.Context())
	r := keyring.New(db, slog.New(slog.DiscardHandler), nil)
	done := make(chan error, 1)
	go func() { done <- r.Follow(ctx) }()
	eventually(t, "the keys are read", r.Ready)
	k, text := make1(t, r, who, "ci")
	if _, text2 := make1(t, r, who, "unused"); text2 == text {
		t.Fatal("the same key")
	}
	at := time.Now()
	for range 3 {
		if _, err := r.Find(at, text); err != nil {
			t.Fatal(err)
		}
	}
	cancel() // a process that stops stores what waits
	<-done
	keys, err := db.Keys(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range keys {
		if used := got.LastUsedAt; (used != nil) != (got.ID == k.ID) || used != nil && used.Sub(at).Abs() > time.Second {
			t.Errorf("%s was used at %v, want %v", got.Name, used, at)
		}
	}
	// An older use that comes late does not win.
	if err := db.TouchKeys(t.Context(), map[int64]time.Time{k.ID: at.Add(-time.Hour), 999999: at}); err != nil {
		t.Fatal(err)
	}
	keys, _ = db.Keys(t.Context(), who)
	if keys[1].LastUsedAt.Sub(at).Abs() > time.Second {
		t.Errorf("the older use won: %v", keys[1].LastUsedAt)
	}
}

// A flaky is a store that can be away, and counts how often it is read.
type flaky struct {
	*postgres.DB
	away  atomic.Bool
	hung  sync.RWMutex // reads wait while it is locked
	reads atomic.Int32
}

func (f *flaky) KeyHoldersAfter(ctx context.Context, seq int64, limit int) ([]account.KeyHolder, int64, error) {
	f.reads.Add(1)
	f.hung.RLock()
	defer f.hung.RUnlock()
	if f.away.Load() {
		return nil, seq, errors.New("connection refused")
	}
	return f.DB.KeyHoldersAfter(ctx, seq, limit)
}

func TestFindWithoutStore(t *testing.T) {
	db := pgtest.New(t)
	who := newAccount(t, open(t, db), "ann@example.com")
	store := &flaky{DB: db}
	r := process(t, store)
	other := process(t, db)
	_, text := make1(t, r, who, "ci")
	store.away.Store(true)
	if _, err := r.Find(time.Now(), text); err != nil {
		t.Errorf("a known key: %v", err)
	}
	_, late := make1(t, other, who, "made meanwhile")
	for range 3 {
		if _, err := r.Find(time.Now(), late); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("a key that cannot be looked up: %v", err)
		}
	}
	store.away.Store(false)
	eventually(t, "it is found when the store is back", func() bool { _, err := r.Find(time.Now(), late); return err == nil })
}

// A store that hangs is waited for by those who come first, not by each in
// turn.
func TestFindWithHangingStore(t *testing.T) {
	store := &flaky{DB: pgtest.New(t)}
	r := process(t, store)
	release := sync.OnceFunc(store.hung.Unlock)
	t.Cleanup(release)
	store.hung.Lock()
	for n, deadline := 0, time.Now().Add(time.Minute); n < 500; n++ {
		if _, err := r.Find(time.Now(), "mcp_"+strings.Repeat("0", 43)); !errors.Is(err, registry.ErrUnavailable) {
			t.Fatalf("%v", err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d have waited a minute", n)
		}
	}
	release()
	eventually(t, "it is looked up when the store is back", func() bool {
		_, err := r.Find(time.Now(), "mcp_"+strings.Repeat("0", 43))
		return code(err) == "invalid_api_key"
	})
}

func TestFindBeforeFirstRead(t *testing.T) {
	r := keyring.New(pgtest.New(t), slog.New(slog.DiscardHandler), nil)
	if _, err := r.Find(time.Now(), "mcp_"+strings.Repeat("0", 43)); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := r.Find(time.Now(), "mcp_short"); code(err) != "invalid_api_key" {
		t.Errorf("what cannot be a key: %v", err)
	}
}

func TestFindUnknownKeys(t *testing.T) {
	store := &flaky{DB: pgtest.New(t)}
	r := process(t, store)
	before, start := store.reads.Load(), time.Now()
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			guess := "mcp_" + strings.Repeat("0", 40) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "x"
			if _, err := r.Find(time.Now(), guess); code(err) != "invalid_api_key" {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	// One look each 50 ms, and the poll's.
	if n, most := store.reads.Load()-before, 3+time.Since(start)/(50*time.Millisecond)+time.Since(start)/time.Second; int64(n) > int64(most) {
		t.Errorf("300 guesses read the store %d times in %v", n, time.Since(start))
	}
}

func TestFollowBrokenConnections(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	r := process(t, db)
	k, text := make1(t, r, who, "ci")
	if _, err := s.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(`UPDATE keys SET revoked_at = now() WHERE id = $1`, k.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a change by hand is seen", func() bool { _, err := r.Find(time.Now(), text); return code(err) == "revoked_api_key" })
}

// While many change keys and plans at once, a ring that follows misses
// nothing.
func TestFollowConcurrentChanges(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	follower := process(t, db)
	type known struct {
		account, key int64
		text         string
	}
	var mu sync.Mutex
	var all []known
	var wg sync.WaitGroup
	for n := range 12 {
		who := newAccount(t, s, fmt.Sprintf("p%d@example.com", n))
		maker := keyring.New(db, slog.New(slog.DiscardHandler), nil)
		wg.Go(func() {
			for i := range 8 {
				k, text, err := maker.Make(context.Background(), "owner", who, account.KeyChange{Name: "k"})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, known{who, k.ID, text})
				mu.Unlock()
				if i%2 == 0 || i > 4 {
					if _, err := maker.Revoke(context.Background(), "owner", who, k.ID); err != nil {
						t.Error(err)
					}
				}
				if err := db.SetPlan(context.Background(), "operator", time.Now(), who, account.Subscription{Plan: account.Plans[(n+i)%3].ID}); err != nil {
					t.Error(err)
				}
			}
			if n%4 == 3 {
				if _, err := s.Exec(`DELETE FROM accounts WHERE id = $1`, who); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	fresh := process(t, db) // reads all at once
	states := map[string]int{}
	for _, k := range all {
		want, wantErr := fresh.Find(time.Now(), k.text)
		var got account.Access
		var err error
		eventually(t, "the follower agrees", func() bool {
			got, err = follower.Find(time.Now(), k.text)
			return got == want && code(err) == code(wantErr)
		})
		states[code(wantErr)]++
	}
	if states[""] == 0 || states["revoked_api_key"] == 0 || states["invalid_api_key"] == 0 {
		t.Errorf("not everything happened: %v", states)
	}
}

// A database that was restored from a backup, or a copy that took over, may
// be behind what the ring has seen.
func TestFollowRestoredDatabase(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	ann, bob := newAccount(t, s, "ann@example.com"), newAccount(t, s, "bob@example.com")
	r := process(t, db)
	kept, keptText := make1(t, r, ann, "kept")
	if _, err := r.Revoke(t.Context(), "owner", ann, kept.ID); err != nil {
		t.Fatal(err)
	}
	_, lostText := make1(t, r, bob, "lost")
	// As it was before the key was revoked and Bob signed up.
	for _, q := range []string{
		`DELETE FROM accounts WHERE email = 'bob@example.com'`, `UPDATE keys SET revoked_at = NULL`,
		`DELETE FROM key_changes`, `INSERT INTO key_changes (account, seq) SELECT account, 1 FROM keys`, `UPDATE key_seq SET seq = 1`,
	} {
		if _, err := s.Exec(`BEGIN; ALTER TABLE keys DISABLE TRIGGER USER; ` + q + `; ALTER TABLE keys ENABLE TRIGGER USER; COMMIT`); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	eventually(t, "the key works as it did", func() bool { _, err := r.Find(time.Now(), keptText); return err == nil })
	eventually(t, "the key that was never made is not known", func() bool { _, err := r.Find(time.Now(), lostText); return code(err) == "invalid_api_key" })
}

// 12,000 accounts need several readings.
func TestFollowManyKeys(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	if _, err := s.Exec(`
		INSERT INTO accounts (email, email_key, created_at) SELECT n || '@example.com', n || '@example.com', now() FROM generate_series(1, 12000) n`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(`
		INSERT INTO keys (account, name, prefix, hash, created_at)
		SELECT id, 'k', 'mcp_000000', sha256(('mcp_' || lpad(id::text, 43, '0'))::bytea), now() FROM accounts`); err != nil {
		t.Fatal(err)
	}
	r := process(t, db)
	for _, n := range []string{"1", "5000", "5001", "12000"} {
		if a, err := r.Find(time.Now(), "mcp_"+strings.Repeat("0", 43-len(n))+n); err != nil || a.Account == 0 {
			t.Errorf("key %s: %+v, %v", n, a, err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	db := pgtest.New(b)
	s, err := sql.Open("postgres", db.URL())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var who int64
	if err := s.QueryRow(`INSERT INTO accounts (email, email_key, created_at) VALUES ('a', 'a', now()) RETURNING id`).Scan(&who); err != nil {
		b.Fatal(err)
	}
	r := keyring.New(db, slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go r.Follow(ctx)
	for !r.Ready() {
		time.Sleep(time.Millisecond)
	}
	_, text, err := r.Make(b.Context(), "owner", who, account.KeyChange{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Find(now, text); err != nil {
			b.Fatal(err)
		}
	}
}

// Restrictions take effect in every process, a replacement has them too, and what has
// ended stays ended.
func TestRestrictions(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	one, two := process(t, db), process(t, db)
	now := time.Now().UTC().Truncate(time.Second)
	day := now.Add(time.Hour).Format(time.RFC3339)
	k, text, err := one.Make(t.Context(), "owner", who, account.KeyChange{Name: "ci",
		Scopes: []string{"analytics", "read", "read"}, Addresses: []string{"192.0.2.7", "2001:db8::1/32"},
		Expires: day})
	if err != nil {
		t.Fatal(err)
	}
	want := "read analytics from 192.0.2.7/32 2001:db8::/32"
	shown := func(r *keyring.Ring, text string, at time.Time) string {
		a, err := r.Find(at, text)
		if err != nil {
			return code(err)
		}
		out := strings.Join(a.Scopes.Names(), " ")
		if a.Addresses != nil {
			for i, p := range *a.Addresses {
				out += []string{" from ", " "}[min(i, 1)] + p.String()
			}
		}
		return out
	}
	for _, r := range []*keyring.Ring{one, two} {
		if got := shown(r, text, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := shown(r, text, now.Add(time.Hour)); got != "expired_api_key" {
			t.Errorf("after its end: %s", got)
		}
	}
	old, made, newText, err := one.Rotate(t.Context(), "owner", who, k.ID)
	if err != nil || made.ExpiresAt == nil || !old.ExpiresAt.Equal(*made.ExpiresAt) {
		t.Fatalf("%v: %v instead of %v", err, made.ExpiresAt, old.ExpiresAt)
	}
	if got := shown(two, newText, now); got != want {
		t.Errorf("rotated: %q", got)
	}
	if got := shown(one, text, now.Add(time.Hour)); got != "revoked_api_key" {
		t.Errorf("rotated, after its end: %s", got)
	}
	if _, err := one.Change(t.Context(), "owner", who, made.ID, account.KeyChange{
		Scopes: []string{"webhooks"}, Addresses: []string{}, Expires: account.Never}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the change is seen", func() bool { return shown(two, newText, now) == "webhooks" })
	for name, c := range map[string]account.KeyChange{
		"no scope":          {Scopes: []string{}},
		"unknown scope":     {Scopes: []string{"read", "admin"}},
		"no address":        {Addresses: []string{"example.com"}},
		"length":            {Addresses: []string{"192.0.2.0/33"}},
		"mapped":            {Addresses: []string{"::ffff:192.0.2.0/120"}},
		"past":              {Expires: "2020-01-01"},
		"no day":            {Expires: "tomorrow"},
		"more than 50":      {Addresses: manyAddresses(51)},
		"far in the future": {Expires: "9999-01-01"},
	} {
		if _, err := one.Change(t.Context(), "owner", who, made.ID, c); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, id := range map[string]int64{"rotated": old.ID, "revoked": made.ID} {
		if name == "revoked" {
			if _, err := one.Revoke(t.Context(), "owner", who, id); err != nil {
				t.Fatal(err)
			}
		}
		c := account.KeyChange{Expires: account.Never}
		if _, err := one.Change(t.Context(), "owner", who, id, c); !errors.Is(err, registry.ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func manyAddresses(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("192.0.2.%d", i))
	}
	return list
}
