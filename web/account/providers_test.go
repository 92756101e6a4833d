package account_test

import (
	"crypto/rand"
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

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/web"
)

// A hub is GitHub's sign-in, with PKCE. It lets everybody in as one user.
type hub struct {
	url string

	mu        sync.Mutex
	id        int64
	login     string
	email     string
	verified  bool
	broken    bool
	challenge map[string]string // by code
}

func newHub(t *testing.T) *hub {
	h := &hub{id: 77, login: "octo-ada", email: "ada@example.com", verified: true, challenge: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login/oauth/authorize", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		q, code := r.URL.Query(), rand.Text()
		if q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "id" {
			t.Errorf("authorize: %v", q)
		}
		h.challenge[code] = q.Get("code_challenge")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(),
			http.StatusFound)
	})
	answer := func(pattern string, body func(r *http.Request) any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			defer h.mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			if h.broken {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_ = json.NewEncoder(w).Encode(body(r))
		})
	}
	answer("POST /login/oauth/access_token", func(r *http.Request) any {
		code := r.FormValue("code")
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		want, ok := h.challenge[code]
		delete(h.challenge, code)
		if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != want || r.FormValue("client_secret") != "the-secret" {
			return map[string]string{"error": "bad_verification_code"} // with 200, as GitHub does
		}
		return map[string]string{"access_token": "t", "token_type": "bearer"}
	})
	answer("GET /api/user", func(*http.Request) any {
		return map[string]any{"id": h.id, "login": h.login, "email": "not-this-one@example.com"}
	})
	answer("GET /api/user/emails", func(*http.Request) any {
		return []map[string]any{{"email": "old@example.com", "primary": false, "verified": true},
			{"email": h.email, "primary": true, "verified": h.verified}}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	h.url = srv.URL
	return h
}

// use makes a registry sign in with h.
func (h *hub) use(_ *web.Options, o *account.Options) {
	o.GitHub = account.NewGitHub("id", "the-secret", h.url+"/", h.url+"/api/", o.BaseURL+"/account/github/callback")
}

func (h *hub) become(id int64, login, email string, verified bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id, h.login, h.email, h.verified = id, login, email, verified
}

// back returns where the provider sends a browser after its sign-in at a path.
func (w *browser) back(path string) *url.URL {
	w.t.Helper()
	var to *url.URL
	w.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") {
			to = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}
	defer func() { w.client.CheckRedirect = nil }()
	res, err := w.client.Get(w.url + path)
	if err != nil {
		w.t.Fatal(err)
	}
	res.Body.Close()
	if to == nil {
		w.t.Fatalf("%s leads to %s", path, res.Request.URL)
	}
	return to
}

// visits opens an address of this site and returns the status and the path that it leads to.
func (w *browser) visits(to string) (int, string) {
	w.t.Helper()
	r, err := http.NewRequest("GET", to, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	w.do(r)
	return w.status, w.path
}

func with(u *url.URL, pairs ...string) string {
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	changed := *u
	changed.RawQuery = q.Encode()
	return changed.String()
}

// A sign-in at GitHub ends in the browser in which it was begun, once, within 15 minutes.
func TestAccount_GitHubStates(t *testing.T) {
	h := newHub(t)
	b := newBureau(t, h.use)
	for name, c := range map[string]struct {
		open func(w *browser) string // returns the address to go back to
		want int
		says string
	}{
		"another browser": {func(*browser) string { return b.browser().back("/account/github").String() },
			403, "started in another browser"},
		"another state": {func(w *browser) string { return with(w.back("/account/github"), "state", "x") },
			403, "started in another browser"},
		"no state": {func(w *browser) string {
			w.back("/account/github")
			return b.url + "/account/github/callback?code=x"
		}, 403, "started in another browser"},
		"nothing begun": {func(*browser) string { return b.url + "/account/github/callback?state=&code=x" },
			403, "started in another browser"},
		"twice": {func(w *browser) string {
			u := w.back("/account/github").String()
			if status, path := w.visits(u); status != 200 || path != "/account" {
				t.Errorf("once: %d %s", status, path)
			}
			return u
		}, 403, "already complete"},
		"too late": {func(w *browser) string {
			u := w.back("/account/github").String()
			b.later(16 * time.Minute)
			return u
		}, 403, "took too long"},
		"a code of another's sign-in": {func(w *browser) string {
			other := b.browser().back("/account/github")
			return with(w.back("/account/github"), "code", other.Query().Get("code"))
		}, 401, "refused this sign-in"},
		"denied": {func(w *browser) string { return with(w.back("/account/github"), "error", "access_denied") },
			403, "You canceled the sign-in"},
		"down": {func(w *browser) string {
			u := w.back("/account/github").String()
			h.mu.Lock()
			h.broken = true
			h.mu.Unlock()
			return u
		}, 503, "GitHub is not responding"},
	} {
		w := b.browser()
		got, _ := w.visits(c.open(w))
		h.mu.Lock()
		h.broken = false
		h.mu.Unlock()
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		w.says(c.says)
		w.saysNot("the-secret")
		if w.open("/account", 200); (w.path == "/account") != (name == "twice") {
			t.Errorf("%s: then at %s", name, w.path)
		}
	}
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, `\\evil.example`,
		"javascript:alert(1)", "evil", strings.Repeat("/a", 400)} {
		if got, _ := b.browser().visits(b.url + "/account/github?next=" + url.QueryEscape(next)); got != 400 {
			t.Errorf("next=%s: %d", next, got)
		}
	}
	// What others send a browser with ends no sign-in.
	w := b.browser()
	u := w.back("/account/github?next=/account/plan").String()
	w.visits(b.url + "/account/github/callback?code=x&state=x")
	if got, path := w.visits(u); got != 200 || path != "/account/plan" {
		t.Errorf("%d at %s", got, path)
	}
}

