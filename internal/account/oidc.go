package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"mcpcensus/internal/registry"
)

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
