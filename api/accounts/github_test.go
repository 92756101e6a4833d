package accounts_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

// A fakeGitHub is GitHub's sign-in: it checks what an OAuth server
// with PKCE checks.
type fakeGitHub struct {
	t   *testing.T
	srv *httptest.Server

	mu     sync.Mutex
	id     int64
	login  string
	emails string
	asked  url.Values        // of the last authorization
	codes  map[string]string // code: challenge
	broken bool
}

func newHub(t *testing.T) *fakeGitHub {
	h := &fakeGitHub{t: t, codes: map[string]string{}, id: 77, login: "octo-ada",
		emails: `[{"email":"old@example.com","primary":false,"verified":true},{"email":"Ada@Example.com","primary":true,"verified":true}]`}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login/oauth/authorize", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked = r.URL.Query()
		code := "code-" + base64.RawURLEncoding.EncodeToString([]byte(time.Now().String()))
		h.codes[code] = h.asked.Get("code_challenge")
		back, err := url.Parse(h.asked.Get("redirect_uri"))
		if err != nil || h.asked.Get("client_id") != "the-id" || h.asked.Get("code_challenge_method") != "S256" || h.asked.Get("response_type") != "code" {
			t.Errorf("authorize: %v", h.asked)
		}
		back.RawQuery = url.Values{"code": {code}, "state": {h.asked.Get("state")}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	})
	mux.HandleFunc("POST /login/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if h.broken {
			w.WriteHeader(500)
			return
		}
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		challenge, ok := h.codes[r.Form.Get("code")]
		delete(h.codes, r.Form.Get("code"))
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge || r.Form.Get("client_secret") != "the-secret" || r.Form.Get("redirect_uri") != h.asked.Get("redirect_uri") {
			json.NewEncoder(w).Encode(map[string]string{"error": "bad_verification_code"}) // with 200, as GitHub does
			return
		}
		json.NewEncoder(w).Encode(map[string]string{"access_token": "gho_token", "token_type": "bearer", "scope": "user:email"})
	})
	api := func(body func() any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if r.Header.Get("Authorization") != "Bearer gho_token" {
				w.WriteHeader(401)
				return
			}
			json.NewEncoder(w).Encode(body())
		}
	}
	mux.HandleFunc("GET /api/v3/user", api(func() any { return map[string]any{"id": h.id, "login": h.login, "email": "not-this-one@example.com"} }))
	mux.HandleFunc("GET /api/v3/user/emails", api(func() any { return json.RawMessage(h.emails) }))
	h.srv = httptest.NewServer(mux)
	t.Cleanup(h.srv.Close)
	return h
}

func (h *fakeGitHub) app(base string) *account.GitHub {
	return account.NewGitHub("the-id", "the-secret", h.srv.URL+"/", h.srv.URL+"/api/v3/", base+"/account/github/callback")
}

func (h *fakeGitHub) set(id int64, login, emails string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id, h.login, h.emails = id, login, emails
}

// viaGitHub goes to GitHub and back, and returns the last answer.
func (p *client) viaGitHub(query string) result {
	p.t.Helper()
	return p.follow(p.send(p.request("GET", "/account/github"+query, "")))
}

// follow goes where r says, to GitHub and from there back to us.
func (p *client) follow(r result) result {
	p.t.Helper()
	if r.status != 303 {
		return r
	}
	away := p.wants(302, p.send(p.request("GET", r.header.Get("Location"), "")))
	return p.send(p.request("GET", away.header.Get("Location"), ""))
}

