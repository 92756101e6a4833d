package people_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func at(hours float64) time.Time { return start.Add(time.Duration(hours * float64(time.Hour))) }

var day0 = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

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

func hash(b byte) (h account.TokenHash) { h[0] = b; return h }

func signUp(t *testing.T, db store, email string) account.Login {
	t.Helper()
	l := account.Login{Account: account.Account{Email: email}}
	got, made, err := db.SignUp(t.Context(), l, strings.ToLower(email), account.ByOwner, "", day0)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	return got
}

func TestAccountRoundTrip(t *testing.T) {
	db := newStore(t)
	got := signUp(t, db, "Ada@Example.com")
	if got.Email != "Ada@Example.com" || got.ID == 0 ||
		got.Plan != account.Basic || got.Epoch != 1 ||
		!got.CreatedAt.Equal(day0) || got.GitHubID != 0 || got.Until != nil {
		t.Errorf("%+v", got)
	}
	for name, read := range map[string]func() (account.Login, error){
		"by id": func() (account.Login, error) { return db.Account(t.Context(), got.ID) },
		"by address": func() (account.Login,
			error) {
			return db.AccountOf(t.Context(), "ada@example.com")
		},
	} {
		l, err := read()
		if err != nil || l.ID != got.ID {
			t.Errorf("%s: %+v %v", name, l, err)
		}
	}
	for _, err := range []error{second(db.Account(t.Context(), 99)),
		second(db.AccountOf(t.Context(), "Ada@Example.com")), second(db.AccountOfGitHub(t.Context(),
			0)), db.DeleteAccount(t.Context(), 99)} {
		if !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Of simultaneous sign-ups with an address, one adds the account, and all get it.
func TestSignUpSameAddress(t *testing.T) {
	db := newStore(t)
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			l := account.Login{Account: account.Account{Email: "ada@example.com"}}
			got, added, err := db.SignUp(t.Context(), l, "ada@example.com", account.ByOwner, "", day0)
			if added {
				made.Add(1)
			}
			if err != nil || got.ID == 0 {
				t.Error(got, err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || rows(t, db, "accounts") != 1 {
		t.Errorf("made %d times", made.Load())
	}
}

func TestLinks(t *testing.T) {
	db := newStore(t)
	ctx := t.Context()
	browser, other, code := hash(101), hash(102), hash(103)
	add := func(b byte, of, code *account.TokenHash) {
		t.Helper()
		if err := db.AddLink(ctx, account.Link{Hash: hash(b), Purpose: account.LinkSignIn,
			Email: "Ada@example.com", EmailKey: "ada@example.com", Browser: of, Code: code,
			ExpiresAt: day0.Add(account.LinkFor)}, day0); err != nil {
			t.Fatal(err)
		}
	}
	take := func(b byte, in account.TokenHash, after time.Duration) error {
		_, err := db.TakeLink(ctx, hash(b), account.LinkSignIn, in, day0.Add(after))
		return err
	}
	add(1, &browser, &code)
	for name, err := range map[string]error{"another browser": take(1, other, 0),
		"too late": take(1, browser, account.LinkFor), "unknown": take(9, browser, 0),
		"another purpose": second(db.TakeLink(ctx, hash(1), account.LinkEmail, browser, day0))} {
		if !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var used atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if take(1, browser, 0) == nil {
				used.Add(1)
			}
		})
	}
	wg.Wait()
	if used.Load() != 1 {
		t.Errorf("used %d times", used.Load())
	}
	add(2, nil, nil) // of the operator
	if err := take(2, other, 0); err != nil {
		t.Error(err)
	}
	try := func(code, in account.TokenHash) error {
		_, err := db.TakeCode(ctx, code, account.LinkSignIn, in, "", day0)
		return err
	}
	add(4, &browser, &code)
	for range account.CodeTries {
		if err := try(hash(1), browser); !errors.Is(err, registry.ErrNotFound) {
			t.Error(err)
		}
	}
	if err := take(4, browser, 0); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("the link after five wrong codes: %v", err)
	}
}

// Simultaneous requests for mails get exactly as many as the limit, and then wait.
func TestCountMail(t *testing.T) {
	db := newStore(t)
	address, network := account.MailLimit{Key: hash(1), Max: 3, In: time.Hour},
		account.MailLimit{Key: hash(2), Max: 20, In: time.Hour}
	var passed atomic.Int32
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			wait, of, err := db.CountMail(t.Context(), day0, network, address)
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				passed.Add(1)
			} else if wait != time.Hour || of != address.Key {
				t.Errorf("wait %s for %x", wait, of)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 3 {
		t.Errorf("%d mails of 3", passed.Load())
	}
	if n := rows(t, db, "mail_counts"); n != 6 {
		t.Errorf("%d counts: refused ones count", n)
	}
	if wait, _, err := db.CountMail(t.Context(), day0.Add(time.Hour), address); wait != 0 || err != nil {
		t.Errorf("an hour later: %s, %v", wait, err)
	}
}

func TestLinkGitHub(t *testing.T) {
	db := newStore(t)
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			email := fmt.Sprintf("a%d@example.com", i%2)
			l := account.Login{Account: account.Account{Email: email, GitHubID: 7,
				GitHubLogin: "ada\x00"}}
			_, added, err := db.SignUp(t.Context(), l, email, account.ByOwner, "GitHub", day0)
			if added {
				made.Add(1)
			}
			if err != nil && !errors.Is(err, registry.ErrConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
	other := signUp(t, db, "eve@example.com")
	if _, err := db.LinkGitHub(t.Context(), other.ID, 7, "ada", day0); !errors.Is(err,
		registry.ErrConflict) {
		t.Errorf("%v", err)
	}
	if l, err := db.LinkGitHub(t.Context(), other.ID, 8, "eve", day0); err != nil ||
		l.GitHubID != 8 {
		t.Errorf("%+v %v", l, err)
	}
	if _, err := db.LinkGitHub(t.Context(), other.ID, 9, "thief", day0); !errors.Is(err,
		registry.ErrConflict) {
		t.Errorf("%v", err)
	}
	if l, err := db.Account(t.Context(), other.ID); err != nil || l.GitHubID != 8 ||
		l.GitHubLogin != "eve" {
		t.Errorf("%+v %v", l, err)
	}
}

func TestSessionExpiry(t *testing.T) {
	db := newStore(t)
	l := signUp(t, db, "ada@example.com")
	ctx := t.Context()
	s := account.Session{Account: l.ID, Data: []byte("x\x00y"), Idle: 2 * time.Hour,
		ExpiresAt: day0.Add(5 * time.Hour)}
	if ok, err := db.SaveSession(ctx, hash(1), s, false, day0); ok || err != nil {
		t.Errorf("changed one that is not there: %t %v", ok, err)
	}
	if ok, err := db.SaveSession(ctx, hash(1), s, true, day0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	at := func(d time.Duration) bool {
		t.Helper()
		got, ok, err := db.Session(ctx, hash(1), day0.Add(d))
		if err != nil || ok && (string(got.Data) != "x\x00y" || got.Account != l.ID ||
			got.Idle != 2*time.Hour || !got.ExpiresAt.Equal(s.ExpiresAt)) {
			t.Errorf("%+v %v", got, err)
		}
		return ok
	}
	if !at(time.Hour) || !at(119*time.Minute) || !at(3*time.Hour) ||
		!at(4*time.Hour+59*time.Minute) {
		t.Error("over too early")
	}
	if at(5 * time.Hour) {
		t.Error("not over at its end")
	}
	if at(4*time.Hour+59*time.Minute+2*time.Hour) || !at(4*time.Hour) {
		t.Error("idle")
	}
	if ok, err := db.SaveSession(ctx, hash(2),
		account.Session{Account: 99, Idle: time.Hour, Data: []byte{},
			ExpiresAt: s.ExpiresAt}, true, day0); ok || err != nil {
		t.Errorf("a session of nobody: %t %v", ok, err)
	}
	if err := db.DeleteAccount(ctx, l.ID); err != nil || at(0) {
		t.Error("outlives its account", err)
	}
}

func TestForgetAccountsMaximum(t *testing.T) {
	db := newStore(t)
	for _, email := range []string{"ada@example.com", "eve@example.com"} {
		l := signUp(t, db, email)
		for i := range 130 {
			at := day0.Add(time.Duration(i) * time.Minute)
			h := hash(byte(i))
			h[1] = byte(l.ID)
			if _, err := db.SaveSession(t.Context(), h,
				account.Session{Account: l.ID, Data: []byte{}, Idle: 24 * time.Hour,
					ExpiresAt: day0.Add(48 * time.Hour)}, true, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := db.ForgetAccounts(t.Context(), day0.Add(3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if sessions := rows(t, db, "sessions"); sessions != 200 {
		t.Errorf("%d sessions of two accounts", sessions)
	}
}

// A database that does not respond is not an error of the registry's code.
func TestDatabaseWithoutResponse(t *testing.T) {
	u, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	target := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d, err := net.Dial("tcp", target)
			if err != nil {
				c.Close()
				continue
			}
			mu.Lock()
			open = append(open, c, d)
			mu.Unlock()
			go io.Copy(c, d)
			go io.Copy(d, c)
		}
	}()
	u.Host = l.Addr().String()
	registered, err := postgres.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer registered.Close()
	db := store{registered, people.New(registered)}
	ada := signUp(t, db, "ada@example.com")
	l.Close()
	mu.Lock()
	for _, c := range open {
		c.Close()
	}
	mu.Unlock()
	for name, err := range map[string]error{
		"account": second(db.Account(t.Context(), ada.ID)),
		"sign up": func() error {
			_, _,
				err := db.SignUp(t.Context(), ada, "x@example.com", account.ByOwner, "", day0)
			return err
		}(),
		"session": func() error {
			_, _,
				err := db.Session(t.Context(), hash(1), day0)
			return err
		}(),
		"mail": func() error {
			_, _, err := db.CountMail(t.Context(), day0, account.MailLimit{Key: hash(1), Max: 3})
			return err
		}(),
		"delete": db.DeleteAccount(t.Context(), ada.ID),
		"keys":   second(db.Keys(t.Context(), ada.ID)),
		"key": second(db.MakeKey(t.Context(), account.ByOwner,
			account.Key{Account: ada.ID, CreatedAt: day0, Scopes: account.AllScopes}, account.KeyHash{})),
		"revoke":   second(db.RevokeKey(t.Context(), account.ByOwner, day0, ada.ID, 1)),
		"customer": second(db.Customer(t.Context(), ada.ID)),
		"plan": db.SetPlan(t.Context(), account.ByOwner, day0, ada.ID,
			account.Subscription{Plan: account.Basic}),
	} {
		if !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An account that is deleted while everything happens to it leaves nothing.
func TestDeleteAccount(t *testing.T) {
	db := newStore(t)
	l := signUp(t, db, "ada@example.com")
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var steps atomic.Int32
	pass := func(n int32) { // waits until n more are done
		for last, end := steps.Load()+n, time.Now().Add(20*time.Second); steps.Load() < last; {
			if time.Now().After(end) {
				t.Fatal("no progress")
			}
			time.Sleep(time.Millisecond)
		}
	}
	for i := range 8 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				steps.Add(1)
				h := hash(byte(i))
				h[1], h[2] = byte(n), byte(n>>8)
				e := account.AuditEntry{At: day0, Account: l.ID, Actor: account.ByOwner,
					Action: "x"}
				var err error
				switch i % 4 {
				case 0:
					_, err = db.SaveSession(t.Context(), h,
						account.Session{Account: l.ID, Data: []byte{}, Idle: time.Hour,
							ExpiresAt: day0}, true, day0)
				case 1:
					err = db.AddLink(t.Context(), account.Link{Hash: h, Account: l.ID,
						Purpose: account.LinkEmail, ExpiresAt: day0}, day0)
				case 2:
					err = db.RecordRepeated(t.Context(), e)
				case 3:
					_, err = db.EndSessions(t.Context(), l.ID, e)
				}
				if err != nil && !errors.Is(err, registry.ErrNotFound) {
					t.Error(err)
					return
				}
			}
		})
	}
	pass(80)
	if err := db.DeleteAccount(t.Context(), l.ID); err != nil {
		t.Error(err)
	}
	pass(40)
	stop()
	wg.Wait()
	for _, table := range []string{"sessions", "links", "audit"} {
		if n := rows(t, db, table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

func rows(t *testing.T, db store, table string) (n int) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := own.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
