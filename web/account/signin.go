package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// deviceLife is how long a browser stays known.
const deviceLife = 365 * 24 * time.Hour

func (a *People) visitor(c *gin.Context) account.Visitor {
	v := account.Visitor{Client: httpd.ClientOf(c).String(), Local: httpd.Local(c),
		Agent: shortAgent(c.Request.UserAgent())}
	if cookie, err := c.Request.Cookie(a.cookies(c).known); err == nil && len(cookie.Value) <= 100 {
		v.Device = cookie.Value
	}
	return v
}

// shortAgent returns the first 200 characters of a user agent.
func shortAgent(agent string) string {
	r := []rune(strings.ToValidUTF8(agent, ""))
	return string(r[:min(len(r), 200)])
}

// SignIn signs in to the session of ctx, and records the browser as known. The errors
// are those of [account.Accounts.SignIn] and of a second factor.
func (a *People) SignIn(ctx context.Context, c *gin.Context, email, password string) (account.Login, error) {
	l, err := a.Accounts.SignIn(ctx, email, password)
	if err != nil {
		return l, err
	}
	return l, a.firstFactor(ctx, c, l, "password")
}

// SignInByLink signs in to the session of ctx with a link that was sent by mail.
func (a *People) SignInByLink(ctx context.Context, c *gin.Context, token string) (account.Login, error) {
	l, err := a.Accounts.SignInByLink(ctx, token)
	if err != nil {
		return l, err
	}
	return l, a.firstFactor(ctx, c, l, "emailed link")
}

// admit signs an account in, and records the sign-in and the browser.
func (a *People) admit(ctx context.Context, c *gin.Context, l account.Login, how string) error {
	known, err := a.Accounts.Known(ctx, l.Account, account.VisitorOf(ctx).Device)
	if err != nil {
		return err
	}
	if !known {
		token, err := a.Accounts.NewDevice(ctx, l.ID)
		if err != nil {
			return err
		}
		a.setCookie(c, a.cookies(c).known, token, a.Now().Add(deviceLife))
	}
	if err := a.Accounts.RecordSignIn(ctx, l, how, known); err != nil {
		return err
	}
	return a.begin(ctx, l)
}

// SignOut ends the session of ctx or, if everywhere, all sessions of its account.
func (a *People) SignOut(ctx context.Context, everywhere bool) error {
	if everywhere {
		l, err := a.SignedIn(ctx)
		if err != nil {
			return err
		}
		if err := a.Accounts.EndSessions(ctx, l.ID); err != nil {
			return err
		}
	}
	return a.sessions.Destroy(ctx)
}

// SignOutElsewhere ends all other sessions of the signed-in account. This one
// gets a new token, but keeps its sign-in time and its end.
func (a *People) SignOutElsewhere(ctx context.Context) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if err := a.Accounts.EndSessions(ctx, l.ID); err != nil {
		return err
	}
	if l, err = a.Accounts.Get(ctx, l.ID); err != nil {
		return err
	}
	since, until := a.sessions.GetString(ctx, keySignedIn), a.sessions.Deadline(ctx)
	if err := a.begin(ctx, l); err != nil {
		return err
	}
	a.sessions.Put(ctx, keySignedIn, since)
	a.sessions.SetDeadline(ctx, until)
	return nil
}

// ChangePassword sets the password of the signed-in account. Its other sessions
// end; this one gets a new token. An account without a password needs a recent
// sign-in instead of the old one.
func (a *People) ChangePassword(ctx context.Context, c *gin.Context, old, password string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if l, err = a.Accounts.ChangePassword(ctx, l, a.proof(ctx, old), password); err != nil {
		return err
	}
	return a.admit(ctx, c, l, "new password")
}

// ChangeEmail requests another address for the signed-in account. See
// [account.Accounts.Next] for the next step.
func (a *People) ChangeEmail(ctx context.Context, password, email string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	return a.Accounts.ChangeEmail(ctx, l, a.proof(ctx, password), email)
}

// Delete deletes the signed-in account and all its data.
func (a *People) Delete(ctx context.Context, password string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if err := a.Accounts.Delete(ctx, l, a.proof(ctx, password)); err != nil {
		return err
	}
	return a.sessions.Destroy(ctx)
}

// UnlinkGitHub unlinks the GitHub user of the signed-in account.
func (a *People) UnlinkGitHub(ctx context.Context, password string) (account.Login, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return l, err
	}
	return a.Accounts.UnlinkGitHub(ctx, l, a.proof(ctx, password))
}

func (a *People) proof(ctx context.Context, password string) account.Proof {
	return account.Proof{Password: password, SignedInAt: a.signedInAt(ctx)}
}

