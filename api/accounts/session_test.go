package accounts_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

func TestSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *fixture, p, other *client)
		want bool // p is signed in then; the other is not
	}{
		"signed out everywhere": {do: func(h *fixture, p, _ *client) {
			p.wants(204, p.send(p.request("POST", "/account/api/sign-out", `{"everywhere":true}`)))
		}},
		"another password": {want: true, do: func(h *fixture, p, _ *client) {
			p.wants(204, p.do("POST", "/password", "password", password, "newPassword", password2))
		}},
		"not used for a week": {do: func(h *fixture, p, _ *client) { h.later(7*24*time.Hour + time.Minute) }},
		"a month later": {do: func(h *fixture, p, _ *client) {
			for range 29 {
				h.later(24*time.Hour + 60*time.Minute)
				p.do("GET", "")
			}
			h.later(3 * time.Hour)
		}},
		"deleted by the operator": {do: func(h *fixture, p, _ *client) {
			if err := h.acc.DeleteByOperator(h.t.Context(), "Ada@example.com"); err != nil {
				h.t.Error(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, options{trusting: true})
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
	h := newHouse(t, options{trusting: true})
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
	h := newHouse(t, options{trusting: true, github: func(base string) *account.GitHub {
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
	with := func(token string) *client {
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
	h := newHouse(t, options{trusting: true, github: func(base string) *account.GitHub {
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
	h := newHouse(t, options{trusting: true, base: "http://localhost:8080"})
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
	h := newHouse(t, options{trusting: true})
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

func TestInvalidCookies(t *testing.T) {
	h := newHouse(t, options{trusting: true})
	h.member("ada@example.com")
	for _, cookie := range []string{"registry-session=", "registry-session=x", "registry-session=" +
		strings.Repeat("A", 10_000), "registry-session=\"quoted\"", "registry-session=%00",
		"registry-session=x; registry-session=y", "registry-known=x",
		"registry-session='; DROP TABLE sessions; --"} {
		p := h.visitor()
		p.cookie = cookie
		if r := p.do("GET", ""); r.status != 401 {
			t.Errorf("%.30s: %d %s", cookie, r.status, r.body)
		}
		p.wants(200, p.signIn("ada@example.com", password))
	}
}