func TestSignInWithGitHub(t *testing.T) {
	hub := newHub(t)
	h := newHouse(t, options{mail: true, github: hub.app})
	p := h.visitor()
	r := p.wants(303, p.viaGitHub("?next=/account/keys%3Fx=1"))
	if r.header.Get("Location") != "/account/keys?x=1" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", r.header)
	}
	if got := hub.asked.Get("scope"); got != "user:email" {
		t.Errorf("asks for %q", got)
	}
	r = p.wants(200, p.do("GET", ""))
	if !strings.Contains(r.body, `"email":"Ada@Example.com","confirmed":true,"hasPassword":false,"github":"octo-ada"`) {
		t.Errorf("%s", r.body)
	}
	// The second time it is the same account, whatever the address is by then.
	hub.set(77, "octo-ada", `[{"email":"ada@new.example","primary":true,"verified":true}]`)
	q := h.visitorFrom("198.51.100.9")
	r = q.wants(303, q.viaGitHub(""))
	if r.header.Get("Location") != "/account" {
		t.Errorf("%v", r.header)
	}
	if n := h.row(`SELECT count(*) FROM accounts`); n != 1 {
		t.Errorf("%d accounts", n)
	}
	// Without a password there is nothing to sign in with but GitHub.
	if r := q.signIn("ada@example.com", ""); r.status != 400 {
		t.Errorf("%d", r.status)
	}
	if r := q.signIn("ada@example.com", password); r.status != 401 {
		t.Errorf("%d", r.status)
	}
	// GitHub cannot be taken away before there is a password; then it can.
	if r := p.do("DELETE", "/github"); r.status != 409 {
		t.Errorf("%d %s", r.status, r.body)
	}
	p.wants(204, p.do("POST", "/password", "newPassword", password))
	p.wants(200, p.do("DELETE", "/github", "password", password))
	p.wants(200, p.signIn("ada@example.com", password))
}

// An account without a password is deleted, and gets a password, only after a
// sign-in minutes ago.
func TestProofWithoutPassword(t *testing.T) {
	hub := newHub(t)
	h := newHouse(t, options{trusting: true, github: hub.app})
	p := h.visitor()
	p.wants(303, p.viaGitHub(""))
	h.later(11 * time.Minute)
	if r := p.do("DELETE", ""); r.status != 403 || r.code() != "sign_in_again" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := p.do("POST", "/password", "newPassword", password); r.code() != "sign_in_again" {
		t.Errorf("%d %s", r.status, r.body)
	}
	p.wants(303, p.viaGitHub(""))
	p.wants(204, p.do("DELETE", ""))
	if n := h.row(`SELECT count(*) FROM accounts`); n != 0 {
		t.Errorf("%d accounts", n)
	}
}