// SessionsOf returns the sessions of an account, last used first.
func (a *People) SessionsOf(ctx context.Context, id int64) ([]account.SessionInfo, error) {
	current := sha256.Sum256([]byte(a.sessions.Token(ctx)))
	return a.Sessions.ListSessions(ctx, id, current, a.Now())
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
	err = a.Sessions.EndSessionOf(ctx, n, account.AuditEntry{At: a.Now(), Account: l.ID,
		Actor: account.ByOwner, Action: "session.ended"})
	if errors.Is(err, registry.ErrNotFound) {
		return unknown
	}
	return err
}

// Session values between the first and the second factor, and during the setup of a
// second factor.
const (
	keyHalf      = "halfAccount"
	keyHalfEpoch = "halfEpoch"
	keyHalfHow   = "halfHow"
	keyHalfBegan = "halfBegan" // in Unix seconds
	keySecret    = "factorSecret"
)

// halfTimeout is the maximum time between the two factors.
const halfTimeout = 10 * time.Minute

// CodeRequired is the error code for a missing second factor.
const CodeRequired = "code_required"

// firstFactor signs in an account that has proved its first factor; how names it. If the
// account has a second factor, the error has the code [CodeRequired], and [People.SignInCode]
// completes the sign-in in the same session.
func (a *People) firstFactor(ctx context.Context, c *gin.Context, l account.Login, how string) error {
	f, err := a.Accounts.Factor(ctx, l.ID)
	if err != nil {
		return err
	}
	if f == nil {
		return a.admit(ctx, c, l, how)
	}
	if err := a.renew(ctx); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyHalf, strconv.FormatInt(l.ID, 10))
	a.sessions.Put(ctx, keyHalfEpoch, strconv.Itoa(l.Epoch))
	a.sessions.Put(ctx, keyHalfHow, how)
	a.sessions.Put(ctx, keyHalfBegan, strconv.FormatInt(a.Now().Unix(), 10))
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: CodeRequired,
		Msg: "This account requires a code from your authenticator app, or a recovery code."}
}

// SignInCode completes the sign-in of the session of ctx with the second factor.
func (a *People) SignInCode(ctx context.Context, c *gin.Context, code string) (account.Login, error) {
	l, err := a.halfSignedIn(ctx)
	if err != nil {
		return l, err
	}
	if err := a.Accounts.CheckCode(ctx, l, code); err != nil {
		return account.Login{}, err
	}
	return l, a.admit(ctx, c, l, a.sessions.GetString(ctx, keyHalfHow)+" and code")
}

// halfSignedIn returns the account that has proved only its first factor in the session.
func (a *People) halfSignedIn(ctx context.Context) (account.Login, error) {
	late := &registry.Error{Kind: registry.ErrUnauthorized, Code: "not_signed_in",
		Msg: "Sign in first. The second step must follow within 10 minutes."}
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyHalf), 10, 64)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyHalfBegan), 10, 64)
	if err != nil || a.Now().Sub(time.Unix(began, 0)) > halfTimeout {
		return account.Login{}, late
	}
	l, err := a.Accounts.Get(ctx, id)
	if err != nil || strconv.Itoa(l.Epoch) != a.sessions.GetString(ctx, keyHalfEpoch) {
		return account.Login{}, late
	}
	return l, nil
}

// PendingCode reports whether the session waits for the second factor.
func (a *People) PendingCode(ctx context.Context) bool { return a.sessions.Exists(ctx, keyHalf) }

// NewSecret returns the secret of the second factor that the session sets up. The first
// call generates it.
func (a *People) NewSecret(ctx context.Context, l account.Login) (string, error) {
	if secret := a.sessions.GetString(ctx, keySecret); secret != "" {
		return secret, nil
	}
	secret, err := a.Accounts.NewFactor(l.Account)
	if err == nil {
		a.sessions.Put(ctx, keySecret, secret)
	}
	return secret, err
}

// EnableFactor sets the second factor of the signed-in account to the secret of
// [People.NewSecret], and returns its recovery codes.
func (a *People) EnableFactor(ctx context.Context, password, code string) ([]string, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	secret := a.sessions.GetString(ctx, keySecret)
	if secret == "" {
		return nil, registry.Errorf(registry.ErrConflict, "Setup has not been started in this session.")
	}
	codes, err := a.Accounts.EnableFactor(ctx, l, a.proof(ctx, password), secret, code)
	if err == nil {
		a.sessions.Remove(ctx, keySecret)
	}
	return codes, err
}

// DisableFactor removes the second factor of the signed-in account.
func (a *People) DisableFactor(ctx context.Context, password, code string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	return a.Accounts.DisableFactor(ctx, l, a.proof(ctx, password), code)
}

// RenewRecovery replaces the recovery codes of the signed-in account.
func (a *People) RenewRecovery(ctx context.Context, password, code string) ([]string, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	return a.Accounts.RenewRecovery(ctx, l, a.proof(ctx, password), code)
}
