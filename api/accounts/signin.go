package accounts

import (
	"context"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// deviceLife is how long a browser stays known.
const deviceLife = 365 * 24 * time.Hour

func (a *API) visitor(c *gin.Context) account.Visitor {
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
func (a *API) SignIn(ctx context.Context, c *gin.Context, email, password string) (account.Login, error) {
	l, err := a.Accounts.SignIn(ctx, email, password)
	if err != nil {
		return l, err
	}
	return l, a.firstFactor(ctx, c, l, "password")
}

// SignInByLink signs in to the session of ctx with a link that was sent by mail.
func (a *API) SignInByLink(ctx context.Context, c *gin.Context, token string) (account.Login, error) {
	l, err := a.Accounts.SignInByLink(ctx, token)
	if err != nil {
		return l, err
	}
	return l, a.firstFactor(ctx, c, l, "emailed link")
}

// admit signs an account in, and records the sign-in and the browser.
func (a *API) admit(ctx context.Context, c *gin.Context, l account.Login, how string) error {
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
func (a *API) SignOut(ctx context.Context, everywhere bool) error {
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
func (a *API) SignOutElsewhere(ctx context.Context) error {
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
func (a *API) ChangePassword(ctx context.Context, c *gin.Context, old, password string) error {
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
func (a *API) ChangeEmail(ctx context.Context, password, email string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	return a.Accounts.ChangeEmail(ctx, l, a.proof(ctx, password), email)
}

// Delete deletes the signed-in account and all its data.
func (a *API) Delete(ctx context.Context, password string) error {
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
func (a *API) UnlinkGitHub(ctx context.Context, password string) (account.Login, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return l, err
	}
	return a.Accounts.UnlinkGitHub(ctx, l, a.proof(ctx, password))
}

func (a *API) proof(ctx context.Context, password string) account.Proof {
	return account.Proof{Password: password, SignedInAt: a.signedInAt(ctx)}
}

// An outcome describes the next step. It does not depend on the address.
type outcome struct {
	Next    string `json:"next"` // sign_in, check_mail or await_operator
	Message string `json:"message"`
}

func (a *API) outcome(ctx context.Context) outcome {
	next := a.Accounts.Next(ctx)
	return outcome{next, map[string]string{
		account.NextSignIn: "Done. You can sign in now.",
		account.NextMail:   "We sent you an email. Follow the link in it within 24 hours.",
		account.NextOperator: "The operator of this registry must approve the address, " +
			"and will send you a link to set the password of a new account.",
	}[next]}
}

func (a *API) postSignUp(ctx context.Context, _ *gin.Context, b struct {
	Email    string `query:"email"`
	Password string `query:"password"`
}) (any, error) {
	return a.outcome(ctx), a.Accounts.SignUp(ctx, b.Email, b.Password)
}

func (a *API) postSignIn(ctx context.Context, c *gin.Context, b struct {
	Email    string `query:"email"`
	Password string `query:"password"`
	Code     string `query:"code"`
}) (any, error) {
	l, err := a.SignIn(ctx, c, b.Email, b.Password)
	if b.Code != "" && registry.HasCode(err, CodeRequired) {
		l, err = a.SignInCode(ctx, c, b.Code)
	}
	return a.ownAccount(l, err)
}

func (a *API) postSignOut(ctx context.Context, _ *gin.Context, b struct {
	Everywhere bool `query:"everywhere"`
}) (any, error) {
	return nil, a.SignOut(ctx, b.Everywhere)
}

func (a *API) postPassword(ctx context.Context, c *gin.Context, b struct {
	Password    string `query:"password"`
	NewPassword string `query:"newPassword"`
}) (any, error) {
	return nil, a.ChangePassword(ctx, c, b.Password, b.NewPassword)
}

func (a *API) postEmail(ctx context.Context, _ *gin.Context, b struct {
	Email    string `query:"email"`
	Password string `query:"password"`
}) (any, error) {
	return a.outcome(ctx), a.ChangeEmail(ctx, b.Password, b.Email)
}

type emailed struct {
	Email string `json:"email"`
}

func (a *API) postConfirm(ctx context.Context, _ *gin.Context, b tokenBody) (any, error) {
	l, err := a.Accounts.Confirm(ctx, b.Token)
	return emailed{l.Email}, err
}

func (a *API) postResetRequest(ctx context.Context, _ *gin.Context, b emailBody) (any, error) {
	return a.mailed("an hour"), a.Accounts.RequestReset(ctx, b.Email)
}

// mailed returns the outcome of requesting a link with a lifetime.
func (a *API) mailed(valid string) outcome {
	if a.Accounts.Mail == nil {
		return outcome{account.NextOperator,
			"This registry doesn't send email. Ask its operator for a link to set a new password."}
	}
	return outcome{account.NextMail,
		"If the address has an account, we sent an email with a link. It is valid for " + valid + "."}
}

func (a *API) postSignInByMail(ctx context.Context, _ *gin.Context, b emailBody) (any, error) {
	return a.mailed("30 minutes"), a.Accounts.RequestSignIn(ctx, b.Email)
}

func (a *API) postSignInLink(ctx context.Context, c *gin.Context, b tokenBody) (any, error) {
	return a.ownAccount(a.SignInByLink(ctx, c, b.Token))
}

func (a *API) postReset(ctx context.Context, _ *gin.Context, b struct {
	Token    string `query:"token"`
	Password string `query:"password"`
}) (any, error) {
	return nil, a.Accounts.Reset(ctx, b.Token, b.Password)
}

func (a *API) deleteAccount(ctx context.Context, _ account.Login, b passwordBody) (any, error) {
	return nil, a.Delete(ctx, b.Password)
}

func (a *API) postGitHub(ctx context.Context, _ *gin.Context, b passwordBody) (any, error) {
	return a.ownAccount(a.LinkGitHub(ctx, b.Password))
}

func (a *API) deleteGitHub(ctx context.Context, _ *gin.Context, b passwordBody) (any, error) {
	return a.ownAccount(a.UnlinkGitHub(ctx, b.Password))
}

// A shownEntry is the JSON of an entry of the audit log.
type shownEntry struct {
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
	Detail string    `json:"detail"`
	// Network and Agent are "" if no request caused the entry.
	Network string `json:"network"`
	Agent   string `json:"userAgent"`
	Times   int    `json:"times"`  // within an hour, until at
	Member  string `json:"member"` // address of the member who did it, "" for others
}

func shownEntries(entries []account.AuditEntry) []shownEntry {
	list := make([]shownEntry, len(entries))
	for i, e := range entries {
		list[i] = shownEntry{e.At, e.Actor, e.Action, e.Detail, e.Network, e.Agent, e.Times, e.Member}
	}
	return list
}

func (a *API) getAudit(ctx context.Context, _ *gin.Context, acting account.Acting) (any, error) {
	entries, err := a.Accounts.Audit(ctx, acting.ID)
	return struct {
		Entries []shownEntry `json:"entries"`
	}{shownEntries(entries)}, err
}
