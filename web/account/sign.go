package account

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

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

// sign returns a function that returns a page of the sign-in. A form to which a mailed link
// leads requires a click, because mail scanners open links.
func sign(title string) func(*request, context.Context) (signPage, error) {
	return func(v *request, ctx context.Context) (signPage, error) {
		p := signPage{form: v.newForm(ctx, title, ""), NoMail: v.People.Accounts.Mail == nil,
			Confirms: v.People.Accounts.Next(ctx) == account.NextOperator,
			Link:     format.Clip(cmp.Or(v.form.Get("token"), v.c.Query("token")), 100),
			oidc:     v.People.Accounts.OIDC != nil}
		_, next := v.next()
		p.leadTo(next)
		return p, nil
	}
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
	if _, err := v.signedIn(ctx); err != nil {
		return false
	}
	v.redirect, _ = v.next()
	return true
}

// guestForm returns the action that shows a form to visitors who are not signed in.
func guestForm(page, title string) action {
	return func(v *request, ctx context.Context) error {
		if v.alreadySignedIn(ctx) {
			return nil
		}
		return showing(page, sign(title))(v, ctx)
	}
}

// showSent reports that a mail was sent to the address in the form. step is the next step.
func (v *request) showSent(ctx context.Context, title, step string) error {
	p, _ := sign(title)(v, ctx)
	v.People.SetDestination(ctx, p.Next)
	p.NextStep, p.Email = step, format.Clip(v.form.Get("email"), 254)
	return v.show(http.StatusOK, "account-sent", p)
}

// requestMail handles a form that requests a mail: it calls do with the address, unless
// the form is refused. The response is the same for every address. step is the next step.
func (v *request) requestMail(
	ctx context.Context, page, title, step string, do func(context.Context, string) error,
) error {
	return submit(v, ctx, page, sign(title), func() error {
		if err := do(ctx, v.form.Get("email")); err != nil {
			return err
		}
		return v.showSent(ctx, "Check your email", step)
	}, "email")
}

// signUp responds the same for every address, so that it does not reveal
func (v *request) signUp(ctx context.Context) error {
	if v.alreadySignedIn(ctx) {
		return nil
	}
	return submit(v, ctx, "account-sign-up", sign("Sign up"), func() error {
		err := v.People.Accounts.SignUp(ctx, v.form.Get("email"), v.form.Get("password"))
		if err != nil {
			return err
		}
		step := v.People.Accounts.Next(ctx)
		if step == account.NextSignIn {
			_, next := v.next()
			return v.done(ctx, nil, signInAddress(next), "Your account was created. Sign in now.")
		}
		return v.showSent(ctx, "Almost done", step)
	}, "email")
}

// signInAddress returns the address of the sign-in with the destination next,
// "" for the overview.
func signInAddress(next string) string {
	if next == "" {
		return Prefix + "/sign-in"
	}
	return Prefix + "/sign-in?" + url.Values{"next": {next}}.Encode()
}

func (v *request) signIn(ctx context.Context) error {
	if v.checkToken(ctx) != nil && v.alreadySignedIn(ctx) { // the form was sent twice
		return nil
	}
	to, next := v.next()
	return submit(v, ctx, "account-sign-in", sign("Sign in"), func() error {
		_, err := v.People.SignIn(ctx, v.c, v.form.Get("email"), v.form.Get("password"))
		return v.afterSignIn(err, to, next)
	}, "email")
}

func (v *request) signInByMail(ctx context.Context) error {
	return v.requestMail(ctx, "account-sign-in-by-mail", "Sign in by email", "sign-in",
		v.People.Accounts.RequestSignIn)
}

func (v *request) signInByLink(ctx context.Context) error {
	to, next := destination(v.People.Destination(ctx))
	return submit(v, ctx, "account-sign-in-link", sign("Sign in"), func() error {
		_, err := v.People.SignInByLink(ctx, v.c, v.form.Get("token"))
		return v.afterSignIn(err, to, next)
	})
}

// afterSignIn redirects to the destination of a sign-in, or to the page that asks for
// the second factor if err says so. It returns other errors.
func (v *request) afterSignIn(err error, to, next string) error {
	if registry.HasCode(err, CodeRequired) {
		v.redirect = CodePath
		if next != "" {
			v.redirect += "?" + url.Values{"next": {next}}.Encode()
		}
		return nil
	}
	if err == nil {
		v.redirect = to
	}
	return err
}

func (v *request) signInCodeForm(ctx context.Context) error {
	if v.alreadySignedIn(ctx) {
		return nil
	}
	if !v.People.PendingCode(ctx) {
		_, next := v.next()
		v.redirect = signInAddress(next)
		return nil
	}
	return showing("account-sign-in-code", sign("Enter a code"))(v, ctx)
}

func (v *request) signInCode(ctx context.Context) error {
	return submit(v, ctx, "account-sign-in-code", sign("Enter a code"), func() error {
		_, err := v.People.SignInCode(ctx, v.c, v.form.Get("code"))
		to, _ := v.next()
		return v.done(ctx, err, to, "")
	})
}

// signOut and signOutElsewhere return the error of the session if it has ended, rather than
// one about the form.
func (v *request) signOut(ctx context.Context) error {
	return v.endSessions(ctx, "/", "",
		func() error { return v.People.SignOut(ctx, false) })
}

func (v *request) signOutElsewhere(ctx context.Context) error {
	return v.endSessions(ctx, Prefix+"/settings", "You are signed out everywhere else.",
		func() error { return v.People.SignOutElsewhere(ctx) })
}

func (v *request) endSessions(ctx context.Context, to, note string, end func() error) error {
	if err := v.checkToken(ctx); err != nil {
		_, gone := v.signedIn(ctx)
		return cmp.Or(gone, err)
	}
	return v.done(ctx, end(), to, note)
}

func (v *request) confirm(ctx context.Context) error {
	return submit(v, ctx, "account-confirm", sign("Confirm your address"), func() error {
		l, err := v.People.Accounts.Confirm(ctx, v.form.Get("token"))
		if err != nil {
			return err
		}
		if now, err := v.People.SignedIn(ctx); err == nil && now.ID == l.ID {
			return v.done(ctx, nil, Prefix+"/settings", "Your address is now "+l.Email+".")
		}
		return v.done(ctx, nil, signInAddress(v.People.Destination(ctx)),
			"The address "+l.Email+" is confirmed. Sign in now.")
	})
}

func (v *request) resetRequest(ctx context.Context) error {
	return v.requestMail(ctx, "account-reset-request", "Set a new password", "reset",
		v.People.Accounts.RequestReset)
}

func (v *request) reset(ctx context.Context) error {
	return submit(v, ctx, "account-reset", sign("Set a new password"), func() error {
		err := v.People.Accounts.Reset(ctx, v.form.Get("token"), v.form.Get("password"))
		if err != nil {
			return err
		}
		return v.done(ctx, nil, signInAddress(v.People.Destination(ctx)),
			"Your password was changed. Sign in with the new one.")
	})
}