// Which account a GitHub user gets.
func TestAccount_GitHubUsers(t *testing.T) {
	h := newHub(t)
	b := newBureau(t, h.use)
	ada := b.browser()
	ada.signUp("ada@example.com")
	h.become(77, "octo-ada", "ada@example.com", false)
	w := b.browser()
	for _, c := range []struct {
		name     string
		id       int64
		email    string
		verified bool
		want     int
		path     string
	}{
		{"an address that GitHub has not verified", 77, "ada@example.com", false, 403, "/account/github/callback"},
		{"the verified address of an account", 77, "ADA@example.com", true, 200, "/account"},
		{"the linked user with another address", 77, "moved@example.com", false, 200, "/account"},
		{"another user with the address", 78, "ada@example.com", true, 409, "/account/github/callback"},
		{"a new user", 79, "new@example.com", true, 200, "/account"},
	} {
		h.become(c.id, "octo", c.email, c.verified)
		w = b.browser()
		if got, path := w.visits(b.url + "/account/github"); got != c.want || path != c.path {
			t.Errorf("%s: %d at %s, want %d", c.name, got, path, c.want)
		}
	}
	if diff := cmp.Diff([]string{"ada@example.com", "new@example.com"}, b.accounts()); diff != "" {
		t.Error(diff)
	}
	// Who is signed in does not change the account by a sign-in at GitHub.
	h.become(77, "octo", "ada@example.com", true)
	if got, _ := w.visits(b.url + "/account/github"); got != 409 {
		t.Errorf("linked elsewhere: %d", got)
	}
	h.become(80, "thief", "thief@example.com", true)
	if got, _ := w.visits(b.url + "/account/github"); got != 409 {
		t.Errorf("a second user of an account: %d", got)
	}
	b.later(time.Hour)
	eve := b.browser()
	eve.signUp("eve@example.com")
	if got, path := eve.visits(b.url + "/account/github"); got != 200 || path != "/account/link" {
		t.Fatalf("a user without an account: %d at %s", got, path)
	}
	form := eve.form("/account/link")
	other := b.browser()
	other.signIn("eve@example.com")
	other.open("/account/link", 200)
	other.post("/account/link", 409, url.Values{"csrf": {other.csrf()}}) // begun in another browser
	b.later(11 * time.Minute)
	eve.post("/account/link", 409, form) // too late
	if got, _ := eve.visits(b.url + "/account/github"); got != 200 {
		t.Fatal(got)
	}
	eve.post("/account/link", 200, form)
	eve.says("GitHub is linked.")
	eve.open("/account/settings", 200)
	eve.says("linked to thief")
	eve.post("/account/link", 409, form)
	// Without mail, GitHub is the only way in.
	if l, err := account.New(account.Options{Store: b.own}).UnlinkGitHub(t.Context(),
		account.Login{Account: account.Account{ID: 1, GitHubID: 77}}, time.Now()); err == nil {
		t.Errorf("unlinked the only way in: %+v", l)
	}
}

func (w *browser) csrf() string {
	w.t.Helper()
	w.open("/account/settings", 200)
	return w.form("/account/sign-out").Get("csrf")
}

// The sign-in with OpenID Connect has a state too. TestOIDC of internal/account is about the
// provider's token.
func TestAccount_OIDCStates(t *testing.T) {
	var idp *httptest.Server
	idp = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": idp.URL, "authorization_endpoint": idp.URL + "/authorize",
				"token_endpoint": idp.URL + "/token", "jwks_uri": idp.URL + "/keys"})
		case "/authorize":
			q := r.URL.Query()
			http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"x"}, "state": {q.Get("state")}}.Encode(),
				http.StatusFound)
		default: // no token
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer idp.Close()
	b := newBureau(t, func(_ *web.Options, o *account.Options) {
		o.OIDC = &account.OIDC{Issuer: idp.URL, ID: "census", Secret: "the-secret",
			Redirect: o.BaseURL + "/account/oidc/callback", Domains: []string{"corp.example"}}
	})
	for name, c := range map[string]struct {
		open func(w *browser) string
		want int
		says string
	}{
		"no token": {func(w *browser) string { return w.back("/account/oidc").String() }, 401, "did not confirm"},
		"twice": {func(w *browser) string {
			u := w.back("/account/oidc").String()
			w.visits(u)
			return u
		}, 403, "already complete"},
		"another state": {
			func(w *browser) string { return with(w.back("/account/oidc"), "state", "x") }, 403,
			"started in another",
		},
		"another browser": {func(*browser) string { return b.browser().back("/account/oidc").String() }, 403,
			"started in another"},
		"too late": {func(w *browser) string {
			u := w.back("/account/oidc").String()
			b.later(16 * time.Minute)
			return u
		}, 403, "took too long"},
		"refused": {
			func(w *browser) string {
				return with(
					w.back("/account/oidc"), "error", "access_denied",
				)
			}, 401, "refused",
		},
	} {
		w := b.browser()
		if got, _ := w.visits(c.open(w)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		w.says(c.says)
		w.saysNot("the-secret")
	}
	if all := b.accounts(); len(all) != 0 {
		t.Errorf("%v", all)
	}
}
