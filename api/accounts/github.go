package accounts

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// Names of what a session holds while somebody is at GitHub.
const (
	keyState    = "githubState"
	keyVerifier = "githubVerifier"
	keyNext     = "githubNext"
	keyBegan    = "githubBegan" // in Unix seconds
)

// githubTime is how long somebody may stay at GitHub.
const githubTime = 15 * time.Minute

// CallbackPath is where GitHub sends people back to.
const CallbackPath = Prefix + "/github/callback"

// browse makes a handler of the ones that browsers are sent to.
func (a *API) browse(do func(ctx context.Context, c *gin.Context) (address string, err error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		h := c.Writer.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer") // the address may hold a code
		ctx, err := a.Open(c)
		if err != nil {
			a.Failed(c, err)
			return
		}
		address, err := do(ctx, c)
		if saveErr := a.Save(ctx, c); err == nil {
			err = saveErr
		}
		if err != nil {
			a.Failed(c, err)
			return
		}
		h.Set("Location", address)
		c.Status(http.StatusSeeOther)
		c.Writer.WriteHeaderNow()
	}
}

// toGitHub sends a browser to GitHub. What comes back must come to the same
// session, with the state that it was sent off with.
func (a *API) toGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", registry.Errorf(registry.ErrNotFound, "This registry has no sign-in with GitHub.")
	}
	next, err := OwnPath(c.Request.URL.Query()["next"])
	if err != nil {
		return "", err
	}
	address, state, verifier := a.Accounts.GitHub.Begin()
	a.sessions.Put(ctx, keyState, state)
	a.sessions.Put(ctx, keyVerifier, verifier)
	a.sessions.Put(ctx, keyNext, next)
	a.sessions.Put(ctx, keyBegan, strconv.FormatInt(a.Now().Unix(), 10))
	return address, nil
}

// OwnPath returns where to go after the sign-in: a path of ours, that of the
// account if none is given.
func OwnPath(values []string) (string, error) {
	if len(values) == 0 {
		return Prefix, nil
	}
	next := values[0]
	u, err := url.Parse(next)
	if len(values) > 1 || err != nil || u.IsAbs() || u.Host != "" || u.User != nil || len(next) > 500 ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		return "", registry.Invalid("next", "must be one path of this registry, such as /account")
	}
	return u.RequestURI(), nil
}

// fromGitHub signs in whom GitHub sends back.
func (a *API) fromGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", registry.Errorf(registry.ErrNotFound, "This registry has no sign-in with GitHub.")
	}
	state, verifier, next := a.sessions.PopString(ctx, keyState), a.sessions.PopString(ctx, keyVerifier), a.sessions.PopString(ctx, keyNext)
	began, _ := strconv.ParseInt(a.sessions.PopString(ctx, keyBegan), 10, 64)
	q := c.Request.URL.Query()
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(q.Get("state"))) != 1 || a.Now().Sub(time.Unix(began, 0)) > githubTime {
		return "", &registry.Error{Kind: registry.ErrForbidden, Code: "github_state",
			Msg: "This sign-in was not begun in this browser, or took too long, or is over. Please start again."}
	}
	code := q.Get("code")
	switch {
	case q.Get("error") == "access_denied":
		return "", &registry.Error{Kind: registry.ErrForbidden, Code: "github_denied", Msg: "You did not allow the sign-in at GitHub."}
	case q.Has("error") || code == "" || len(code) > 500:
		return "", &registry.Error{Kind: registry.ErrUnauthorized, Code: "github_refused", Msg: "GitHub refuses this sign-in. Please start again."}
	}
	user, err := a.Accounts.GitHub.User(ctx, code, verifier)
	if err != nil {
		return "", err
	}
	var current *registry.Login
	if l, err := a.SignedIn(ctx); err == nil {
		current = &l
	}
	l, err := a.Accounts.SignInWithGitHub(ctx, user, current)
	if err != nil {
		return "", err
	}
	return next, a.welcome(ctx, c, l)
}
