package accounts_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
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
	h := newHouse(t, setting{trusting: true})
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

func TestSignInLimitOfAddress(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	h.member("ada@example.com")
	owner := h.visitorFrom("198.51.100.7")
	owner.wants(200, owner.signIn("ada@example.com", password))
	limited := 0
	for i := range 60 {
		if h.visitorFrom("203.0.113."+strconv.Itoa(i)).signIn("ada@example.com", "wrong-password").status == 429 {
			limited++
		}
	}
	if limited < 20 {
		t.Errorf("only %d of 60 guesses from 60 clients were refused", limited)
	}
	r := h.visitorFrom("198.51.100.99").signIn("ada@example.com", password)
	if r.status != 429 {
		t.Errorf("a stranger: %d", r.status)
	}
	if wait := retryAfter(t, r); wait > time.Minute {
		t.Errorf("a browser that is not known waits %v; the owner would be locked out", wait)
	}
	owner.wants(204, owner.do("POST", "/sign-out"))
	owner.wants(200, owner.signIn("ada@example.com", password))
}

func TestSignInLimitOfClient(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
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
	h := newHouse(t, setting{trusting: true})
	h.member("ada@example.com")
	second, err := postgres.Open(t.Context(), h.db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	h2 := newHouse(t, setting{trusting: true, db: second})
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	for i := range 40 {
		p := []*house{h, h2}[i%2].visitor()
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
	h := newHouse(t, setting{trusting: true})
	h.member("ada@example.com")
	for range 3 {
		p := h.visitor()
		for range 4 {
			p.signIn("ada@example.com", "wrong-password")
		}
		p.wants(200, p.signIn("ada@example.com", password))
	}
}

func TestSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *house, p, other *person)
		want bool // p is signed in then; the other is not
	}{
		"signed out everywhere": {do: func(h *house, p, _ *person) {
			p.wants(204, p.send(p.request("POST", "/account/api/sign-out", `{"everywhere":true}`)))
		}},
		"another password": {want: true, do: func(h *house, p, _ *person) {
			p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2))
		}},
		"not used for a week": {do: func(h *house, p, _ *person) { h.later(7*24*time.Hour + time.Minute) }},
		"a month later": {do: func(h *house, p, _ *person) {
			for range 29 {
				h.later(24*time.Hour + 60*time.Minute)
				p.do("GET", "")
			}
			h.later(3 * time.Hour)
		}},
		"deleted by the operator": {do: func(h *house, p, _ *person) {
			if err := h.acc.DeleteByOperator(h.t.Context(), "Ada@example.com"); err != nil {
				h.t.Error(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, setting{trusting: true})
			p := h.memberIn("ada@example.com")
			other := h.visitorFrom("198.51.100.9")
			other.wants(200, other.signIn("ada@example.com", password))
			c.do(h, p, other)
			if p.signedIn() != c.want {
				t.Errorf("signed in: %t", !c.want)
			}
			if other.signedIn() {
				t.Error("the other session goes on")
			}
		})
	}
}

func TestSessionIdle(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.memberIn("ada@example.com")
	for day := range 27 {
		h.later(24 * time.Hour)
		if !p.signedIn() {
			t.Fatalf("not after %d days", day+1)
		}
	}
}