// Signing out elsewhere continues with the session; it is not a sign-in.
func TestSignOutElsewhere(t *testing.T) {
	hub := newHub(t)
	h := newHouse(t, options{trusting: true, github: hub.app})
	p, other := h.visitor(), h.visitor()
	other.wants(303, other.viaGitHub(""))
	p.wants(303, p.viaGitHub(""))
	at, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range p.client.Jar.Cookies(at) {
		p.cookie += cookie.String() + "; "
	}
	const ends = `SELECT max(extract(epoch FROM expires_at) * 1000)::bigint FROM sessions WHERE account IS NOT NULL`
	end := h.row(ends)
	h.later(11 * time.Minute)

	c := ginContext(p.cookie)
	ctx, err := h.api.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.api.SignOutElsewhere(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.api.Save(ctx, c); err != nil {
		t.Fatal(err)
	}
	p.cookie = plainNames(strings.Split(c.Writer.Header().Get("Set-Cookie"), ";")[0])
	if !p.signedIn() || other.signedIn() {
		t.Error("signed out here, or not elsewhere")
	}
	if got := h.row(ends); got != end {
		t.Errorf("the session lasts %d ms longer", got-end)
	}
	if r := p.do("DELETE", ""); r.code() != "sign_in_again" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestGitHubSameAddress(t *testing.T) {
	const unverified = `[{"email":"ada@example.com","primary":true,"verified":false}]`
	const verified = `[{"email":"ADA@example.com","primary":true,"verified":true}]`
	t.Run("both know the address: linked, and a mail to the owner", func(t *testing.T) {
		hub := newHub(t)
		h := newHouse(t, options{mail: true, github: hub.app})
		h.member("ada@example.com")
		p := h.visitor()
		p.wants(303, p.viaGitHub(""))
		if l := h.post.next(); !strings.Contains(l.text, "octo-ada") {
			t.Errorf("%+v", l)
		}
		p.wants(200, p.signIn("ada@example.com", password)) // the same account
	})
	t.Run("GitHub does not know it", func(t *testing.T) {
		hub := newHub(t)
		hub.set(77, "octo-ada", unverified)
		h := newHouse(t, options{trusting: true, github: hub.app})
		h.member("ada@example.com")
		p := h.visitor()
		if r := p.viaGitHub(""); r.status != 403 || r.code() != "github_unverified" || p.signedIn() {
			t.Errorf("%d %s", r.status, r.body)
		}
		// Who is signed in may link it: that needs no address.
		p.wants(200, p.signIn("ada@example.com", password))
		p.wants(303, p.viaGitHub(""))
		p.wants(200, p.do("POST", "/github", "password", password))
		if r := p.do("GET", ""); !strings.Contains(r.body, `"github":"octo-ada"`) {
			t.Errorf("%s", r.body)
		}
	})
	t.Run("not confirmed here: confirmed, and the password no longer works", func(t *testing.T) {
		hub := newHub(t)
		hub.set(77, "octo-ada", verified)
		h := newHouse(t, options{mail: true, github: hub.app})
		thief := h.visitorFrom("203.0.113.66")
		thief.signUp("ada@example.com", password2)
		link := h.post.next().token(t, "confirm")
		p := h.visitor()
		p.wants(303, p.viaGitHub(""))
		if l := h.post.next(); !strings.Contains(l.text, "no longer works") {
			t.Errorf("%+v", l)
		}
		if r := p.do("GET", ""); !strings.Contains(r.body, `"github":"octo-ada"`) || !strings.Contains(r.body, `"hasPassword":false`) {
			t.Errorf("%s", r.body)
		}
		if r := thief.do("POST", "/confirm", "token", link); r.code() != "invalid_link" {
			t.Errorf("%d %s", r.status, r.body)
		}
		if thief.signIn("ada@example.com", password2).status != 401 {
			t.Error("the stranger comes in")
		}
	})
	t.Run("another GitHub user has it", func(t *testing.T) {
		hub := newHub(t)
		h := newHouse(t, options{mail: true, github: hub.app})
		p := h.visitor()
		p.wants(303, p.viaGitHub(""))
		hub.set(78, "octo-eve", verified)
		q := h.visitorFrom("203.0.113.66")
		if r := q.viaGitHub(""); r.status != 409 || r.code() != "sign_in_first" || q.signedIn() {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
	t.Run("the user has an account of his own", func(t *testing.T) {
		hub := newHub(t)
		h := newHouse(t, options{trusting: true, github: hub.app})
		h.visitor().wants(303, h.visitor().viaGitHub(""))
		h.member("eve@example.com")
		q := h.visitorFrom("203.0.113.66")
		q.wants(200, q.signIn("eve@example.com", password))
		if r := q.viaGitHub(""); r.status != 409 {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// Somebody at the owner's open browser has a GitHub user of his own, too.
func TestLinkGitHub(t *testing.T) {
	const strangers = `[{"email":"eve@example.com","primary":true,"verified":true}]`
	t.Run("an account without a password keeps its user", func(t *testing.T) {
		hub := newHub(t)
		h := newHouse(t, options{trusting: true, github: hub.app})
		p := h.visitor()
		p.wants(303, p.viaGitHub(""))
		h.later(11 * time.Minute)
		hub.set(99, "thief", strangers)
		if r := p.viaGitHub(""); r.status != 409 || r.code() != "conflict" {
			t.Errorf("%d %s", r.status, r.body)
		}
		if r := p.do("POST", "/password", "newPassword", password2); r.code() != "sign_in_again" {
			t.Errorf("the stranger's sign-in is the owner's proof: %d %s", r.status, r.body)
		}
		if r := p.do("POST", "/github"); r.status != 409 {
			t.Errorf("%d %s", r.status, r.body)
		}
		if n := h.row(`SELECT count(*) FROM accounts WHERE github_login = 'octo-ada'`); n != 1 {
			t.Error("another user is linked")
		}
	})
	t.Run("an account with a password asks for it", func(t *testing.T) {
		hub := newHub(t)
		h := newHouse(t, options{mail: true, github: hub.app})
		p := h.memberIn("ada@example.com")
		hub.set(99, "thief", strangers)
		r := p.wants(303, p.viaGitHub("?next=/account/settings"))
		if to := r.header.Get("Location"); to != "/account/link?next=%2Faccount%2Fsettings" {
			t.Errorf("leads to %s", to)
		}
		if n := h.row(`SELECT count(*) FROM accounts WHERE github_id IS NOT NULL`); n != 0 {
			t.Error("linked without a proof")
		}
		if r := p.do("POST", "/github"); r.status != 400 {
			t.Errorf("%d %s", r.status, r.body)
		}
		if r := p.do("POST", "/github", "password", password2); r.code() != "wrong_password" {
			t.Errorf("%d %s", r.status, r.body)
		}
		q := h.visitor()
		q.wants(200, q.signIn("ada@example.com", password))
		if r := q.do("POST", "/github", "password", password); r.status != 409 {
			t.Errorf("what was begun in another session: %d %s", r.status, r.body)
		}
		h.later(11 * time.Minute)
		if r := p.do("POST", "/github", "password", password); r.status != 409 {
			t.Errorf("what was begun long ago: %d %s", r.status, r.body)
		}
		p.wants(303, p.viaGitHub(""))
		r = p.wants(200, p.do("POST", "/github", "password", password))
		if !strings.Contains(r.body, `"github":"thief"`) {
			t.Errorf("%s", r.body)
		}
		if l := h.post.next(); !strings.Contains(l.text, "thief") {
			t.Errorf("%+v", l)
		}
		if r := p.do("POST", "/github", "password", password); r.status != 409 {
			t.Errorf("twice: %d %s", r.status, r.body)
		}
		// Who resets the password hears who else comes in.
		p.wants(202, p.do("POST", "/reset-request", "email", "ada@example.com"))
		p.wants(204, p.do("POST", "/reset", "token", h.post.next().token(t, "reset"), "password", password2))
		if l := h.post.next(); !strings.Contains(l.text, "GitHub user thief") {
			t.Errorf("%+v", l)
		}
		p.wants(200, p.signIn("ada@example.com", password2))
		// Nobody takes the place of who is linked.
		hub.set(77, "octo-ada", strangers)
		if r := p.viaGitHub(""); r.status != 409 {
			t.Errorf("%d %s", r.status, r.body)
		}
		if n := h.row(`SELECT count(*) FROM accounts WHERE github_login = 'thief'`); n != 1 {
			t.Error("another user is linked")
		}
	})
}

func TestGitHubCallback(t *testing.T) {
	hub := newHub(t)
	h := newHouse(t, options{trusting: true, github: hub.app})
	back := func(p *client) string { // everything but the last step
		r := p.wants(303, p.send(p.request("GET", "/account/github", "")))
		return p.wants(302, p.send(p.request("GET", r.header.Get("Location"), ""))).header.Get("Location")
	}
	// What others send the browser to with a state of their own ends nothing.
	q := h.visitor()
	u := back(q)
	for _, foreign := range []string{"code=x", "code=x&state=x", "error=access_denied&state="} {
		if r := q.send(q.request("GET", "/account/github/callback?"+foreign, "")); r.code() != "github_state" {
			t.Errorf("%s: %d %s", foreign, r.status, r.code())
		}
	}
	q.wants(303, q.send(q.request("GET", u, "")))
	for name, c := range map[string]struct {
		open func(p *client) result
		code string
	}{
		"another browser": {func(p *client) result {
			return p.send(p.request("GET", back(h.visitor()), ""))
		}, "github_state"},
		"another state": {func(p *client) result {
			u, _ := url.Parse(back(p))
			q := u.Query()
			q.Set("state", q.Get("state")+"x")
			u.RawQuery = q.Encode()
			return p.send(p.request("GET", u.String(), ""))
		}, "github_state"},
		"no state": {func(p *client) result {
			back(p)
			return p.send(p.request("GET", "/account/github/callback?code=x", ""))
		}, "github_state"},
		"nothing begun, nothing given": {func(p *client) result {
			return p.send(p.request("GET",
				"/account/github/callback?state=&code=x", ""))
		}, "github_state"},
		"twice": {func(p *client) result {
			u := back(p)
			p.wants(303, p.send(p.request("GET", u, "")))
			q := h.visitor()
			q.client.Jar = p.client.Jar
			return q.send(q.request("GET", u, ""))
		}, "github_state"},
		"too late": {func(p *client) result {
			u := back(p)
			h.later(16 * time.Minute)
			return p.send(p.request("GET", u, ""))
		}, "github_state"},
		"a code of another's sign-in": {func(p *client) result {
			other, _ := url.Parse(back(h.visitor()))
			u, _ := url.Parse(back(p))
			q := u.Query()
			q.Set("code", other.Query().Get("code"))
			u.RawQuery = q.Encode()
			return p.send(p.request("GET", u.String(), ""))
		}, "github_refused"},
		"denied": {func(p *client) result {
			u, _ := url.Parse(back(p))
			return p.send(p.request("GET", "/account/github/callback?error=access_denied&state="+u.Query().Get("state"), ""))
		}, "github_denied"},
		"GitHub is down": {func(p *client) result {
			u := back(p)
			hub.mu.Lock()
			hub.broken = true
			hub.mu.Unlock()
			defer func() { hub.mu.Lock(); hub.broken = false; hub.mu.Unlock() }()
			return p.send(p.request("GET", u, ""))
		}, "unavailable"},
	} {
		p := h.visitor()
		r := c.open(p)
		if r.code() != c.code {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if strings.Contains(r.body, "the-secret") {
			t.Errorf("%s: the response holds the secret", name)
		}
		if name != "twice" && p.signedIn() {
			t.Errorf("%s: signed in", name)
		}
	}
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, `\\evil.example`, "javascript:alert(1)", "evil", "/a%00%0d%0aSet-Cookie:x=1", strings.Repeat("/a", 400)} {
		p := h.visitor()
		r := p.send(p.request("GET", "/account/github?next="+url.QueryEscape(next), ""))
		if next == "/a%00%0d%0aSet-Cookie:x=1" { // still escaped, and so harmless
			p.wants(303, r)
			continue
		}
		if r.status != 400 || !strings.Contains(r.body, `"next"`) {
			t.Errorf("next=%s: %d %s", next, r.status, r.body)
		}
	}
	if r := newHouse(t, options{}).visitor().viaGitHub(""); r.status != 404 {
		t.Errorf("without GitHub: %d", r.status)
	}
}

// Signing in with GitHub asks for the second factor too.
func TestSignInWithGitHub_secondFactor(t *testing.T) {
	hub := newHub(t)
	h := newHouse(t, options{mail: true, github: hub.app})
	p := h.visitor()
	p.wants(303, p.viaGitHub(""))
	secret, _ := p.enable("")
	h.later(time.Minute)
	q := h.visitor()
	r := q.wants(303, q.viaGitHub("?next=/account/keys"))
	if at := r.header.Get("Location"); at != "/account/sign-in-code?next=%2Faccount%2Fkeys" || q.signedIn() {
		t.Errorf("leads to %s", at)
	}
	q.wants(200, q.do("POST", "/sign-in-code", "code", h.code(secret)))
}
