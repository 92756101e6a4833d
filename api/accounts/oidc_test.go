package accounts_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// An idp is an OpenID Connect provider with one person.
type idp struct {
	url       string
	key       *rsa.PrivateKey
	challenge string // of the last sign-in
	claims    map[string]any
	signWith  *rsa.PrivateKey // nil: key
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{key: key}
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p.url = srv.URL
	send := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		send(w, map[string]any{"issuer": p.url, "authorization_endpoint": p.url + "/authorize",
			"token_endpoint": p.url + "/token", "jwks_uri": p.url + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		send(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if r.FormValue("code") != "good" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		send(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.sign(t)})
	})
	return p
}

// sign returns the ID token with the claims.
func (p *idp) sign(t *testing.T) string {
	key := p.key
	if p.signWith != nil {
		key = p.signWith
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	token, err := jwt.Signed(s).Claims(p.claims).Serialize()
	if err != nil {
		t.Error(err)
	}
	return token
}

func TestOIDC(t *testing.T) {
	p := newIDP(t)
	h := newHouse(t, options{oidc: func(base string) *account.OIDC {
		return &account.OIDC{Issuer: p.url, ID: "census", Secret: "secret",
			Redirect: base + "/account/oidc/callback", Domains: []string{"corp.example"}}
	}})
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	// visit signs a visitor in and returns the status and the path that it leads to.
	visit := func(c *client, change func(claims map[string]any, q url.Values)) result {
		t.Helper()
		r := c.send(c.request("GET", "/account/oidc?next=/account/plan", ""))
		at, err := url.Parse(r.header.Get("Location"))
		if err != nil || r.status != 303 || !strings.HasPrefix(at.String(), p.url+"/authorize?") {
			t.Fatalf("%d to %q", r.status, r.header.Get("Location"))
		}
		q := at.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid email" || q.Get("nonce") == "" {
			t.Errorf("asks for %v", q)
		}
		p.challenge, p.signWith = q.Get("code_challenge"), nil
		p.claims = map[string]any{"iss": p.url, "aud": "census", "sub": "1", "nonce": q.Get("nonce"),
			"email": "ann@corp.example", "email_verified": true,
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
		back := url.Values{"state": {q.Get("state")}, "code": {"good"}}
		change(p.claims, back)
		return c.send(c.request("GET", "/account/oidc/callback?"+back.Encode(), ""))
	}
	for name, test := range map[string]struct {
		change func(map[string]any, url.Values)
		want   string
	}{
		"nonce":       {func(c map[string]any, _ url.Values) { c["nonce"] = "other" }, "oidc_refused"},
		"no nonce":    {func(c map[string]any, _ url.Values) { delete(c, "nonce") }, "oidc_refused"},
		"issuer":      {func(c map[string]any, _ url.Values) { c["iss"] = "https://evil.example" }, "oidc_refused"},
		"audience":    {func(c map[string]any, _ url.Values) { c["aud"] = "another" }, "oidc_refused"},
		"expired":     {func(c map[string]any, _ url.Values) { c["exp"] = time.Now().Add(-time.Hour).Unix() }, "oidc_refused"},
		"another key": {func(map[string]any, url.Values) { p.signWith = other }, "oidc_refused"},
		"unverified":  {func(c map[string]any, _ url.Values) { c["email_verified"] = false }, "oidc_address"},
		"not said":    {func(c map[string]any, _ url.Values) { delete(c, "email_verified") }, "oidc_address"},
		"domain":      {func(c map[string]any, _ url.Values) { c["email"] = "ann@evil.example" }, "oidc_address"},
		"subdomain":   {func(c map[string]any, _ url.Values) { c["email"] = "ann@x.corp.example" }, "oidc_address"},
		"two at":      {func(c map[string]any, _ url.Values) { c["email"] = "ann@evil.example@corp.example" }, "oidc_address"},
		"state":       {func(_ map[string]any, q url.Values) { q.Set("state", "other") }, "oidc_state"},
		"code":        {func(_ map[string]any, q url.Values) { q.Set("code", "bad") }, "oidc_refused"},
		"verifier":    {func(map[string]any, url.Values) { p.challenge = "other" }, "oidc_refused"},
		"refused":     {func(_ map[string]any, q url.Values) { q.Set("error", "access_denied") }, "oidc_refused"},
	} {
		c := h.visitor()
		if r := visit(c, test.change); r.code() != test.want {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if r := c.do("GET", ""); r.status != 401 {
			t.Errorf("%s: signed in", name)
		}
	}
	ann := h.visitor()
	r := visit(ann, func(map[string]any, url.Values) {})
	if r.status != 303 || r.header.Get("Location") != "/account/plan" {
		t.Errorf("%d to %q: %s", r.status, r.header.Get("Location"), r.body)
	}
	var l struct {
		Email                  string
		Confirmed, HasPassword bool
	}
	into(t, ann.wants(200, ann.do("GET", "")), &l)
	if l.Email != "ann@corp.example" || !l.Confirmed || l.HasPassword {
		t.Errorf("%+v", l)
	}
	// The address that signed up here is the same account.
	h.memberIn("bob@corp.example")
	bob := h.visitor()
	as := func(email string) func(map[string]any, url.Values) {
		return func(c map[string]any, _ url.Values) { c["email"] = email }
	}
	if r := visit(bob, as("Bob@corp.example")); r.status != 303 {
		t.Errorf("bob: %d %s", r.status, r.body)
	}
	if n := h.row(`SELECT count(*) FROM accounts`); n != 2 {
		t.Errorf("%d accounts", n)
	}
	// Who signed up with another's address has no part in the account, and does not keep
	// its owner out. What the operator did with the account stays.
	eve := h.visitor()
	eve.wants(202, eve.do("POST", "/sign-up", "email", "zoe@corp.example", "password", password))
	was, err := h.db.AccountOf(t.Context(), "zoe@corp.example")
	if err != nil {
		t.Fatal(err)
	}
	zoe := h.visitor()
	if r := visit(zoe, as("zoe@corp.example")); r.status != 303 {
		t.Errorf("not confirmed before: %d %s", r.status, r.body)
	}
	into(t, zoe.wants(200, zoe.do("GET", "")), &l)
	if l.Email != "zoe@corp.example" || !l.Confirmed || l.HasPassword {
		t.Errorf("%+v", l)
	}
	if r := eve.signIn("zoe@corp.example", password); r.status != 401 {
		t.Errorf("the earlier password: %d", r.status)
	}
	if is, err := h.db.AccountOf(t.Context(), "zoe@corp.example"); err != nil || is.ID != was.ID {
		t.Errorf("another account: %v, %v", is.ID, err)
	}
}

// While the provider does not respond, sign-ins do not wait one after another.
func TestOIDC_providerFails(t *testing.T) {
	var requests atomic.Int32
	waiting := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		<-waiting
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer srv.Close()
	o := &account.OIDC{Issuer: srv.URL}
	var begun, all sync.WaitGroup
	for range 20 {
		begun.Add(1)
		all.Go(func() {
			begun.Done()
			if _, _, err := o.Begin(); !errors.Is(err, registry.ErrUnavailable) {
				t.Error(err)
			}
		})
	}
	begun.Wait()
	close(waiting)
	all.Wait()
	if n := requests.Load(); n > 10 {
		t.Errorf("%d requests for 20 sign-ins at the same time", n)
	}
}
