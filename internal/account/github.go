package account

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A GitHub is an OAuth app at GitHub.
type GitHub struct {
	config oauth2.Config
	api    string
}

// NewGitHub returns an app. site is the site, such as https://github.com/, and
// api the base URL of the REST API; both end in a slash. redirect is the URL
// that GitHub redirects to afterwards.
func NewGitHub(id, secret, site, api, redirect string) *GitHub {
	return &GitHub{
		config: oauth2.Config{
			ClientID: id, ClientSecret: secret, RedirectURL: redirect, Scopes: []string{"user:email"},
			Endpoint: oauth2.Endpoint{
				AuthURL: site + "login/oauth/authorize", TokenURL: site + "login/oauth/access_token",
				AuthStyle: oauth2.AuthStyleInParams,
			},
		},
		api: api,
	}
}

// signInClient requests sign-in services. It follows no redirects.
var signInClient = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Begin returns the URL to redirect a browser to, and the state and the verifier
// (PKCE, S256) to store in its session.
func (g *GitHub) Begin() (url, state, verifier string) {
	state, _ = newToken()
	verifier = oauth2.GenerateVerifier()
	return g.config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state, verifier
}

// A GitHubUser is a user who has signed in at GitHub.
type GitHubUser struct {
	ID    int64
	Login string
	Email string // primary address, if verified by GitHub; otherwise ""
}

// User exchanges the code of a redirect from GitHub for the user. It does not
// store the token.
func (g *GitHub) User(ctx context.Context, code, verifier string) (GitHubUser, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, signInClient)
	token, err := g.config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode != "" {
			return GitHubUser{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "github_refused",
				Msg: "GitHub refused this sign-in (" + printable(refused.ErrorCode) +
					"). Please start again."}
		}
		// err may contain the secret
		return GitHubUser{}, unreachable(errors.New("exchanging the code failed"))
	}
	var user struct {
		ID    int64
		Login string
	}
	if err := g.get(ctx, token, "user", &user); err != nil {
		return GitHubUser{}, unreachable(err)
	}
	if user.ID <= 0 || user.Login == "" {
		return GitHubUser{}, unreachable(errors.New("the user has no id"))
	}
	var emails []struct {
		Email             string
		Primary, Verified bool
	}
	if err := g.get(ctx, token, "user/emails", &emails); err != nil {
		return GitHubUser{}, unreachable(err)
	}
	u := GitHubUser{ID: user.ID, Login: printable(user.Login)}
	for _, e := range emails {
		if e.Primary && e.Verified {
			u.Email = e.Email
		}
	}
	return u, nil
}

func (g *GitHub) get(ctx context.Context, token *oauth2.Token, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.api+path, nil)
	if err != nil {
		return err
	}
	token.SetAuthHeader(req)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("User-Agent", "census")
	resp, err := signInClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(into)
}

func unreachable(err error) error {
	return registry.Wrap(registry.ErrUnavailable, err,
		"GitHub is not responding correctly. Please try again in a moment.")
}

// printable returns at most 100 characters of s, in one line.
func printable(s string) string {
	r := []rune(text.OneLine(s))
	return string(r[:min(len(r), 100)])
}

// SignInWithGitHub returns the account of a GitHub user: the linked one, or a
// new one. An account with the same address is linked if the address is
// verified at GitHub and here, and no other GitHub user is linked. current is
// the signed-in account, nil for none. It is not linked without a proof: waits
// reports that [Accounts.LinkGitHub] can link it.
func (a *Accounts) SignInWithGitHub(
	ctx context.Context, u GitHubUser, current *Login,
) (l Login, waits bool, err error) {
	linked, err := a.Store.AccountOfGitHub(ctx, u.ID)
	switch {
	case err == nil && current != nil && current.ID != linked.ID:
		return l, false, registry.Errorf(registry.ErrConflict,
			"The GitHub user %s is already linked to another account.", u.Login)
	case err == nil:
		return linked, false, nil
	case !errors.Is(err, registry.ErrNotFound):
		return l, false, err
	case current != nil && current.GitHubID != 0:
		return l, false, anotherLinked(current.GitHubLogin)
	case current != nil:
		return *current, true, nil
	}
	l, err = a.signUpWithGitHub(ctx, u)
	return l, false, err
}

// signUpWithGitHub adds an account for a GitHub user, or links the account with
// its address.
func (a *Accounts) signUpWithGitHub(ctx context.Context, u GitHubUser) (Login, error) {
	addr, err := ParseAddress(u.Email)
	if u.Email == "" || err != nil {
		return Login{}, &registry.Error{Kind: registry.ErrForbidden, Code: "github_unverified",
			Msg: "Your primary email address on GitHub is not verified. " +
				"Verify it there, or sign in with an email address."}
	}
	l := Login{Account: Account{Email: addr.Shown, GitHubID: u.ID, GitHubLogin: u.Login}}
	got, added, err := a.Store.SignUp(ctx, l, addr.Key, ByOwner, "GitHub user "+u.Login, a.Now())
	if err != nil || added {
		return got, err
	}
	if got.GitHubID != 0 {
		return Login{}, &registry.Error{Kind: registry.ErrConflict, Code: "sign_in_first",
			Msg: "Your email address already has an account, to which another GitHub user is " +
				"linked. Sign in to it in another way, then link this one."}
	}
	return a.linkGitHub(ctx, got.ID, u)
}

