package accounts_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
)

func retryAfter(t *testing.T, r result) time.Duration {
	t.Helper()
	n, err := strconv.Atoi(r.header.Get("Retry-After"))
	if err != nil || n < 1 {
		t.Fatalf("Retry-After %q", r.header.Get("Retry-After"))
	}
	return time.Duration(n) * time.Second
}

func TestSignInLimitOfPair(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	owner := h.visitorFrom("198.51.100.7")
	owner.wants(200, owner.signIn("ada@example.com", password)) // a browser that is known from now on

	thief := h.visitorFrom("203.0.113.66")
	for i := range 5 {
		if r := thief.signIn("ada@example.com", "wrong-password-"+strconv.Itoa(i)); r.status != 401 {
			t.Fatalf("guess %d: %d %s", i, r.status, r.body)
		}
	}
	// From here on every guess has to wait, and each longer than the one before.
	last := time.Duration(0)
	for range 12 {
		r := thief.signIn("ada@example.com", "wrong-password")
		if r.status != 429 || r.code() != "too_many_attempts" {
			t.Fatalf("a guess too early: %d %s", r.status, r.body)
		}
		wait := retryAfter(t, r)
		if wait+time.Minute/2 < last || wait > 15*time.Minute { // the machine may have stood still for a moment
			t.Errorf("has to wait %v after %v", wait, last)
		}
		last = wait
		h.later(wait)
		if r := thief.signIn("ada@example.com", "wrong-password"); r.status != 401 {
			t.Fatalf("after waiting: %d %s", r.status, r.body)
		}
	}
	if last < 10*time.Minute {
		t.Errorf("waits only %v in the end", last)
	}
	if r := thief.signIn("ada@example.com", password); r.status != 429 {
		t.Errorf("the right password makes a difference: %d", r.status)
	}
	// The owner's browser comes in at once, and so does a new one elsewhere.
	owner.wants(204, owner.do("POST", "/sign-out"))
	owner.wants(200, owner.signIn("ada@example.com", password))
	h.visitorFrom("198.51.100.8").wants(200, h.visitorFrom("198.51.100.8").signIn("ada@example.com", password))
}

// Of right passwords, all pass while others try 50 wrong ones a second for the
// same address.
func TestSignInUnderAttack(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	stop := make(chan struct{})
	var guesses, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 25 {
		thief := h.visitorFrom("203.0.113." + strconv.Itoa(10+i))
		wg.Go(func() {
			tick := time.NewTicker(500 * time.Millisecond)
			defer tick.Stop()
			for {
				guesses.Add(1)
				if thief.signIn("ada@example.com", "wrong-password").status == 429 {
					refused.Add(1)
				}
				select {
				case <-stop:
					return
				case <-tick.C:
				}
			}
		})
	}
	begin := time.Now()
	for guesses.Load() < 150 { // each has used up its free attempts
		time.Sleep(10 * time.Millisecond)
	}
	passed, slowest := 0, time.Duration(0)
	for range 12 {
		owner := h.visitorFrom("198.51.100.7") // a new browser each time
		start := time.Now()
		if owner.signIn("ada@example.com", password).status == 200 {
			passed++
		}
		slowest = max(slowest, time.Since(start))
	}
	close(stop)
	wg.Wait()
	t.Logf("%d of 12 right passwords passed, the slowest in %v, beside %d wrong ones in %v, %d of them refused",
		passed, slowest, guesses.Load(), time.Since(begin).Round(time.Millisecond), refused.Load())
	if passed != 12 {
		t.Errorf("%d of 12 right passwords passed", passed)
	}
	if refused.Load() == 0 {
		t.Error("no wrong password was refused")
	}
}

