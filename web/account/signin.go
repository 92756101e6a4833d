package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

func (a *People) visitor(c *gin.Context) account.Visitor {
	return account.Visitor{Client: httpd.ClientOf(c).String(),
		Agent: shortAgent(c.Request.UserAgent()), Proof: a.cookie(c, proofCookie)}
}

// shortAgent returns the first 200 characters of a user agent in one line, with hidden
// characters made visible.
func shortAgent(agent string) string { return text.Shorten(text.OneLine(agent), 200) }

// SignIn signs in to the session of ctx with the token of a link or, if that is "", the code
// in the mail that the session asked for.
func (a *People) SignIn(ctx context.Context, token, code string) error {
	how := "emailed link"
	if token == "" {
		how = "emailed code"
	}
	l, err := a.Accounts.SignIn(ctx, token, code, a.browser(ctx))
	if err != nil {
		return err
	}
	return a.admit(ctx, l, how)
}

// admit signs an account in, and records the sign-in.
func (a *People) admit(ctx context.Context, l account.Login, how string) error {
	if err := a.Accounts.RecordSignIn(ctx, l, how); err != nil {
		return err
	}
	return a.begin(ctx, l)
}

// SignOutElsewhere ends all other sessions of the signed-in account.
func (a *People) SignOutElsewhere(ctx context.Context) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if err := a.Accounts.EndSessions(ctx, l.ID); err != nil {
		return err
	}
	if l, err = a.Store.Account(ctx, l.ID); err != nil {
		return err
	}
	return a.stay(ctx, l)
}

// stay signs in again the account of the session of ctx, whose sessions have ended. It gets a
// new token, but keeps its sign-in time and its end.
func (a *People) stay(ctx context.Context, l account.Login) error {
	since, until := a.sessions.GetString(ctx, keySignedIn), a.sessions.Deadline(ctx)
	if err := a.begin(ctx, l); err != nil {
		return err
	}
	a.sessions.Put(ctx, keySignedIn, since)
	a.sessions.SetDeadline(ctx, until)
	return nil
}

// ChangeEmail requests another address for the signed-in account.
func (a *People) ChangeEmail(ctx context.Context, email string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	return a.Accounts.ChangeEmail(ctx, l, a.signedInAt(ctx), email, a.browser(ctx))
}

// ConfirmEmail changes the address of an account with the token of a link or, if that is "",
// the code in the mail that the session asked for. The other sessions of the account end.
func (a *People) ConfirmEmail(ctx context.Context, token, code string) (account.Login, error) {
	before, signedInErr := a.SignedIn(ctx)
	l, err := a.Accounts.ConfirmEmail(ctx, token, code, a.browser(ctx))
	if err == nil && signedInErr == nil && before.ID == l.ID {
		err = a.stay(ctx, l)
	}
	return l, err
}

// Delete deletes the signed-in account and all its data. typed must be its address.
func (a *People) Delete(ctx context.Context, typed string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if err := a.Accounts.Delete(ctx, l, a.signedInAt(ctx), typed); err != nil {
		return err
	}
	return a.sessions.Destroy(ctx)
}

// UnlinkGitHub unlinks the GitHub user of the signed-in account.
func (a *People) UnlinkGitHub(ctx context.Context) (account.Login, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return l, err
	}
	return a.Accounts.UnlinkGitHub(ctx, l, a.signedInAt(ctx))
}

// SessionsOf returns the sessions of an account, last used first.
func (a *People) SessionsOf(ctx context.Context, id int64) ([]account.SessionInfo, error) {
	current := sha256.Sum256([]byte(a.sessions.Token(ctx)))
	return a.Store.ListSessions(ctx, id, current, a.Now())
}

// EndSession ends a session of the signed-in account.
func (a *People) EndSession(ctx context.Context, id string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	unknown := &registry.Error{Kind: registry.ErrNotFound, Code: "session_not_found",
		Msg: "This account has no such session."}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return unknown
	}
	err = a.Store.EndSessionOf(ctx, n, account.AuditEntry{At: a.Now(), Account: l.ID,
		Actor: account.ByOwner, Action: "session.ended"})
	if errors.Is(err, registry.ErrNotFound) {
		return unknown
	}
	return err
}
