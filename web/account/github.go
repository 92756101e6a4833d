package account

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

// Session values during the sign-in at GitHub, and while a GitHub user waits to be
// linked.
const (
	keyState    = "githubState"
	keyVerifier = "githubVerifier"
	keyNext     = "githubNext"
	keyBegan    = "githubBegan" // in Unix seconds

	keyLinkID    = "githubLinkID"
	keyLinkLogin = "githubLinkLogin"
	keyLinkBegan = "githubLinkBegan" // in Unix seconds
)

const (
	githubTimeout = 15 * time.Minute // of the sign-in at GitHub
	linkTimeout   = 10 * time.Minute // of linking the GitHub user afterwards
)

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

// wrongState is the error for a redirect that does not belong to the session.
func wrongState(code string) error {
	return &registry.Error{Kind: registry.ErrForbidden, Code: code,
		Msg: "This sign-in was started in another browser, took too long or is already complete. " +
			"Please start again."}
}

// toGitHub redirects to GitHub. The callback must have the same session and
// state.
func (a *People) toGitHub(ctx context.Context, c *gin.Context) (string, error) {
	if a.Accounts.GitHub == nil {
		return "", notOffered("GitHub")
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
	state := a.sessions.GetString(ctx, keyState)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyBegan), 10, 64)
	q := c.Request.URL.Query()
	ours := state != "" && subtle.ConstantTimeCompare([]byte(state), []byte(q.Get("state"))) == 1
	var verifier, next string
	if ours { // it is valid once
		verifier, next = a.sessions.PopString(ctx, keyVerifier), a.sessions.PopString(ctx, keyNext)
		a.sessions.Remove(ctx, keyState)
		a.sessions.Remove(ctx, keyBegan)
	}
	if !ours || a.Now().Sub(time.Unix(began, 0)) > githubTimeout {
		return "", wrongState("github_state")
	}
	code := q.Get("code")
	switch {
	case q.Get("error") == "access_denied":
		return "", &registry.Error{Kind: registry.ErrForbidden, Code: "github_denied",
			Msg: "You cancelled the sign-in at GitHub."}
	case q.Has("error") || code == "" || len(code) > 500:
		return "", &registry.Error{Kind: registry.ErrUnauthorized, Code: "github_refused",
			Msg: "GitHub refused this sign-in. Please start again."}
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
	return next, a.admit(ctx, l, "GitHub")
}

// PendingGitHub returns the GitHub user that waits to be linked to the signed-in
// account.
func (a *People) PendingGitHub(ctx context.Context) (u account.GitHubUser, ok bool) {
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyLinkID), 10, 64)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyLinkBegan), 10, 64)
	if err != nil || a.Now().Sub(time.Unix(began, 0)) > linkTimeout {
		return account.GitHubUser{}, false
	}
	return account.GitHubUser{ID: id, Login: a.sessions.GetString(ctx, keyLinkLogin)}, true
}

// LinkGitHub links the GitHub user of [People.PendingGitHub] to the signed-in account.
func (a *People) LinkGitHub(ctx context.Context) (account.Login, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return l, err
	}
	u, ok := a.PendingGitHub(ctx)
	if !ok {
		return l, registry.Errorf(registry.ErrConflict, "There is no GitHub user to link. "+
			"Sign in at %s/github first, then link within 10 minutes.", Prefix)
	}
	if l, err = a.Accounts.LinkGitHub(ctx, l, a.signedInAt(ctx), u); err != nil {
		return l, err
	}
	for _, key := range []string{keyLinkID, keyLinkLogin, keyLinkBegan} {
		a.sessions.Remove(ctx, key)
	}
	return l, nil
}