// An attacker who goes on while being refused waits longer, and a mailed link
// goes round all limits.
func TestSignInRefusedExtends(t *testing.T) {
	h := newHouse(t, options{mail: true})
	h.member("ada@example.com")
	p := h.visitor()
	for range 5 {
		p.wants(401, p.signIn("ada@example.com", "wrong-password"))
	}
	first := retryAfter(t, p.signIn("ada@example.com", "wrong-password"))
	last := first
	for range 10 {
		last = retryAfter(t, p.signIn("ada@example.com", "wrong-password"))
	}
	t.Logf("waits %v at first, %v after ten more attempts", first, last)
	if last < 10*time.Minute {
		t.Errorf("waits %v at first, %v after ten more attempts", first, last)
	}
	r := p.signIn("ada@example.com", password)
	if r.status != 429 || !strings.Contains(r.body, "a link that we send you") {
		t.Fatalf("%d %s", r.status, r.body)
	}
	p.wants(202, p.do("POST", "/sign-in-by-mail", "email", "ada@example.com"))
	token := h.post.next().token(t, "sign-in-link")
	p.wants(200, p.do("POST", "/sign-in-link", "token", token))
	if !p.signedIn() {
		t.Error("not signed in")
	}
}

// 300 sign-ups at once from one client neither pass nor delay the sign-in of
// another one, at the costs of production.
func TestSignUpsAtOnce(t *testing.T) {
	h := newHouse(t, options{trusting: true, costs: account.Costs{Memory: 19 * 1024, Passes: 2, Threads: 1}})
	h.member("ada@example.com")
	eve := h.visitorFrom("203.0.113.66")
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			r := eve.do("POST", "/sign-up", "email", "eve"+strconv.Itoa(i)+"@example.com", "password", password)
			if r.status == 429 {
				retryAfter(t, r)
			}
			mu.Lock()
			defer mu.Unlock()
			got[r.status]++
		})
	}
	slowest := time.Duration(0)
	for i := range 10 {
		ada := h.visitorFrom("198.51.100." + strconv.Itoa(i+1))
		start := time.Now()
		ada.wants(200, ada.signIn("ada@example.com", password))
		slowest = max(slowest, time.Since(start))
	}
	wg.Wait()
	t.Logf("sign-ups: %v; the slowest of ten sign-ins beside them took %v", got, slowest.Round(time.Millisecond))
	if got[202] > 10 || got[202] < 1 || got[202]+got[429] != 100 {
		t.Errorf("sign-ups: %v", got)
	}
}

// A client makes ten accounts an hour, also if it takes its time.
func TestSignUpLimit(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.visitor()
	n := 0
	for range 10 {
		n++
		p.signUp("ada"+strconv.Itoa(n)+"@example.com", password)
	}
	r := p.do("POST", "/sign-up", "email", "more@example.com", "password", password)
	if r.status != 429 || !strings.Contains(r.body, "Too many sign-ups from your network") {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if wait := retryAfter(t, r); wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("waits %v", wait)
	}
	if r := p.do("POST", "/sign-up", "email", "more@example.com", "password", "short"); r.status != 400 {
		t.Errorf("a password that is refused: %d", r.status)
	}
	other := h.visitorFrom("198.51.100.7")
	other.signUp("bob@example.com", password)
	h.later(time.Hour + time.Second)
	p.signUp("more@example.com", password)
}

