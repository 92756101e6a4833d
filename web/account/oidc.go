package account

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// keyOIDC is the session value during the sign-in with OpenID Connect.
const keyOIDC = "oidc"

// oidcAttempt is a sign-in in progress, stored in the session.
type oidcAttempt struct {
	account.OIDCAttempt
	Next  string
	Began time.Time
}

// OIDCPath starts the sign-in, and OIDCCallback is where the provider redirects to.
const (
	OIDCPath     = Prefix + "/oidc"
	OIDCCallback = OIDCPath + "/callback"
)

func (a *People) toOIDC(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.OIDC == nil {
		return "", notOffered("OpenID Connect")
	}
	next, err := OwnPath(c.Request.URL.Query()["next"])
	if err != nil {
		return "", err
	}
	address, attempt, err := a.Accounts.OIDC.Begin()
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(oidcAttempt{attempt, next, a.Now()})
	a.sessions.Put(ctx, keyOIDC, string(b))
	return address, err
}

// fromOIDC handles the redirect from the provider. A state is valid once.
func (a *People) fromOIDC(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.OIDC == nil {
		return "", notOffered("OpenID Connect")
	}
	var attempt oidcAttempt
	_ = json.Unmarshal([]byte(a.sessions.GetString(ctx, keyOIDC)), &attempt)
	q := c.Request.URL.Query()
	if attempt.State == "" || subtle.ConstantTimeCompare([]byte(attempt.State), []byte(q.Get("state"))) != 1 ||
		a.Now().Sub(attempt.Began) > githubTimeout {
		return "", wrongState("oidc_state")
	}
	a.sessions.Remove(ctx, keyOIDC)
	code := q.Get("code")
	if q.Has("error") || code == "" || len(code) > 2000 {
		return "", &registry.Error{Kind: registry.ErrUnauthorized, Code: "oidc_refused",
			Msg: "The sign-in service refused this sign-in. Please start again."}
	}
	addr, err := a.Accounts.OIDC.Address(ctx, code, attempt.OIDCAttempt)
	if err != nil {
		return "", err
	}
	l, err := a.Accounts.SignInWithOIDC(ctx, addr)
	if err != nil {
		return "", err
	}
	return attempt.Next, a.admit(ctx, l, "OpenID Connect")
}
