package account

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// Session values of a sign-in at a provider, and of a GitHub user who waits to be linked.
const (
	keyGitHub  = "github"
	keyOIDC    = "oidc"
	keyPending = "githubPending"
)

const (
	attemptTimeout = 15 * time.Minute // of the sign-in at a provider
	linkTimeout    = 10 * time.Minute // of linking the GitHub user afterwards
)

// An attempt is a sign-in at a provider in progress, stored in the session.
type attempt struct {
	account.OIDCAttempt
	Next  string
	Began time.Time
}

// A pendingUser is a GitHub user who waits to be linked, stored in the session.
type pendingUser struct {
	account.GitHubUser
	Since time.Time
}

// LinkPath is the page that asks for the proof to link a GitHub user.
const LinkPath = Prefix + "/link"

// CallbackPath is where GitHub redirects to after the sign-in.
const CallbackPath = Prefix + "/github/callback"

// redirect adapts a function that returns the URL to redirect to.
func (a *People) redirect(do func(ctx context.Context, c *gin.Context) (url string, err error)) gin.HandlerFunc {
	return httpd.Handle(func(_ context.Context, c *gin.Context) error {
		h := c.Writer.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer") // the URL may contain a code
		ctx, err := a.Open(c)
		if err != nil {
			return err
		}
		url, err := do(ctx, c)
		if saveErr := a.Save(ctx, c); err == nil {
			err = saveErr
		}
		if err != nil {
			return err
		}
		h.Set("Location", url)
		c.Status(http.StatusSeeOther)
		c.Writer.WriteHeaderNow()
		return nil
	}, func(c *gin.Context, err error) { a.Failed(c, err) })
}

func notOffered(service string) error {
	return registry.Errorf(registry.ErrNotFound, "Sign-in with %s is not available here.", service)
}

// beginAt stores an attempt, which ends at the "next" of the request.
func (a *People) beginAt(
	ctx context.Context, c *gin.Context, key string, t account.OIDCAttempt,
) error {
	next, err := OwnPath(c.Request.URL.Query()["next"])
	if err != nil {
		return err
	}
	return a.putJSON(ctx, key, attempt{t, next, a.Now()})
}

func (a *People) putJSON(ctx context.Context, key string, v any) error {
	b, err := json.Marshal(v)
	a.sessions.Put(ctx, key, string(b))
	return err
}

// backFrom returns the attempt that a redirect from a provider belongs to. A state is valid once.
func (a *People) backFrom(ctx context.Context, c *gin.Context, key string) (t attempt, err error) {
	_ = json.Unmarshal([]byte(a.sessions.GetString(ctx, key)), &t)
	ours := t.State != "" && subtle.ConstantTimeCompare([]byte(t.State), []byte(c.Query("state"))) == 1
	if ours {
		a.sessions.Remove(ctx, key)
	}
	if !ours || a.Now().Sub(t.Began) > attemptTimeout {
		return t, &registry.Error{Kind: registry.ErrForbidden, Code: key + "_state",
			Msg: "This sign-in was started in another browser, took too long or is already complete. " +
				"Please start again."}
	}
	return t, nil
}

// toGitHub redirects to GitHub. The callback must have the same session and
// state.
func (a *People) toGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", notOffered("GitHub")
	}
	address, state, verifier := a.Accounts.GitHub.Begin()
	return address, a.beginAt(ctx, c, keyGitHub, account.OIDCAttempt{State: state, Verifier: verifier})
}

// OwnPath returns the path to redirect to after the sign-in: the first value, which must
// be a path of this registry, or the account page.
func OwnPath(values []string) (string, error) {
	if len(values) == 0 {
		return Prefix, nil
	}
	next := values[0]
	u, err := url.Parse(next)
	if len(values) > 1 || err != nil || u.IsAbs() || u.Host != "" || u.User != nil || len(next) > 500 ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		return "", registry.Invalid("next", "must be a path of this registry, such as /account")
	}
	return u.RequestURI(), nil
}

// fromGitHub handles the redirect from GitHub and signs the user in. If another account
// is signed in and the GitHub user is not linked, it redirects to LinkPath.
func (a *People) fromGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", notOffered("GitHub")
	}
	begun, err := a.backFrom(ctx, c, keyGitHub)
	if err != nil {
		return "", err
	}
	q := c.Request.URL.Query()
	code := q.Get("code")
	switch {
	case q.Get("error") == "access_denied":
		return "", &registry.Error{Kind: registry.ErrForbidden, Code: "github_denied",
			Msg: "You canceled the sign-in at GitHub."}
	case q.Has("error") || code == "" || len(code) > 500:
		return "", &registry.Error{Kind: registry.ErrUnauthorized, Code: "github_refused",
			Msg: "GitHub refused this sign-in. Please start again."}
	}
	user, err := a.Accounts.GitHub.User(ctx, code, begun.Verifier)
	if err != nil {
		return "", err
	}
	var current *account.Login
	if l, err := a.SignedIn(ctx); err == nil {
		current = &l
	}
	l, waits, err := a.Accounts.SignInWithGitHub(ctx, user, current)
	if err != nil {
		return "", err
	}
	if waits {
		return LinkPath + "?" + url.Values{"next": {begun.Next}}.Encode(),
			a.putJSON(ctx, keyPending, pendingUser{user, a.Now()})
	}
	return begun.Next, a.admit(ctx, l, "GitHub")
}

// PendingGitHub returns the GitHub user that waits to be linked to the signed-in
// account.
func (a *People) PendingGitHub(ctx context.Context) (u account.GitHubUser, ok bool) {
	var p pendingUser
	err := json.Unmarshal([]byte(a.sessions.GetString(ctx, keyPending)), &p)
	if err != nil || a.Now().Sub(p.Since) > linkTimeout {
		return account.GitHubUser{}, false
	}
	return p.GitHubUser, true
}

// LinkGitHub links the GitHub user of [People.PendingGitHub] to an account.
func (a *People) LinkGitHub(ctx context.Context, l account.Login) error {
	u, ok := a.PendingGitHub(ctx)
	if !ok {
		return registry.Errorf(registry.ErrConflict, "There is no GitHub user to link. "+
			"Sign in at %s/github first, then link within 10 minutes.", Prefix)
	}
	_, err := a.Accounts.LinkGitHub(ctx, l, a.signedInAt(ctx), u)
	if err == nil {
		a.sessions.Remove(ctx, keyPending)
	}
	return err
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