func TestSignInLink(t *testing.T) {
	h := newHouse(t, options{mail: true})
	h.member("ada@example.com")
	p := h.visitor()
	p.signUp("waiting@example.com", password)
	h.post.next()
	answer := p.wants(202, p.do("POST", "/sign-in-by-mail", "email", "ada@example.com")).body
	token := h.post.next().token(t, "sign-in-link")
	for _, email := range []string{"nobody@example.com", "waiting@example.com"} {
		if r := p.wants(202, p.do("POST", "/sign-in-by-mail", "email", email)); r.body != answer {
			t.Errorf("%s is told from one with an account: %s", email, r.body)
		}
	}
	if r := p.do("POST", "/confirm", "token", token); r.code() != "invalid_link" {
		t.Errorf("confirms an address: %d %s", r.status, r.body)
	}
	if r := p.do("POST", "/reset", "token", token, "password", password2); r.code() != "invalid_link" {
		t.Errorf("resets the password: %d %s", r.status, r.body)
	}
	p.wants(200, p.do("POST", "/sign-in-link", "token", token))
	if r := p.do("POST", "/sign-in-link", "token", token); r.code() != "invalid_link" {
		t.Errorf("used twice: %d %s", r.status, r.body)
	}
	p.wants(202, p.do("POST", "/sign-in-by-mail", "email", "ada@example.com"))
	l := h.post.next()
	if l.to != "ada@example.com" {
		t.Errorf("the next mail is to %s", l.to)
	}
	h.later(30*time.Minute + time.Second)
	if r := p.do("POST", "/sign-in-link", "token", l.token(t, "sign-in-link")); r.code() != "invalid_link" {
		t.Errorf("after half an hour: %d %s", r.status, r.body)
	}
}

func TestSignInLimitOfClient(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.visitor()
	limited := false
	for i := range 60 {
		limited = limited || p.signIn("nobody"+strconv.Itoa(i)+"@example.com", "wrong-password").status == 429
	}
	if !limited {
		t.Error("60 addresses were tried from one client")
	}
}

