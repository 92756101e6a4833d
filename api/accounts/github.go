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

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// Names of what a session holds while somebody is at GitHub, and when he is
// back with a user that is nobody's yet.
const (
	keyState    = "githubState"
	keyVerifier = "githubVerifier"
	keyNext     = "githubNext"
	keyBegan    = "githubBegan" // in Unix seconds

	keyLinkID    = "githubLinkID"
	keyLinkLogin = "githubLinkLogin"
	keyLinkBegan = "githubLinkBegan" // in Unix seconds
)

// githubTime is how long somebody may stay at GitHub, and linkTime how long a
// GitHub user waits to be linked.
const (
	githubTime = 15 * time.Minute
	linkTime   = 10 * time.Minute
)

// LinkPath is the page that asks for the proof that a GitHub user may be
// linked.
const LinkPath = Prefix + "/link"

// CallbackPath is where GitHub sends people back to.
const CallbackPath = Prefix + "/github/callback"

// browse makes a handler of the ones that browsers are sent to.
func (a *API) browse(do func(ctx context.Context, c *gin.Context) (address string, err error)) gin.HandlerFunc {
	return httpd.Handle(func(_ context.Context, c *gin.Context) error {
		h := c.Writer.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer") // the address may hold a code
		ctx, err := a.Open(c)
		if err != nil {
			return err
		}
		address, err := do(ctx, c)
		if saveErr := a.Save(ctx, c); err == nil {
			err = saveErr
		}
		if err != nil {
			return err
		}
		h.Set("Location", address)
		c.Status(http.StatusSeeOther)
		c.Writer.WriteHeaderNow()
		return nil
	}, func(c *gin.Context, err error) { a.Failed(c, err) })
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

// fromGitHub signs in whom GitHub sends back. If somebody is signed in already
// and the GitHub user is nobody's, it leads to where it can be linked.
func (a *API) fromGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", registry.Errorf(registry.ErrNotFound, "This registry has no sign-in with GitHub.")
	}
	state := a.sessions.GetString(ctx, keyState)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyBegan), 10, 64)
	q := c.Request.URL.Query()
	ours := state != "" && subtle.ConstantTimeCompare([]byte(state), []byte(q.Get("state"))) == 1
	var verifier, next string
	if ours { // it is good for once; a foreign one ends nothing
		verifier, next = a.sessions.PopString(ctx, keyVerifier), a.sessions.PopString(ctx, keyNext)
		a.sessions.Remove(ctx, keyState)
		a.sessions.Remove(ctx, keyBegan)
	}
	if !ours || a.Now().Sub(time.Unix(began, 0)) > githubTime {
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
	var current *account.Login
	if l, err := a.SignedIn(ctx); err == nil {
		current = &l
	}
	l, waits, err := a.Accounts.SignInWithGitHub(ctx, user, current)
	if err != nil {
		return "", err
	}
	if waits {
		a.sessions.Put(ctx, keyLinkID, strconv.FormatInt(user.ID, 10))
		a.sessions.Put(ctx, keyLinkLogin, user.Login)
		a.sessions.Put(ctx, keyLinkBegan, strconv.FormatInt(a.Now().Unix(), 10))
		return LinkPath + "?" + url.Values{"next": {next}}.Encode(), nil
	}
	return next, a.welcome(ctx, c, l)
}

// GitHubWaiting returns the GitHub user that waits to be linked to the account
// that is signed in; ok is false if there is none.
func (a *API) GitHubWaiting(ctx context.Context) (u account.GitHubUser, ok bool) {
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyLinkID), 10, 64)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyLinkBegan), 10, 64)
	if err != nil || a.Now().Sub(time.Unix(began, 0)) > linkTime {
		return account.GitHubUser{}, false
	}
	return account.GitHubUser{ID: id, Login: a.sessions.GetString(ctx, keyLinkLogin)}, true
}

// LinkGitHub links the GitHub user that waits to the account that is signed
// in.
func (a *API) LinkGitHub(ctx context.Context, password string) (account.Login, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return l, err
	}
	u, ok := a.GitHubWaiting(ctx)
	if !ok {
		return l, registry.Errorf(registry.ErrConflict, "No GitHub user waits to be linked. Sign in at %s/github first, and come back within ten minutes.", Prefix)
	}
	if l, err = a.Accounts.LinkGitHub(ctx, l, a.proof(ctx, password), u); err != nil {
		return l, err
	}
	for _, key := range []string{keyLinkID, keyLinkLogin, keyLinkBegan} {
		a.sessions.Remove(ctx, key)
	}
	return l, nil
}
