package account

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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"mcpcensus/internal/registry"
)

// An idp is an OpenID Connect provider with one person.
type idp struct {
	url       string
	key       *rsa.PrivateKey
	challenge string // of the last sign-in
	claims    map[string]any
	signWith  *rsa.PrivateKey
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
		send(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: &key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
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
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256,
		Key: jose.JSONWebKey{Key: p.signWith, KeyID: "1"}}, nil)
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

// Only addresses that the provider has verified, of the operator's domains, in a token for this
// sign-in are accepted.
func TestOIDC(t *testing.T) {
	p := newIDP(t)
	o := &OIDC{Issuer: p.url, ID: "census", Secret: "secret", Domains: []string{"corp.example"}}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	code := "good"
	for name, test := range map[string]struct {
		change func(claims map[string]any)
		want   string // the code of the error
	}{
		"accepted":    {func(map[string]any) {}, ""},
		"upper case":  {func(c map[string]any) { c["email"] = "Ann@Corp.example" }, ""},
		"nonce":       {func(c map[string]any) { c["nonce"] = "other" }, "oidc_refused"},
		"no nonce":    {func(c map[string]any) { delete(c, "nonce") }, "oidc_refused"},
		"issuer":      {func(c map[string]any) { c["iss"] = "https://evil.example" }, "oidc_refused"},
		"audience":    {func(c map[string]any) { c["aud"] = "another" }, "oidc_refused"},
		"expired":     {func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() }, "oidc_refused"},
		"another key": {func(map[string]any) { p.signWith = other }, "oidc_refused"},
		"unverified":  {func(c map[string]any) { c["email_verified"] = false }, "oidc_address"},
		"not said":    {func(c map[string]any) { delete(c, "email_verified") }, "oidc_address"},
		"domain":      {func(c map[string]any) { c["email"] = "ann@evil.example" }, "oidc_address"},
		"subdomain":   {func(c map[string]any) { c["email"] = "ann@x.corp.example" }, "oidc_address"},
		"two at":      {func(c map[string]any) { c["email"] = "ann@evil.example@corp.example" }, "oidc_address"},
		"verifier":    {func(map[string]any) { p.challenge = "other" }, "oidc_refused"},
		"code":        {func(map[string]any) { code = "bad" }, "oidc_refused"},
	} {
		to, attempt, err := o.Begin()
		if err != nil {
			t.Fatal(err)
		}
		at, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		q := at.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid email" ||
			q.Get("nonce") == "" || q.Get("state") != attempt.State {
			t.Errorf("asks for %v", q)
		}
		p.challenge, p.signWith, code = q.Get("code_challenge"), p.key, "good"
		p.claims = map[string]any{"iss": p.url, "aud": "census", "sub": "1", "nonce": q.Get("nonce"),
			"email": "ann@corp.example", "email_verified": true,
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
		test.change(p.claims)
		addr, err := o.Address(t.Context(), code, attempt)
		got := ""
		if e, ok := errors.AsType[*registry.Error](err); ok {
			got = e.Code
		}
		if got != test.want || (err == nil) != (test.want == "") || (addr.Key == "ann@corp.example") != (err == nil) {
			t.Errorf("%s: %q, %v, want %q", name, addr.Key, err, test.want)
		}
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
	o := &OIDC{Issuer: srv.URL}
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