// Of guesses that come at once, in two processes, no more are looked at than
// of guesses one after the other.
func TestSignInLimitConcurrently(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	second, err := postgres.Open(t.Context(), h.db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	h2 := newHouse(t, options{trusting: true, db: second})
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	for i := range 40 {
		p := []*fixture{h, h2}[i%2].visitor()
		wg.Go(func() {
			r := p.signIn("ada@example.com", "wrong-password")
			mu.Lock()
			got[r.status]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if got[401] != 5 || got[429] != 35 {
		t.Errorf("%v; want 5 looked at and 35 refused", got)
	}
}

func TestSignInForgives(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	for range 3 {
		p := h.visitor()
		for range 4 {
			p.signIn("ada@example.com", "wrong-password")
		}
		p.wants(200, p.signIn("ada@example.com", password))
	}
}

func TestChangePassword(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	if r := p.do("POST", "/password", "password", "wrong-password", "newPassword",
		password2); r.status != 403 || r.code() != "wrong_password" {
		t.Errorf("wrong old password: %d %s", r.status, r.body)
	}
	for _, bad := range []string{"short", "password123", "qwertyuiop", strings.Repeat("a", 300), "ada1234567"} {
		if r := p.do("POST", "/password", "password", password, "newPassword",
			bad); r.status != 400 || !strings.Contains(r.body, `"newPassword"`) {
			t.Errorf("%.20s: %d %s", bad, r.status, r.body)
		}
	}
	p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2))
	if !p.signedIn() {
		t.Error("signed out")
	}
	if l := h.post.next(); !strings.Contains(l.subject, "password was changed") || l.to != "ada@example.com" {
		t.Errorf("mail to the owner: %+v", l)
	}
	q := h.visitorFrom("198.51.100.3")
	if q.signIn("ada@example.com", password).status != 401 {
		t.Error("the old password works")
	}
	q.wants(200, q.signIn("ada@example.com", password2))
}

// Who has got hold of a session cannot guess the password with it.
func TestProofLimit(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.memberIn("ada@example.com")
	got := map[int]int{}
	for _, path := range []string{"/password", "/email", "/password", "/email", "/password", "/email", "/password"} {
		r := p.do("POST", path, map[string][]string{
			"/password": {"password", "wrong-password", "newPassword", password2},
			"/email":    {"password", "wrong-password", "email", "eve@example.com"},
		}[path]...)
		got[r.status]++
	}
	if got[403] != 5 || got[429] != 2 {
		t.Errorf("%v", got)
	}
	if r := p.do("DELETE", "", "password", password); r.status != 429 {
		t.Errorf("delete: %d", r.status)
	}
}

func TestResetPassword(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	q := h.visitorFrom("198.51.100.4")
	q.wants(202, q.do("POST", "/reset-request", "email", "ADA@example.com"))
	earlier := h.post.next().token(t, "reset")
	q.wants(202, q.do("POST", "/reset-request", "email", "ada@example.com"))
	l := h.post.next()
	token := l.token(t, "reset")
	if r := q.do("POST", "/reset", "token", earlier, "password", password2); r.code() != "invalid_link" {
		t.Errorf("with a link after which another was asked for: %d %s", r.status, r.code())
	}
	if l.to != "ada@example.com" || strings.Contains(l.raw, password) {
		t.Errorf("mail: %+v", l)
	}
	if r := q.do("POST", "/confirm", "token", token); r.code() != "invalid_link" {
		t.Errorf("the link is good for something else: %d %s", r.status, r.body)
	}
	if r := q.do("POST", "/reset", "token", strings.Repeat("A", 43), "password",
		"password123"); r.code() != "invalid_link" {
		t.Errorf("work is done without a link: %d %s", r.status, r.body)
	}
	if r := q.do("POST", "/reset", "token", token, "password", "password123"); r.status != 400 ||
		r.code() != "invalid_parameter" {
		t.Errorf("a common password: %d %s", r.status, r.body)
	}
	// Of many who use the link at once one gets it.
	var ok atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if h.visitorFrom("198.51.100.4").do("POST", "/reset", "token", token, "password", password2).status == 204 {
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	if ok.Load() != 1 {
		t.Errorf("the link was used %d times", ok.Load())
	}
	if p.signedIn() {
		t.Error("the session before the reset goes on")
	}
	if l := h.post.next(); !strings.Contains(l.subject, "password was changed") {
		t.Errorf("%+v", l)
	}
	q.wants(200, q.signIn("ada@example.com", password2))
}

func TestLinksExpire(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.visitor()
	p.signUp("ada@example.com", password)
	confirm := h.post.next().token(t, "confirm")
	h.later(24*time.Hour + time.Second)
	if r := p.do("POST", "/confirm", "token", confirm); r.code() != "invalid_link" {
		t.Errorf("after a day: %d %s", r.status, r.body)
	}
	p.signUp("ada@example.com", password) // sends another
	p.wants(200, p.do("POST", "/confirm", "token", h.post.next().token(t, "confirm")))
	p.wants(202, p.do("POST", "/reset-request", "email", "ada@example.com"))
	reset := h.post.next().token(t, "reset")
	h.later(time.Hour + time.Second)
	if r := p.do("POST", "/reset", "token", reset, "password", password2); r.code() != "invalid_link" {
		t.Errorf("after an hour: %d %s", r.status, r.body)
	}
	if n := h.row(`SELECT count(*) FROM links`); n == 0 {
		t.Error("nothing to forget: the test is wrong")
	}
	if _, err := account.Forget(t.Context(), h.db, h.now()); err != nil {
		t.Fatal(err)
	}
	if n := h.row(`SELECT count(*) FROM links`); n != 0 {
		t.Errorf("%d links that are over stay", n)
	}
}

func TestWrongLinks(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	p := h.visitor()
	for _, token := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 44),
		strings.Repeat("é", 43), "'; DROP TABLE links; --", strings.Repeat("A", 10000)} {
		for path, pairs := range map[string][]string{"/confirm": {"token", token},
			"/reset": {"token", token, "password", password2}} {
			if r := p.do("POST", path, pairs...); r.status != 400 || r.code() != "invalid_link" {
				t.Errorf("%s %.20q: %d %s", path, token, r.status, r.body)
			}
		}
	}
}

// A stranger who signs up with somebody's address does not get the account
// that its owner confirms later.
func TestConfirmSetsPasswordOfLink(t *testing.T) {
	h := newHouse(t, options{mail: true})
	thief, owner := h.visitorFrom("203.0.113.66"), h.visitor()
	thief.signUp("ada@example.com", "the-thief-chose-this-one")
	h.post.next()
	owner.signUp("ada@example.com", password)
	owner.wants(200, owner.do("POST", "/confirm", "token", h.post.next().token(t, "confirm")))
	if r := thief.signIn("ada@example.com", "the-thief-chose-this-one"); r.status != 401 {
		t.Errorf("the stranger: %d", r.status)
	}
	owner.wants(200, owner.signIn("ada@example.com", password))
	// And the link that the stranger caused is worth nothing any more.
	first := h.post.all()[0].token(t, "confirm")
	if r := thief.do("POST", "/confirm", "token", first); r.code() != "invalid_link" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestChangeEmail(t *testing.T) {
	h := newHouse(t, options{mail: true})
	h.member("taken@example.com")
	p := h.memberIn("ada@example.com")
	r := p.wants(202, p.do("POST", "/email", "password", password, "email", "ada@new.example"))
	l := h.post.next()
	if l.to != "ada@new.example" {
		t.Errorf("%+v", l)
	}
	if q := h.visitor(); q.signIn("ada@new.example", password).status != 401 {
		t.Error("changed before it is confirmed")
	}
	p.wants(200, p.do("POST", "/confirm", "token", l.token(t, "confirm")))
	if l := h.post.next(); l.to != "ada@example.com" || !strings.Contains(l.text, "ada@new.example") {
		t.Errorf("mail to the old address: %+v", l)
	}
	q := h.visitor()
	if q.signIn("ada@example.com", password).status != 401 {
		t.Error("the old address signs in")
	}
	q.wants(200, q.signIn("ada@new.example", password))
	// An address that has an account gets the same answer, and a mail.
	if r2 := p.wants(202, p.do("POST", "/email", "password", password, "email", "taken@example.com")); r2.body != r.body {
		t.Errorf("%s; %s", r.body, r2.body)
	}
	if l := h.post.next(); l.to != "taken@example.com" || linkForm.MatchString(l.text) {
		t.Errorf("%+v", l)
	}
	// The old address is free again, and one that was taken in the meantime is not given twice.
	p.wants(202, p.do("POST", "/email", "password", password, "email", "free@example.com"))
	link := h.post.next().token(t, "confirm")
	h.member("free@example.com")
	h.member("ada@example.com")
	if r := p.do("POST", "/confirm", "token", link); r.code() != "invalid_link" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// An account that nobody has confirmed is nobody's: it makes room.
func TestChangeEmailToUnconfirmed(t *testing.T) {
	h := newHouse(t, options{mail: true})
	stranger := h.visitorFrom("203.0.113.66")
	stranger.signUp("ada@new.example", password2)
	late := h.post.next().token(t, "confirm")
	p := h.memberIn("ada@example.com")
	p.wants(202, p.do("POST", "/email", "password", password, "email", "Ada@New.example"))
	p.wants(200, p.do("POST", "/confirm", "token", h.post.next().token(t, "confirm")))
	if r := p.do("GET", ""); !strings.Contains(r.body, "Ada@New.example") {
		t.Errorf("%s", r.body)
	}
	if r := stranger.do("POST", "/confirm", "token", late); r.code() != "invalid_link" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if stranger.signIn("ada@new.example", password2).status != 401 {
		t.Error("the stranger comes in")
	}
}

func TestChangeEmailTrusting(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("taken@example.com")
	p := h.memberIn("ada@example.com")
	if r := p.do("POST", "/email", "password", password, "email",
		"Taken@example.com"); r.status != 400 || !strings.Contains(r.body, "another account") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := p.wants(202, p.do("POST", "/email", "password", password, "email",
		"ada@new.example")); !strings.Contains(r.body, `"sign_in"`) {
		t.Errorf("%s", r.body)
	}
	if r := p.do("GET", ""); !strings.Contains(r.body, "ada@new.example") {
		t.Errorf("%s", r.body)
	}
	// Another spelling of the account's own address is not a conflict.
	p.wants(202, p.do("POST", "/email", "password", password, "email", "Ada@New.example"))
}

func TestDeleteAccount(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	p.wants(202, p.do("POST", "/reset-request", "email", "ada@example.com"))
	h.post.next()
	if r := p.do("DELETE", "", "password", "wrong-password"); r.status != 403 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := p.do("DELETE", ""); r.status != 400 || !strings.Contains(r.body, "missing_parameter") {
		t.Errorf("%d %s", r.status, r.body)
	}
	p.wants(204, p.do("DELETE", "", "password", password))
	if p.signedIn() {
		t.Error("still signed in")
	}
	for _, table := range []string{"accounts", "audit", "links", "devices", "sessions", "keys"} {
		if n := h.row("SELECT count(*) FROM " + table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	if l := h.post.next(); !strings.Contains(l.subject, "deleted") {
		t.Errorf("%+v", l)
	}
	h.member("ada@example.com") // free again
}

func TestAudit(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	if r := h.visitor().do("GET", "/audit"); r.status != 401 {
		t.Errorf("%d", r.status)
	}
	h.memberIn("eve@example.com")
	p := h.memberIn("ada@example.com")
	p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2))
	p.wants(202, p.do("POST", "/email", "password", password2, "email", "ada@new.example"))
	if _, _, err := h.acc.ResetByOperator(t.Context(), "ada@new.example"); err != nil {
		t.Fatal(err)
	}
	r := p.wants(200, p.do("GET", "/audit"))
	at := 0
	for _, want := range []string{`"operator","action":"password.reset_asked"`,
		`"owner","action":"email.changed"`, `"owner","action":"email.change_asked"`,
		`"owner","action":"password.changed"`, `"somebody","action":"account.made"`} {
		i := strings.Index(r.body[at:], want)
		if i < 0 {
			t.Fatalf("%s is not there, or not in order: %s", want, r.body)
		}
		at += i
	}
	if strings.Contains(r.body, "eve") || strings.Contains(r.body, "argon2") {
		t.Errorf("%s", r.body)
	}
}

func TestOperator(t *testing.T) {
	h := newHouse(t, options{})
	p := h.visitor()
	if r := p.wants(202, p.do("POST", "/sign-up", "email", "ada@example.com", "password",
		password)); !strings.Contains(r.body, `"await_operator"`) {
		t.Errorf("%s", r.body)
	}
	if p.signIn("ada@example.com", password).status != 401 {
		t.Error("not confirmed, and yet signed in")
	}
	ctx := t.Context()
	l, link, works, err := h.acc.ConfirmByOperator(ctx, "ada@example.com")
	if err != nil || works != time.Hour || l.ConfirmedAt == nil || l.HasPassword {
		t.Fatal(l, link, works, err)
	}
	if _, _, _, err := h.acc.ConfirmByOperator(ctx, "ada@example.com"); err == nil {
		t.Error("confirmed twice")
	}
	p.wants(204, p.do("POST", "/reset", "token", message{text: link}.token(t, "reset"), "password", password))
	p.wants(200, p.signIn("ada@example.com", password))
	p.wants(202, p.do("POST", "/email", "password", password, "email", "ada@new.example"))
	if _, link, _, err := h.acc.ConfirmByOperator(ctx, "ada@new.example"); err != nil || link != "" {
		t.Fatal(link, err)
	}
	if r := p.wants(202, p.do("POST", "/reset-request", "email",
		"ada@new.example")); !strings.Contains(r.body, `"await_operator"`) {
		t.Errorf("%s", r.body)
	}
	link, works, err = h.acc.ResetByOperator(ctx, "ada@new.example")
	if err != nil || works != time.Hour {
		t.Fatal(link, works, err)
	}
	p.wants(204, p.do("POST", "/reset", "token", message{text: link}.token(t, "reset"), "password", password2))
	p.wants(200, p.signIn("ada@new.example", password2))
	if _, _, err := h.acc.ResetByOperator(ctx, "nobody@example.com"); err == nil ||
		!strings.Contains(err.Error(), "nobody@example.com") {
		t.Errorf("%v", err)
	}
}

// Who signs up first with an address need not have it, and the operator who
// confirms it cannot know: the password is chosen with the link that he gives.
func TestOperatorConfirmDropsPassword(t *testing.T) {
	h := newHouse(t, options{})
	stranger, p := h.visitorFrom("203.0.113.66"), h.visitor()
	stranger.signUp("ada@example.com", password2)
	p.signUp("ada@example.com", password)
	_, link, _, err := h.acc.ConfirmByOperator(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if stranger.signIn("ada@example.com", password2).status != 401 || p.signIn("ada@example.com", password).status != 401 {
		t.Error("a password of a sign-up opens the account")
	}
	stranger.signUp("ada@example.com", password2) // too late, and it changes nothing
	p.wants(204, p.do("POST", "/reset", "token", message{text: link}.token(t, "reset"), "password", password))
	p.wants(200, p.signIn("ada@example.com", password))
	if stranger.signIn("ada@example.com", password2).status != 401 {
		t.Error("the stranger comes in")
	}
}

func TestMailLimit(t *testing.T) {
	h := newHouse(t, options{mail: true})
	h.member("ada@example.com")
	for i := range 30 {
		p := h.visitorFrom("203.0.113." + string(rune('0'+i%10)))
		p.wants(202, p.do("POST", "/reset-request", "email", "ada@example.com"))
		p.signUp("ada@example.com", password)
	}
	h.visitor().signUp("eve@example.com", password) // her mail comes after all of those
	for h.post.next().to != "eve@example.com" {
	}
	n := 0
	for _, l := range h.post.all() {
		if l.to == "ada@example.com" {
			n++
		}
	}
	if n < 5 || n > 9 {
		t.Errorf("%d mails to one address", n)
	}
	if entries, err := h.db.Audit(t.Context(), 1, 100); err != nil || len(entries) > 7 {
		t.Errorf("the log of the owner has %d entries, %v", len(entries), err)
	}
}

// An account cannot be used to write to strangers: changes of its address and invitations
// are limited together.
func TestMailsToOthers(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	got := map[int]int{}
	for i := range 70 {
		got[p.do("POST", "/email", "email", fmt.Sprintf("stranger%d@example.net", i), "password", password).status]++
	}
	if got[202] != 60 || got[429] != 10 {
		t.Errorf("changes of the address: %v", got)
	}
	r := p.do("POST", "/members", "email", "bob@example.com", "role", "member")
	if r.status != 429 {
		t.Errorf("an invitation: %d %s", r.status, r.body)
	}
	h.later(retryAfter(t, r))
	p.wants(202, p.do("POST", "/members", "email", "bob@example.com", "role", "member"))
}

func TestForgetUnconfirmed(t *testing.T) {
	h := newHouse(t, options{})
	h.member("ada@example.com")
	h.visitor().signUp("eve@example.com", password)
	h.later(31 * 24 * time.Hour)
	if _, err := account.Forget(t.Context(), h.db, h.now()); err != nil {
		t.Fatal(err)
	}
	all, err := h.acc.All(t.Context())
	if err != nil || len(all) != 1 || all[0].Email != "ada@example.com" {
		t.Errorf("%v %v", all, err)
	}
	for _, table := range []string{"sessions", "attempts"} {
		if n := h.row("SELECT count(*) FROM " + table); n != 0 {
			t.Errorf("%d rows stay in %s", n, table)
		}
	}
	if _, err := h.db.Account(t.Context(), 99); err == nil || !strings.Contains(err.Error(), "no such account") {
		t.Errorf("%v", err)
	}
}