// Who has planted a session in a browser is not signed in by its owner.
func TestSessionTokenRenewed(t *testing.T) {
	h := newHouse(t, setting{trusting: true, github: func(base string) *account.GitHub {
		return account.NewGitHub("id", "secret", base+"/", base+"/", base+"/account/github/callback")
	}})
	h.member("ada@example.com")
	token := func(r result) string {
		for _, c := range (&http.Response{Header: r.header}).Cookies() {
			if c.Name == "registry-session" {
				return c.Value
			}
		}
		return ""
	}
	with := func(token string) *person {
		q := h.visitorFrom("203.0.113.9")
		q.client.Jar = nil
		q.cookie = "registry-session=" + token
		return q
	}
	p := h.visitor()
	planted := token(p.wants(303, p.send(p.request("GET", "/account/github", ""))))
	first := token(p.wants(200, p.signIn("ada@example.com", password)))
	second := token(p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2)))
	if planted == "" || first == "" || second == "" || planted == first || first == second {
		t.Fatalf("%q, %q, %q", planted, first, second)
	}
	if with(planted).signedIn() || with(first).signedIn() || !with(second).signedIn() {
		t.Error("an old token is good for something")
	}
	if n := h.row(`SELECT count(*) FROM sessions WHERE account IS NOT NULL`); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// A request that is on its way while its session is ended does not bring the
// session back.
func TestSessionSaveAfterEnd(t *testing.T) {
	h := newHouse(t, setting{trusting: true, github: func(base string) *account.GitHub {
		return account.NewGitHub("id", "secret", base+"/", base+"/", base+"/account/github/callback")
	}})
	p := h.memberIn("ada@example.com")
	other := h.visitor()
	other.wants(200, other.signIn("ada@example.com", password))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { p.send(p.request("GET", "/account/github", "")) }) // changes the session
	}
	wg.Go(func() {
		other.wants(204, other.send(other.request("POST", "/account/api/sign-out", `{"everywhere":true}`)))
	})
	wg.Wait()
	if p.signedIn() {
		t.Error("still signed in")
	}
	if n := h.row(`SELECT count(*) FROM sessions WHERE account IS NOT NULL`); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestCrossOrigin(t *testing.T) {
	h := newHouse(t, setting{trusting: true, base: "http://localhost:8080"})
	h.member("ada@example.com")
	for name, c := range map[string]struct {
		header, value string
		want          int
	}{
		"another site":         {"Sec-Fetch-Site", "cross-site", 403},
		"another subdomain":    {"Sec-Fetch-Site", "same-site", 403},
		"our own page":         {"Sec-Fetch-Site", "same-origin", 200},
		"an old browser":       {"Origin", "https://evil.example", 403},
		"a sandboxed frame":    {"Origin", "null", 403},
		"our page behind TLS":  {"Origin", "http://localhost:8080", 200},
		"our name, not scheme": {"Origin", "https://localhost:8080", 403}, // or with it: another origin
		"a program like curl":  {"Accept", "*/*", 200},
		"a page with our name": {"Origin", "http://localhost:8080.evil.example", 403},
	} {
		p := h.visitor()
		req := p.request("POST", "/account/api/sign-in", `{"email":"ada@example.com","password":"`+password+`"}`)
		req.Header.Set(c.header, c.value)
		if strings.HasSuffix(c.value, "://localhost:8080") {
			req.Host = "localhost:8080"
		}
		r := p.send(req)
		if r.status != c.want || c.want == 403 && r.code() != "cross_origin" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if strings.Contains(strings.ToLower(strings.Join(r.header.Values("Access-Control-Allow-Origin"), "")), "*") {
			t.Errorf("%s: other origins may read it", name)
		}
	}
}

func TestForms(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	c := ginContext("")
	session, err := h.api.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	token := h.api.FormToken(session)
	if err := h.api.Save(session, c); err != nil {
		t.Fatal(err)
	}
	cookie := strings.Split(c.Writer.Header().Get("Set-Cookie"), ";")[0]
	next, err := h.api.Open(ginContext(cookie))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.api.CheckForm(next, token); err != nil {
		t.Error(err)
	}
	if h.api.FormToken(next) != token {
		t.Error("another token in the same session")
	}
	for _, bad := range []string{"", "x", token + "x", strings.ToLower(token)} {
		if h.api.CheckForm(next, bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	empty, err := h.api.Open(ginContext(""))
	if err != nil {
		t.Fatal(err)
	}
	if h.api.CheckForm(empty, "") == nil {
		t.Error("no session and no token pass")
	}
}
