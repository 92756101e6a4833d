package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"mcpcensus/internal/registry"
)

// A GitHub is an OAuth app at GitHub.
type GitHub struct {
	config oauth2.Config
	api    string
	client *http.Client
}

// NewGitHub returns an app. site is where people sign in, such as
// https://github.com/, api the base of the REST API; both end in a slash.
// redirect is the address that GitHub sends people back to.
func NewGitHub(id, secret, site, api, redirect string) *GitHub {
	return &GitHub{
		config: oauth2.Config{
			ClientID: id, ClientSecret: secret, RedirectURL: redirect, Scopes: []string{"user:email"},
			Endpoint: oauth2.Endpoint{
				AuthURL: site + "login/oauth/authorize", TokenURL: site + "login/oauth/access_token", AuthStyle: oauth2.AuthStyleInParams,
			},
		},
		api: api,
		client: &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Begin returns the address at GitHub to send a browser to, and the state and
// the verifier (PKCE, S256) that its session must keep.
func (g *GitHub) Begin() (address, state, verifier string) {
	state, _ = newToken()
	verifier = oauth2.GenerateVerifier()
	return g.config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state, verifier
}

// A GitHubUser is who has signed in at GitHub.
type GitHubUser struct {
	ID    int64
	Login string
	Email string // the primary address, if GitHub has verified it; "": none
}

// User exchanges the code that GitHub has sent a browser back with for the
// user. The token is not kept.
func (g *GitHub) User(ctx context.Context, code, verifier string) (GitHubUser, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, g.client)
	token, err := g.config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.ErrorCode != "" {
			return GitHubUser{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "github_refused", Msg: "GitHub refuses this sign-in (" + printable(refused.ErrorCode) + "). Please start again."}
		}
		return GitHubUser{}, unreachable(errors.New("the exchange of the code failed")) // the cause may hold the secret
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
	resp, err := g.client.Do(req)
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
	return registry.Wrap(registry.ErrUnavailable, err, "GitHub did not answer as it should. Please try again in a moment.")
}

// printable returns at most 100 characters of a text of GitHub's, without what
// could break a line.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100])
	}
	return s
}

// SignInWithGitHub returns the account of a GitHub user: the one that is
// linked, or a new one. An account that has the same address is linked if both
// GitHub and we know that the address is theirs, and no other GitHub user is
// linked. current is who is signed in, nil for nobody: a user that is nobody's
// yet is not linked to it, since whoever sits at an open browser has a GitHub
// user; waits says that [Accounts.LinkGitHub] would do it.
func (a *Accounts) SignInWithGitHub(ctx context.Context, u GitHubUser, current *Login) (l Login, waits bool, err error) {
	linked, err := a.Store.AccountOfGitHub(ctx, u.ID)
	switch {
	case err == nil && current != nil && current.ID != linked.ID:
		return l, false, registry.Errorf(registry.ErrConflict, "The GitHub user %s signs in to another account here.", u.Login)
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

// signUpWithGitHub returns a new account for a GitHub user, or the one that has
// its address, which gets linked.
func (a *Accounts) signUpWithGitHub(ctx context.Context, u GitHubUser) (Login, error) {
	addr, err := ParseAddress(u.Email)
	if u.Email == "" || err != nil {
		return Login{}, &registry.Error{Kind: registry.ErrForbidden, Code: "github_unverified",
			Msg: "GitHub has no verified primary address of yours. Verify one there, or sign up here with an address and a password."}
	}
	l := Login{Account: Account{Email: addr.Shown, GitHubID: u.ID, GitHubLogin: u.Login}}
	got, made, err := a.Store.SignUpWithGitHub(ctx, l, addr.Key, a.Now())
	if err != nil || made {
		return got, err
	}
	if got.ConfirmedAt == nil || got.GitHubID != 0 {
		return Login{}, &registry.Error{Kind: registry.ErrConflict, Code: "sign_in_first",
			Msg: "There is an account with your address already. Sign in to it with its password first, and link GitHub then."}
	}
	return a.linkGitHub(ctx, got.ID, u)
}

func anotherLinked(login string) error {
	return registry.Errorf(registry.ErrConflict, "The account is linked to the GitHub user %s. Unlink that one first.", login)
}

// LinkGitHub links a GitHub user to an account that has none.
func (a *Accounts) LinkGitHub(ctx context.Context, l Login, p Proof, u GitHubUser) (Login, error) {
	if l.GitHubID != 0 {
		return l, anotherLinked(l.GitHubLogin)
	}
	if err := a.prove(ctx, l, p); err != nil {
		return l, err
	}
	return a.linkGitHub(ctx, l.ID, u)
}

// linkGitHub links a GitHub user to an account, and tells its owner.
func (a *Accounts) linkGitHub(ctx context.Context, account int64, u GitHubUser) (Login, error) {
	got, err := a.Store.LinkGitHub(ctx, account, u.ID, u.Login, a.Now())
	if err == nil {
		a.notify(got.Email, githubLinkedMail, u.Login)
	}
	return got, err
}

// UnlinkGitHub takes the GitHub user from an account, which must have a
// password.
func (a *Accounts) UnlinkGitHub(ctx context.Context, l Login, p Proof) (Login, error) {
	if l.GitHubID == 0 {
		return l, nil
	}
	if l.Password == "" {
		return l, registry.Errorf(registry.ErrConflict, "Set a password first: without GitHub there would be no way to sign in.")
	}
	if err := a.prove(ctx, l, p); err != nil {
		return l, err
	}
	return a.Store.UnlinkGitHub(ctx, l.ID, a.Now())
}
