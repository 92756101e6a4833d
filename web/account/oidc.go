package account

import (
	"context"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// OIDCPath starts the sign-in, and OIDCCallback is where the provider redirects to.
const (
	OIDCPath     = Prefix + "/oidc"
	OIDCCallback = OIDCPath + "/callback"
)

func (a *People) toOIDC(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.OIDC == nil {
		return "", notOffered("OpenID Connect")
	}
	address, begun, err := a.Accounts.OIDC.Begin()
	if err != nil {
		return "", err
	}
	return address, a.beginAt(ctx, c, keyOIDC, begun)
}

// fromOIDC handles the redirect from the provider.
func (a *People) fromOIDC(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.OIDC == nil {
		return "", notOffered("OpenID Connect")
	}
	begun, err := a.backFrom(ctx, c, keyOIDC)
	if err != nil {
		return "", err
	}
	q := c.Request.URL.Query()
	code := q.Get("code")
	if q.Has("error") || code == "" || len(code) > 2000 {
		return "", &registry.Error{Kind: registry.ErrUnauthorized, Code: "oidc_refused",
			Msg: "The sign-in service refused this sign-in. Please start again."}
	}
	addr, err := a.Accounts.OIDC.Address(ctx, code, begun.OIDCAttempt)
	if err != nil {
		return "", err
	}
	l, err := a.Accounts.SignInWithOIDC(ctx, addr)
	if err != nil {
		return "", err
	}
	return begun.Next, a.admit(ctx, l, "OpenID Connect")
}
