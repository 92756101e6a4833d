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
	"mcpcensus/internal/postgres/people"
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

func newRing(store keyring.Store) *keyring.Ring {
	return keyring.New(store, slog.New(slog.DiscardHandler), time.Now)
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

// Changes take effect in two seconds in every process.
func TestFind(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	owner := newAccount(t, s, "ann@example.com")
	one, two := newRing(people.New(db)), newRing(people.New(db))
	k, text := make1(t, one, owner, "ci")
	if k.ID == 0 || k.Prefix != text[:10] || k.Name != "ci" || k.Account != owner {
		t.Fatalf("made %+v for account %d", k, owner)
	}
	exec := func(query string) func() error {
		return func() error {
			_, err := s.Exec(query, owner)
			return err
		}
	}
	now := time.Now()
	before := "basic"
	for _, step := range []struct {
		name   string
		change func() error
		want   string // plan or code of the error, at once or after two seconds
	}{
		{"made", func() error { return nil }, "basic"},
		{"new plan", exec(`UPDATE accounts SET plan = 'enterprise' WHERE id = $1`), "enterprise"},
		{"plan with an end", exec(`UPDATE accounts SET plan_until = now() - interval '1 hour',
			plan_next = 'professional' WHERE id = $1`), "professional"},
		{"revoked", func() error {
			_, err := one.Revoke(t.Context(), "owner", owner, k.ID)
			return err
		}, "revoked_api_key"},
		{"account deleted", exec(`DELETE FROM accounts WHERE id = $1`), "invalid_api_key"},
	} {
		if err := step.change(); err != nil {
			t.Fatal(step.name, err)
		}
		for i, r := range []*keyring.Ring{one, two} {
			if got := planOrCode(r.Find(now, text)); got != before {
				t.Errorf("%s: process %d before two seconds: got %s, want %s", step.name, i, got, before)
			}
			if got := planOrCode(r.Find(now.Add(2*time.Second), text)); got != step.want {
				t.Errorf("%s: process %d after two seconds: got %s, want %s", step.name, i, got, step.want)
			}
		}
		before, now = step.want, now.Add(2*time.Second)
	}
}

func planOrCode(a account.Access, err error) string {
	if err != nil {
		return code(err)
	}
	return a.Plan.ID
}

// The end of a plan or of a key needs no read.
func TestFindAtEnds(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	owner := newAccount(t, s, "ann@example.com")
	store := &countingStore{Store: people.New(db)}
	r := newRing(store)
	_, text := make1(t, r, owner, "ci")
	now := time.Now()
	if _, err := s.Exec(`UPDATE accounts SET plan = 'enterprise', plan_until = $2 WHERE id = $1`,
		owner, now.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(`UPDATE keys SET expires_at = $1`, now.Add(1500*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]string{
		0: "enterprise", 1100 * time.Millisecond: "basic", 1600 * time.Millisecond: "expired_api_key",
	} {
		if got := planOrCode(r.Find(now.Add(after), text)); got != want {
			t.Errorf("after %v: got %s, want %s", after, got, want)
		}
	}
	if n := store.reads.Load(); n != 1 {
		t.Errorf("%d reads, want 1", n)
	}
}

func TestRotate(t *testing.T) {
	db := pgtest.New(t)
	who := newAccount(t, open(t, db), "ann@example.com")
	r := newRing(people.New(db))
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
		t.Errorf("the response does not say what became of it: %v", err)
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
	if _, err := newRing(people.New(db)).Find(time.Now(), text); code(err) != "revoked_api_key" {
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
	r := newRing(people.New(db))
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
	keys, err := people.New(db).Keys(t.Context(), who)
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
	maker, r := newRing(people.New(db)), newRing(people.New(db))
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
	keys, err := people.New(db).Keys(t.Context(), who)
	if err != nil || len(keys) != 101 {
		t.Errorf("%d keys kept, %v", len(keys), err)
	}
	if _, err := r.Find(time.Now(), last); code(err) != "revoked_api_key" {
		t.Errorf("the last: %v", err)
	}
	if _, err := r.Find(time.Now(), first); code(err) != "invalid_api_key" {
		t.Errorf("the first: %v", err)
	}
}

func TestAudit(t *testing.T) {
	db := pgtest.New(t)
	s := open(t, db)
	who := newAccount(t, s, "ann@example.com")
	r := newRing(people.New(db))
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
	r := newRing(people.New(db))
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
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
	keys, err := people.New(db).Keys(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range keys {
		if used := got.LastUsedAt; (used != nil) != (got.ID == k.ID) || used != nil && used.Sub(at).Abs() > time.Second {
			t.Errorf("%s was used at %v, want %v", got.Name, used, at)
		}
	}
	// An older use that comes late does not win.
	if err := people.New(db).TouchKeys(t.Context(), map[int64]time.Time{
		k.ID: at.Add(-time.Hour), 999999: at,
	}); err != nil {
		t.Fatal(err)
	}
	keys, _ = people.New(db).Keys(t.Context(), who)
	if keys[1].LastUsedAt.Sub(at).Abs() > time.Second {
		t.Errorf("the older use won: %v", keys[1].LastUsedAt)
	}
}

// countingStore is a store that may fail or hang, and counts the keys it looks up.
type countingStore struct {
	*people.Store
	fails, hangs atomic.Bool
	reads        atomic.Int32
}

func (c *countingStore) FindKey(ctx context.Context, h account.KeyHash) (account.HeldKey, error) {
	c.reads.Add(1)
	if c.hangs.Load() {
		<-ctx.Done()
		return account.HeldKey{}, ctx.Err()
	}
	if c.fails.Load() {
		return account.HeldKey{}, errors.New("connection refused")
	}
	return c.Store.FindKey(ctx, h)
}

func guess(n int) string { return fmt.Sprintf("mcp_%043d", n) }

func TestFindWithoutStore(t *testing.T) {
	db := pgtest.New(t)
	owner := newAccount(t, open(t, db), "ann@example.com")
	store := &countingStore{Store: people.New(db)}
	r := newRing(store)
	_, known := make1(t, r, owner, "known")
	_, other := make1(t, r, owner, "other")
	now := time.Now()
	if _, err := r.Find(now, known); err != nil {
		t.Fatal(err)
	}
	for name, down := range map[string]*atomic.Bool{"fails": &store.fails, "hangs": &store.hangs} {
		down.Store(true)
		before, start := store.reads.Load(), time.Now()
		for n := range 300 {
			now = now.Add(time.Minute)
			if _, err := r.Find(now, known); err != nil {
				t.Errorf("store %s: known key: %v", name, err)
			}
			if _, err := r.Find(now, other); !errors.Is(err, registry.ErrUnavailable) {
				t.Errorf("store %s: key that cannot be looked up: %v", name, err)
			}
			if _, err := r.Find(now, guess(n)); !errors.Is(err, registry.ErrUnavailable) {
				t.Errorf("store %s: guess: %v", name, err)
			}
		}
		if n := store.reads.Load() - before; n > 1+int32(time.Since(start).Seconds()) {
			t.Errorf("store %s: %d reads, want at most one a second", name, n)
		}
		down.Store(false)
		time.Sleep(1100 * time.Millisecond)
	}
	if _, err := r.Find(now, other); err != nil {
		t.Errorf("when the store is back: %v", err)
	}
}

// Concurrent requests with one key share a read, unknown keys are cached, and reads of
// different unknown keys are limited.
func TestFindReads(t *testing.T) {
	store := &countingStore{Store: people.New(pgtest.New(t))}
	find := func(r *keyring.Ring, n int, key func(int) string) (unavailable int32) {
		var failed atomic.Int32
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				_, err := r.Find(time.Now(), key(i))
				if errors.Is(err, registry.ErrUnavailable) {
					failed.Add(1)
				} else if code(err) != "invalid_api_key" {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return failed.Load()
	}
	r := newRing(store)
	for range 3 {
		find(r, 100, func(int) string { return guess(0) })
	}
	if n := store.reads.Load(); n != 1 {
		t.Errorf("one unknown key: %d reads, want 1", n)
	}
	start, before := time.Now(), store.reads.Load()
	failed := find(r, 3000, func(i int) string { return guess(1 + i) })
	n, most := store.reads.Load()-before, 1000+int32(100*time.Since(start).Seconds())+2
	if n > most || failed < 3000-most {
		t.Errorf("3000 unknown keys: %d reads, want at most %d; %d unavailable", n, most, failed)
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
	r := newRing(people.New(db))
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
	one, two := newRing(people.New(db)), newRing(people.New(db))
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
		for i, p := range a.Held.Addresses {
			out += []string{" from ", " "}[min(i, 1)] + p.String()
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
	if got := shown(newRing(people.New(db)), text, now.Add(time.Hour)); got != "revoked_api_key" {
		t.Errorf("rotated, after its end: %s", got)
	}
	if _, err := one.Change(t.Context(), "owner", who, made.ID, account.KeyChange{
		Scopes: []string{"webhooks"}, Addresses: []string{}, Expires: account.Never}); err != nil {
		t.Fatal(err)
	}
	if got := shown(newRing(people.New(db)), newText, now); got != "webhooks" {
		t.Errorf("changed: %q", got)
	}
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