func anotherLinked(login string) error {
	return registry.Errorf(registry.ErrConflict,
		"The account is linked to the GitHub user %s. Unlink it first.", login)
}

// LinkGitHub links a GitHub user to an account that has none.
func (a *Accounts) LinkGitHub(ctx context.Context, l Login, signedIn time.Time, u GitHubUser) (Login, error) {
	if l.GitHubID != 0 {
		return l, anotherLinked(l.GitHubLogin)
	}
	if err := a.fresh(signedIn); err != nil {
		return l, err
	}
	return a.linkGitHub(ctx, l.ID, u)
}

// linkGitHub links a GitHub user to an account, and notifies its owner.
func (a *Accounts) linkGitHub(ctx context.Context, account int64, u GitHubUser) (Login, error) {
	got, err := a.Store.LinkGitHub(ctx, account, u.ID, u.Login, a.Now())
	if err == nil {
		a.notify(ctx, got.Email, githubLinkedMail, u.Login)
	}
	return got, err
}

// UnlinkGitHub unlinks the GitHub user of an account, whose owner must have another way to
// sign in.
func (a *Accounts) UnlinkGitHub(ctx context.Context, l Login, signedIn time.Time) (Login, error) {
	if l.GitHubID == 0 {
		return l, nil
	}
	if a.Mail == nil && a.OIDC == nil {
		return l, registry.Errorf(registry.ErrConflict,
			"This registry does not send email, so without GitHub you could not sign in.")
	}
	if err := a.fresh(signedIn); err != nil {
		return l, err
	}
	return a.Store.UnlinkGitHub(ctx, l.ID, a.Now())
}

// OIDC is the sign-in with the operator's OpenID Connect provider.
type OIDC struct {
	Issuer, ID, Secret string
	Redirect           string   // URL that the provider redirects to afterwards
	Domains            []string // of addresses for which the provider is trusted, in lower case
	Now                func() time.Time

	discovery singleflight.Group
	provider  atomic.Pointer[oidc.Provider] // nil until it has been discovered
}

// An OIDCAttempt is a sign-in in progress, to store in the session.
type OIDCAttempt struct{ State, Nonce, Verifier string }

// discover returns the provider and the OAuth configuration. It caches the first success.
// Concurrent callers share one request and its result.
func (o *OIDC) discover() (*oidc.Provider, oauth2.Config, error) {
	if o.provider.Load() == nil {
		_, err, _ := o.discovery.Do("", func() (any, error) {
			// The provider uses the context later, to fetch keys.
			p, err := oidc.NewProvider(oidc.ClientContext(context.Background(), signInClient), o.Issuer)
			if err == nil {
				o.provider.Store(p)
			}
			return nil, err
		})
		if err != nil {
			return nil, oauth2.Config{}, registry.Wrap(registry.ErrUnavailable, err,
				"The sign-in service is not responding correctly. Please try again in a moment.")
		}
	}
	p := o.provider.Load()
	return p, oauth2.Config{ClientID: o.ID, ClientSecret: o.Secret, RedirectURL: o.Redirect,
		Endpoint: p.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email"}}, nil
}

// Begin returns the URL to redirect a browser to.
func (o *OIDC) Begin() (url string, a OIDCAttempt, err error) {
	_, config, err := o.discover()
	if err != nil {
		return "", a, err
	}
	a.State, _ = newToken()
	a.Nonce, _ = newToken()
	a.Verifier = oauth2.GenerateVerifier()
	return config.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// Address exchanges the code of a redirect for the verified address of the person.
func (o *OIDC) Address(ctx context.Context, code string, a OIDCAttempt) (Address, error) {
	provider, config, err := o.discover()
	if err != nil {
		return Address{}, err
	}
	ctx = oidc.ClientContext(ctx, signInClient)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil { // err may contain the secret
		return Address{}, oidcRefused(errors.New("exchanging the code failed"))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: o.ID, Now: o.Now}).Verify(ctx, raw)
	if err != nil {
		return Address{}, oidcRefused(err)
	}
	if a.Nonce == "" || subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) != 1 {
		return Address{}, oidcRefused(errors.New("the nonce differs"))
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil {
		return Address{}, oidcRefused(err)
	}
	addr, err := ParseAddress(claims.Email)
	_, domain, _ := strings.Cut(addr.Key, "@")
	if err != nil || !claims.Verified || !slices.Contains(o.Domains, domain) {
		return Address{}, &registry.Error{Kind: registry.ErrForbidden, Code: "oidc_address",
			Msg: "The sign-in service has not verified your email address, or this registry does not accept its domain."}
	}
	return addr, nil
}

func oidcRefused(err error) error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "oidc_refused", Cause: err,
		Msg: "The sign-in service did not confirm this sign-in. Please start again."}
}

// SignInWithOIDC returns the account of an address that the provider has verified, and
// adds it if missing.
func (a *Accounts) SignInWithOIDC(ctx context.Context, addr Address) (Login, error) {
	l, _, err := a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown}}, addr.Key,
		ByOwner, "OpenID Connect", a.Now())
	return l, err
}
