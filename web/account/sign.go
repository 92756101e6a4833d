package account

import (
	"context"
	"net/http"
	"net/url"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

type signPage struct {
	form
	Next     string // destination after the sign-in; "": the account
	Link     string // token of a link
	Email    string // recipient of the mail, as typed
	NextStep string // required before the sign-in: check_mail or await_operator
	NoMail   bool   // the registry does not send mail
	Confirms bool   // the operator approves addresses
	GitHubTo string // address of the sign-in with GitHub
	OIDCTo   string // of that with OpenID Connect, "" for none
	oidc     bool
}

func (v *request) newSignPage(ctx context.Context, title string) signPage {
	p := signPage{form: v.newForm(ctx, title, ""), NoMail: v.People.Accounts.Mail == nil,
		Confirms: v.People.Accounts.Next(ctx) == account.NextOperator}
	_, next := v.next()
	p.oidc = v.People.Accounts.OIDC != nil
	p.leadTo(next)
	return p
}

// leadTo sets the destination after the sign-in, "" for the overview.
func (p *signPage) leadTo(next string) {
	p.Next, p.GitHubTo = next, accounts.Prefix+"/github"
	if p.oidc {
		p.OIDCTo = accounts.OIDCPath
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
	if _, err := v.signedIn(ctx); err != nil {
		return false
	}
	v.redirect, _ = v.next()
	return true
}

// guestForm returns the action that shows a form for those who are not signed in.
func guestForm(page, title string) action {
	return func(v *request, ctx context.Context) error {
		if v.alreadySignedIn(ctx) {
			return nil
		}
		return v.show(http.StatusOK, page, v.newSignPage(ctx, title))
	}
}

// linkForm returns the action that shows the form to which a mailed link leads. It
// requires a click, because mail scanners open links.
func linkForm(page, title string) action {
	return func(v *request, ctx context.Context) error {
		p := v.newSignPage(ctx, title)
		p.Link = format.Clip(v.c.Query("token"), 100)
		return v.show(http.StatusOK, page, p)
	}
}

// refuseLink shows the form of a mailed link again.
func (v *request) refuseLink(ctx context.Context, page, title string, err error) error {
	p := v.newSignPage(ctx, title)
	p.Link = format.Clip(v.form.Get("token"), 100)
	return v.refuse(err, &p.form, page, &p)
}

// requestMail handles a form that requests a mail: it calls do with the address, unless
// the form is refused. The response is the same for every address. step is what follows.
func (v *request) requestMail(
	ctx context.Context, page, title, step string, do func(context.Context, string) error,
) error {
	err := v.checkToken(ctx)
	if err == nil {
		err = do(ctx, v.form.Get("email"))
	}
	p := v.newSignPage(ctx, title)
	if err != nil {
		return v.refuse(err, &p.form, page, &p, "email")
	}
	v.People.SetDestination(ctx, p.Next)
	p.NextStep, p.Email, p.Title = step, format.Clip(v.form.Get("email"), 254), "Check your email"
	return v.show(http.StatusOK, "account-sent", p)
}

// signUp gives the same response for every address, so that it does not reveal
// who has an account.
func (v *request) signUp(ctx context.Context) error {
	if v.alreadySignedIn(ctx) {
		return nil
	}
	err := v.checkToken(ctx)
	if err == nil {
		err = v.People.Accounts.SignUp(ctx, v.form.Get("email"), v.form.Get("password"))
	}
	p := v.newSignPage(ctx, "Sign up")
	if err != nil {
		return v.refuse(err, &p.form, "account-sign-up", &p, "email")
	}
	p.NextStep, p.Email, p.Title = v.People.Accounts.Next(ctx), format.Clip(v.form.Get("email"), 254),
		"Almost done"
	if p.NextStep == account.NextSignIn {
		return v.redirectTo(ctx, signInAddress(p.Next), "Your account was created. Sign in now.")
	}
	v.People.SetDestination(ctx, p.Next)
	return v.show(http.StatusOK, "account-sent", p)
}

// signInAddress returns the address of the sign-in with the destination next,
// "" for the overview.
func signInAddress(next string) string {
	if next == "" {
		return accounts.Prefix + "/sign-in"
	}
	return accounts.Prefix + "/sign-in?" + url.Values{"next": {next}}.Encode()
}

func (v *request) signIn(ctx context.Context) error {
	err := v.checkToken(ctx)
	if err != nil && v.alreadySignedIn(ctx) { // the form was sent twice
		return nil
	}
	if err == nil {
		_, err = v.People.SignIn(ctx, v.c, v.form.Get("email"), v.form.Get("password"))
	}
	if err == nil || registry.HasCode(err, accounts.CodeRequired) {
		to, next := v.next()
		return v.afterSignIn(err, to, next)
	}
	p := v.newSignPage(ctx, "Sign in")
	return v.refuse(err, &p.form, "account-sign-in", &p, "email")
}

func (v *request) signInByMail(ctx context.Context) error {
	return v.requestMail(ctx, "account-sign-in-by-mail", "Sign in by email", "sign-in",
		v.People.Accounts.RequestSignIn)
}

func (v *request) signInByLink(ctx context.Context) error {
	to, next := destination(v.People.Destination(ctx))
	err := v.checkToken(ctx)
	if err == nil {
		_, err = v.People.SignInByLink(ctx, v.c, v.form.Get("token"))
	}
	if err != nil && !registry.HasCode(err, accounts.CodeRequired) {
		return v.refuseLink(ctx, "account-sign-in-link", "Sign in", err)
	}
	return v.afterSignIn(err, to, next)
}

// afterSignIn redirects to the destination of a sign-in, or to the page that asks for
// the second factor if err says so.
func (v *request) afterSignIn(err error, to, next string) error {
	v.redirect = to
	if err != nil {
		v.redirect = accounts.CodePath
		if next != "" {
			v.redirect += "?" + url.Values{"next": {next}}.Encode()
		}
	}
	return nil
}

func (v *request) signInCodeForm(ctx context.Context) error {
	if v.alreadySignedIn(ctx) {
		return nil
	}
	p := v.newSignPage(ctx, "Enter a code")
	if !v.People.PendingCode(ctx) {
		v.redirect = signInAddress(p.Next)
		return nil
	}
	return v.show(http.StatusOK, "account-sign-in-code", p)
}

func (v *request) signInCode(ctx context.Context) error {
	err := v.checkToken(ctx)
	if err == nil {
		_, err = v.People.SignInCode(ctx, v.c, v.form.Get("code"))
	}
	if err == nil {
		v.redirect, _ = v.next()
		return nil
	}
	p := v.newSignPage(ctx, "Enter a code")
	return v.refuse(err, &p.form, "account-sign-in-code", &p)
}

func (v *request) signOut(ctx context.Context) error {
	if err := v.checkToken(ctx); err != nil {
		return v.unlessSignedOut(ctx, err)
	}
	if err := v.People.SignOut(ctx, false); err != nil {
		return err
	}
	v.redirect = "/"
	return nil
}

// unlessSignedOut returns err, or the error of the session if it has ended.
func (v *request) unlessSignedOut(ctx context.Context, err error) error {
	if _, gone := v.signedIn(ctx); gone != nil {
		return gone
	}
	return err
}

func (v *request) signOutElsewhere(ctx context.Context) error {
	if err := v.checkToken(ctx); err != nil {
		return v.unlessSignedOut(ctx, err)
	}
	if err := v.People.SignOutElsewhere(ctx); err != nil {
		return err
	}
	return v.redirectTo(ctx, accounts.Prefix+"/settings", "You are signed out everywhere else.")
}

func (v *request) confirm(ctx context.Context) error {
	err := v.checkToken(ctx)
	var l account.Login
	if err == nil {
		l, err = v.People.Accounts.Confirm(ctx, v.form.Get("token"))
	}
	if err != nil {
		return v.refuseLink(ctx, "account-confirm", "Confirm your address", err)
	}
	if now, err := v.People.SignedIn(ctx); err == nil && now.ID == l.ID {
		return v.redirectTo(ctx, accounts.Prefix+"/settings", "Your address is now "+l.Email+".")
	}
	return v.redirectTo(ctx, signInAddress(v.People.Destination(ctx)),
		"The address "+l.Email+" is confirmed. Sign in now.")
}

func (v *request) resetRequestForm(ctx context.Context) error {
	return v.show(http.StatusOK, "account-reset-request", v.newSignPage(ctx, "Set a new password"))
}

func (v *request) resetRequest(ctx context.Context) error {
	return v.requestMail(ctx, "account-reset-request", "Set a new password", "reset",
		v.People.Accounts.RequestReset)
}

func (v *request) reset(ctx context.Context) error {
	err := v.checkToken(ctx)
	if err == nil {
		err = v.People.Accounts.Reset(ctx, v.form.Get("token"), v.form.Get("password"))
	}
	if err != nil {
		return v.refuseLink(ctx, "account-reset", "Set a new password", err)
	}
	return v.redirectTo(ctx, signInAddress(v.People.Destination(ctx)),
		"Your password was changed. Sign in with the new one.")
}
