package postgres_test

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
	"mcpcensus/internal/registry"
)

var day0 = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func hash(b byte) (h account.TokenHash) { h[0] = b; return h }

func signUp(t *testing.T, db *postgres.DB, email string, confirmed bool) account.Login {
	t.Helper()
	l := account.Login{Account: account.Account{Email: email}, Password: "$argon2id$x"}
	if confirmed {
		l.ConfirmedAt = &day0
	}
	got, made, err := db.SignUp(t.Context(), l, strings.ToLower(email), nil, day0)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	return got
}

func TestAccountRoundTrip(t *testing.T) {
	db := pgtest.New(t)
	got := signUp(t, db, "Ada@Example.com", true)
	if got.Email != "Ada@Example.com" || got.ID == 0 || !got.HasPassword ||
		got.Plan != account.Basic || got.Epoch != 1 || !got.ConfirmedAt.Equal(day0) ||
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
		if err != nil || l.ID != got.ID || l.Password != "$argon2id$x" {
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

func TestSignUpSameAddress(t *testing.T) {
	db := pgtest.New(t)
	var made atomic.Int32
	ids := make([]int64, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			link := &account.Link{Hash: hash(byte(i)), Purpose: account.LinkConfirm,
				Password: fmt.Sprint(i), ExpiresAt: day0.Add(time.Hour)}
			l, ok, err := db.SignUp(t.Context(),
				account.Login{Account: account.Account{Email: "ada@example.com"},
					Password: fmt.Sprint(i)}, "ada@example.com", link, day0)
			if err != nil {
				t.Error(err)
			}
			if ok {
				made.Add(1)
			}
			ids[i] = l.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("%v", ids)
		}
	}
	if made.Load() != 1 {
		t.Errorf("an account was created %d times", made.Load())
	}
	// Links of all of them work, one of them once.
	var confirmed atomic.Int32
	for i := range ids {
		wg.Go(func() {
			if _, after, err := db.Confirm(t.Context(), hash(byte(i)), day0); err == nil {
				confirmed.Add(1)
				if after.Password != fmt.Sprint(i) {
					t.Errorf("link %d gives password %s", i, after.Password)
				}
			} else if !errors.Is(err, registry.ErrNotFound) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if confirmed.Load() != 1 {
		t.Errorf("confirmed %d times", confirmed.Load())
	}
}

func TestChangeEmailConflict(t *testing.T) {
	db := pgtest.New(t)
	var wg sync.WaitGroup
	var changed, refused atomic.Int32
	for i := range 5 {
		l := signUp(t, db, fmt.Sprintf("a%d@example.com", i), true)
		link := account.Link{Hash: hash(byte(i)), Purpose: account.LinkEmail,
			Email: "new@example.com", EmailKey: "new@example.com", ExpiresAt: day0.Add(time.Hour)}
		if err := db.AddLink(t.Context(), l.ID, link,
			account.AuditEntry{At: day0, Account: l.ID, Actor: account.ByOwner,
				Action: "email.change_asked"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := db.ConfirmByOperator(t.Context(), "new@example.com", account.Link{},
		day0); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("the operator guesses who is meant: %v", err)
	}
	for i := range 5 {
		wg.Go(func() {
			_, _, err := db.Confirm(t.Context(), hash(byte(i)), day0)
			switch {
			case err == nil:
				changed.Add(1)
			case errors.Is(err, registry.ErrConflict):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if changed.Load() != 1 || refused.Load() != 4 {
		t.Errorf("%d changed, %d refused", changed.Load(), refused.Load())
	}
}

func TestLinkGitHub(t *testing.T) {
	db := pgtest.New(t)
	var made atomic.Int32
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			email := fmt.Sprintf("a%d@example.com", i%2)
			l := account.Login{Account: account.Account{Email: email, GitHubID: 7,
				GitHubLogin: "ada\x00"}}
			before, _, err := db.SignUpProven(t.Context(), l, email, "GitHub", day0)
			if err == nil && before.ID == 0 {
				made.Add(1)
			}
			if err != nil && !errors.Is(err, registry.ErrConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("an account was created %d times", made.Load())
	}
	other := signUp(t, db, "eve@example.com", true)
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

func TestAttempt(t *testing.T) {
	db := pgtest.New(t)
	l := account.AttemptLimit{Key: hash(1), Free: 2, Step: 2 * time.Second, Max: 20 * time.Second,
		Decay: time.Minute}
	now := day0
	for i, tc := range []struct{ after, want time.Duration }{
		{0, 0}, {0, 0}, {time.Second, time.Second}, {time.Second, 0}, {0,
			4 * time.Second}, {4*time.Minute + time.Second, 0}, {0, 0},
	} {
		now = now.Add(tc.after)
		if wait, err := db.Attempt(t.Context(), now, l); err != nil || wait != tc.want {
			t.Errorf("step %d: wait %v, %v, want %v", i, wait, err, tc.want)
		}
	}
	if err := db.ForgetAttempts(t.Context(), l.Key); err != nil {
		t.Fatal(err)
	}
	if wait, err := db.Attempt(t.Context(), now, l); err != nil || wait != 0 {
		t.Errorf("after the attempts were forgotten: wait %v, %v", wait, err)
	}
	for want, after := range []time.Duration{59 * time.Second, 61 * time.Second} {
		if n, err := db.ForgetAccounts(t.Context(), day0, now.Add(after)); err != nil || n != want {
			t.Errorf("%d rows are deleted after %v, %v, want %d", n, after, err, want)
		}
	}
}

// An attempt counts for all limits or for none, without deadlocks.
func TestAttemptConcurrently(t *testing.T) {
	db := pgtest.New(t)
	wide := account.AttemptLimit{Key: hash(1), Free: 1000, Step: time.Second, Max: time.Minute,
		Decay: time.Minute}
	narrow := account.AttemptLimit{Key: hash(2), Free: 10, Step: time.Hour, Max: time.Hour,
		Decay: time.Hour}
	var passed atomic.Int32
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			list := []account.AttemptLimit{wide, narrow}
			if i%2 == 0 {
				list = []account.AttemptLimit{narrow, wide}
			}
			// The clocks of processes are not quite the same.
			wait, err := db.Attempt(t.Context(), day0.Add(-time.Duration(i)*time.Millisecond),
				list...)
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 10 {
		t.Errorf("%d passed, want 10", passed.Load())
	}
	// The wide one counted ten: with Free 11 there is one left.
	wide.Free = 11
	if wait, err := db.Attempt(t.Context(), day0, wide); wait != 0 || err != nil {
		t.Errorf("%v %v", wait, err)
	}
	if wait, err := db.Attempt(t.Context(), day0, wide); wait == 0 || err != nil {
		t.Errorf("%v %v", wait, err)
	}
	if err := db.Forgive(t.Context(), wide.Key, narrow.Key); err != nil {
		t.Fatal(err)
	}
	if wait, err := db.Attempt(t.Context(), day0, wide, narrow); wait != 0 || err != nil {
		t.Errorf("after one was taken back: %v %v", wait, err)
	}
}

func TestSessionExpiry(t *testing.T) {
	db := pgtest.New(t)
	l := signUp(t, db, "ada@example.com", true)
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
	db := pgtest.New(t)
	for _, email := range []string{"ada@example.com", "eve@example.com"} {
		l := signUp(t, db, email, true)
		for i := range 130 {
			at := day0.Add(time.Duration(i) * time.Minute)
			h := hash(byte(i))
			h[1] = byte(l.ID)
			if _, err := db.SaveSession(t.Context(), h,
				account.Session{Account: l.ID, Data: []byte{}, Idle: 24 * time.Hour,
					ExpiresAt: day0.Add(48 * time.Hour)}, true, at); err != nil {
				t.Fatal(err)
			}
			if err := db.KnowDevice(t.Context(), l.ID, h, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := db.ForgetAccounts(t.Context(), day0, day0.Add(3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if sessions, devices := rows(t, db, "sessions"), rows(t, db, "devices"); sessions != 200 ||
		devices != 40 {
		t.Errorf("%d sessions and %d devices of two accounts", sessions, devices)
	}
	last := hash(129)
	last[1] = 1
	if ok, err := db.KnowsDevice(t.Context(), "ada@example.com", last); !ok || err != nil {
		t.Error("the newest went", err)
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
	db, err := postgres.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ada := signUp(t, db, "ada@example.com", true)
	l.Close()
	mu.Lock()
	for _, c := range open {
		c.Close()
	}
	mu.Unlock()
	a := account.AttemptLimit{Key: hash(1), Free: 3, Step: time.Second, Max: time.Second,
		Decay: time.Second}
	for name, err := range map[string]error{
		"account": second(db.Account(t.Context(), ada.ID)),
		"sign up": func() error {
			_, _,
				err := db.SignUp(t.Context(), ada, "x@example.com", nil, day0)
			return err
		}(),
		"session": func() error {
			_, _,
				err := db.Session(t.Context(), hash(1), day0)
			return err
		}(),
		"attempt":  second(db.Attempt(t.Context(), day0, a)),
		"password": second(db.SetPassword(t.Context(), ada.ID, "x", account.AuditEntry{At: day0})),
		"delete":   db.DeleteAccount(t.Context(), ada.ID),
		"keys":     second(db.Keys(t.Context(), ada.ID)),
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
	db := pgtest.New(t)
	l := signUp(t, db, "ada@example.com", true)
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
					err = db.AddLink(t.Context(), l.ID,
						account.Link{Hash: h, Purpose: account.LinkReset, ExpiresAt: day0}, e)
				case 2:
					err = db.KnowDevice(t.Context(), l.ID, h, day0)
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
	for _, table := range []string{"sessions", "links", "devices", "audit"} {
		if n := rows(t, db, table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

func rows(t *testing.T, db *postgres.DB, table string) (n int) {
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
