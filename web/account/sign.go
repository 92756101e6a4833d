package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

type signPage struct {
	form
	Next     string // destination after the sign-in; "": the account
	Link     string // token of a link
	Email    string // recipient of the mail, as typed or invited
	CodeTo   string // where the form of the code goes
	NoMail   bool   // the registry does not send mail
	Demo     bool   // commands need --demo
	Confirms bool   // the owner is signed in, and confirms that it is them
	GitHubTo string // address of the sign-in with GitHub
	OIDCTo   string // of that with OpenID Connect, "" for none
	oidc     bool
}

func (v *request) signPage(ctx context.Context, title string) signPage {
	p := signPage{form: v.newForm(ctx, title, ""), NoMail: v.People.Accounts.Mail == nil, Demo: v.People.Demo,
		Link: format.Clip(cmp.Or(v.form.Get("token"), v.c.Query("token")), 100),
		oidc: v.People.Accounts.OIDC != nil}
	_, next := v.next()
	p.leadTo(next)
	return p
}

// leadTo sets the destination after the sign-in, "" for the overview.
func (p *signPage) leadTo(next string) {
	p.Next, p.GitHubTo = next, Prefix+"/github"
	if p.oidc {
		p.OIDCTo = OIDCPath
	}
	if next != "" {
		query := "?" + url.Values{"next": {next}}.Encode()
		p.GitHubTo += query
		if p.oidc {
			p.OIDCTo += query
		}
	}
}

// alreadySignedIn reports whether an account is signed in, and redirects to the
// destination of the sign-in.
func (v *request) alreadySignedIn(ctx context.Context) bool {
	if err := v.person(ctx); err != nil {
		return false
	}
	v.redirect, _ = v.next()
	return true
}

// signInForm shows the form of the sign-in, which is that of the sign-up too. With again=1,
// owners who are signed in get it to confirm that it is them.
func (v *request) signInForm(ctx context.Context) error {
	again := v.c.Query("again") != ""
	if v.alreadySignedIn(ctx) && !again {
		return nil
	}
	v.redirect = ""
	return v.show(http.StatusOK, "account-sign-in", v.signInPage(ctx))
}

func (v *request) signInPage(ctx context.Context) signPage {
	p := v.signPage(ctx, "Sign in")
	p.Confirms = v.who != nil
	if to, err := url.Parse(p.Next); err == nil && to.Path == invitationPath {
		i, _ := v.People.Accounts.Invitation(ctx, to.Query().Get("token"))
		p.Email = i.Email // "" if the invitation is invalid
	}
	return p
}

// requestSignIn sends a mail. It responds the same for every address.
func (v *request) requestSignIn(ctx context.Context) error {
	load := func(v *request, ctx context.Context) (signPage, error) { return v.signInPage(ctx), nil }
	return submit(v, ctx, "account-sign-in", load, func() error {
		err := v.People.Accounts.RequestSignIn(ctx, v.form.Get("email"), v.People.browser(ctx))
		if err != nil {
			return err
		}
		_, next := v.next()
		v.People.SetDestination(ctx, next)
		return v.show(http.StatusOK, "account-sent", v.sentPage(ctx, Prefix+"/sign-in/code"))
	}, "email")
}

// sentPage returns the page that asks for the code in a mail. codeTo is where its form goes.
func (v *request) sentPage(ctx context.Context, codeTo string) signPage {
	p := v.signPage(ctx, "Check your email")
	p.Email, p.CodeTo = format.Clip(v.form.Get("email"), 254), codeTo
	return p
}

// signInAddress returns the address of the sign-in with the destination next,
// "" for the overview.
func signInAddress(next string) string {
	if next == "" {
		return Prefix + "/sign-in"
	}
	return Prefix + "/sign-in?" + url.Values{"next": {next}}.Encode()
}

// signInLink returns the page of a link. It requires a click, because mail scanners open
// links.
func (v *request) signInLink(ctx context.Context) (signPage, error) {
	return v.linkPage(ctx, account.LinkSignIn, "Sign in")
}

func (v *request) linkPage(ctx context.Context, purpose, title string) (signPage, error) {
	p := v.signPage(ctx, title)
	err := v.People.Accounts.LinkWaits(ctx, purpose, p.Link, v.People.browser(ctx))
	if err != nil && v.form == nil {
		v.status, err = v.setProblem(&p.form, err)
	}
	return p, err
}

// signIn uses the link, or the code, of a mail.
func (v *request) signIn(ctx context.Context) error {
	if v.checkToken(ctx) != nil && v.alreadySignedIn(ctx) { // the form was sent twice
		return nil
	}
	to, _ := destination(v.People.Destination(ctx))
	return v.useMail(ctx, "account-sign-in-link", "Sign in", Prefix+"/sign-in/code",
		func(token, code string) error {
			return v.done(ctx, v.People.SignIn(ctx, token, code), to, "")
		})
}

// useMail calls do with the token, or the code, of a mail. It shows errors on the page of the
// link, or on that which asks for the code.
func (v *request) useMail(
	ctx context.Context, page, title, codeTo string, do func(token, code string) error,
) error {
	token := v.form.Get("token")
	if token == "" {
		page = "account-sent"
	}
	load := func(v *request, ctx context.Context) (signPage, error) {
		if token == "" {
			return v.sentPage(ctx, codeTo), nil
		}
		return v.signPage(ctx, title), nil
	}
	return submit(v, ctx, page, load, func() error { return do(token, v.form.Get("code")) })
}

// signOut and signOutElsewhere return the error of the session if it has ended, rather than
// one about the form.
func (v *request) signOut(ctx context.Context) error {
	to := "/"
	if _, given := v.next(); given != "" {
		to = given
	}
	return v.endSessions(ctx, to, "",
		func() error { return v.People.sessions.Destroy(ctx) })
}

func (v *request) signOutElsewhere(ctx context.Context) error {
	return v.endSessions(ctx, Prefix+"/settings", "You are signed out everywhere else.",
		func() error { return v.People.SignOutElsewhere(ctx) })
}

func (v *request) endSessions(ctx context.Context, to, note string, end func() error) error {
	if err := v.checkToken(ctx); err != nil {
		gone := v.person(ctx)
		return cmp.Or(gone, err)
	}
	return v.done(ctx, end(), to, note)
}

func (v *request) confirmForm(ctx context.Context) (signPage, error) {
	return v.linkPage(ctx, account.LinkEmail, "Confirm your address")
}

// confirm changes the address of an account with the link, or the code, of a mail.
func (v *request) confirm(ctx context.Context) error {
	return v.useMail(ctx, "account-confirm", "Confirm your address", Prefix+"/confirm",
		func(token, code string) error {
			l, err := v.People.ConfirmEmail(ctx, token, code)
			return v.done(ctx, err, Prefix+"/settings", "Your address is now "+l.Email+".")
		})
}

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

// SessionsOf returns the sessions of an account, last used first.
func (a *People) SessionsOf(ctx context.Context, id int64) ([]account.SessionInfo, error) {
	current := sha256.Sum256([]byte(a.sessions.Token(ctx)))
	return a.Store.ListSessions(ctx, id, current, a.Now())
}

func (a *People) EndSession(ctx context.Context, l account.Login, id string) error {
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
