package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

// newHub returns the address of what is GitHub as far as these pages see it:
// it lets everybody in as one user.
func newHub(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login/oauth/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	answer := func(pattern string, v any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		})
	}
	answer("POST /login/oauth/access_token", map[string]string{"access_token": "t", "token_type": "bearer"})
	answer("GET /api/user", map[string]any{"id": 77, "login": "octo-ada"})
	answer("GET /api/user/emails", []map[string]any{{"email": "ada@example.com", "primary": true, "verified": true}})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestAccountsOfGitHub(t *testing.T) {
	hub := newHub(t)
	b := newBureau(t, func(_ *Options, o *account.Options) {
		o.GitHub = account.NewGitHub("id", "secret", hub+"/", hub+"/api/", o.BaseURL+"/account/github/callback")
	})
	w := b.browser()
	w.open("/account/github/callback?state=x&code=y", 403)
	w.says("not begun in this browser")
	if w.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v", w.header)
	}
	w.open("/account/plan?choose=professional", 200)
	if w.path != "/account/sign-in" || !strings.Contains(w.body, `href="/account/github?next=%2Faccount%2Fplan%3Fchoose%3Dprofessional"`) {
		t.Fatalf("at %s:\n%s", w.path, w.body)
	}
	w.open("/account/github?next=/account/settings", 200)
	if w.path != "/account/settings" {
		t.Fatalf("back at %s", w.path)
	}
	w.says("ada@example.com", "none: you sign in with GitHub", "linked to octo-ada")
	w.saysNot("Unlink")
	w.open("/account/unlink", 200)
	w.says("Set a password first")

	// A sign-in some time ago is no proof.
	b.later(11 * time.Minute)
	w.open("/account/delete", 200)
	if strings.Contains(w.body, `type="password"`) {
		t.Error("a password is asked for that there is not")
	}
	w.send("/account/delete", 403)
	w.says("Sign in with GitHub again")
	if !strings.Contains(w.body, `href="/account/github?next=%2Faccount%2Fdelete"`) {
		t.Errorf("no way to sign in again:\n%s", w.body)
	}
	w.open("/account/github?next=/account/password", 200)
	w.send("/account/password", 200, "newPassword", violet)
	w.says("Your new password is set")
	b.link()
	w.open("/account/unlink", 200)
	w.send("/account/unlink", 400)
	w.says("The password is required.")
	w.send("/account/unlink", 200, "password", violet)
	w.says("GitHub is not linked any more", "not linked")

	// To link it again the password is asked for.
	w.open("/account/link", 200)
	w.says("Sign in at GitHub first")
	w.open("/account/github?next=/account/settings", 200)
	if w.path != "/account/link" {
		t.Fatalf("back at %s", w.path)
	}
	w.says("octo-ada")
	w.send("/account/link", 400)
	w.says("The password is required.", "octo-ada")
	w.send("/account/link", 403, "password", granite)
	w.send("/account/link", 200, "password", violet)
	if w.path != "/account/settings" {
		t.Fatalf("at %s", w.path)
	}
	w.says("GitHub is linked.", "linked to octo-ada")
	w.open("/account/link", 200)
	w.says("Your account is linked to octo-ada")
	w.open("/account/delete", 200)
	w.send("/account/delete", 200, "password", violet)
	w.says("Your account is deleted")
}
