package web

import (
	"context"
	"net/http"
	"net/url"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

type signPage struct {
	form
	Next     string // where to go then; "": to the account
	Link     string // token of a link
	Email    string // that mail was sent to, as it was typed
	Waits    string // what has to happen before one can sign in: check_mail or await_operator
	NoMail   bool   // the registry sends none
	Confirms bool   // the operator confirms addresses
	Contact  string // of the operator, "" if it is not known
	GitHubTo string // address of the sign-in with GitHub
}

func (v *visit) signPage(ctx context.Context, title string) signPage {
	p := signPage{form: v.newForm(ctx, title, ""), NoMail: v.People.Accounts.Mail == nil, Confirms: v.People.Accounts.Next() == account.NextOperator, Contact: v.Options.Contact}
	_, next := v.next()
	p.lead(next)
	return p
}

// lead makes the page lead to an address after the sign-in, "" for the
// account's own page.
func (p *signPage) lead(next string) {
	p.Next, p.GitHubTo = next, accounts.Prefix+"/github"
	if next != "" {
		p.GitHubTo += "?" + url.Values{"next": {next}}.Encode()
	}
}

// already sends whoever is signed in to where the sign-in leads.
func (v *visit) already(ctx context.Context) bool {
	if _, err := v.owner(ctx); err != nil {
		return false
	}
	v.to, _ = v.next()
	return true
}

func (s *Site) signUpForm(ctx context.Context, v *visit) error {
	if v.already(ctx) {
		return nil
	}
	return v.send(http.StatusOK, "account-sign-up", v.signPage(ctx, "Sign up"))
}

// signUp answers alike for every address.
func (s *Site) signUp(ctx context.Context, v *visit) error {
	if v.already(ctx) {
		return nil
	}
	err := v.posted(ctx)
	if err == nil {
		err = s.People.Accounts.SignUp(ctx, v.form.Get("email"), v.form.Get("password"))
	}
	p := v.signPage(ctx, "Sign up")
	if err != nil {
		status, err := v.wrong(&p.form, err, "email")
		if err != nil {
			return err
		}
		return v.send(status, "account-sign-up", p)
	}
	p.Waits, p.Email, p.Title = s.People.Accounts.Next(), clipped(v.form.Get("email"), 254), "Almost done"
	if p.Waits == account.NextSignIn {
		return v.goOn(ctx, toSignIn(p.Next), "Your account is made. Sign in now.")
	}
	s.People.Want(ctx, p.Next)
	return v.send(http.StatusOK, "account-sent", p)
}

// toSignIn is the address of the sign-in that leads on to next, "" for the
// account's own page.
func toSignIn(next string) string {
	if next == "" {
		return accounts.Prefix + "/sign-in"
	}
	return accounts.Prefix + "/sign-in?" + url.Values{"next": {next}}.Encode()
}

func (s *Site) signInForm(ctx context.Context, v *visit) error {
	if v.already(ctx) {
		return nil
	}
	return v.send(http.StatusOK, "account-sign-in", v.signPage(ctx, "Sign in"))
}

func (s *Site) signIn(ctx context.Context, v *visit) error {
	err := v.posted(ctx)
	if err != nil && v.already(ctx) { // the form was sent twice
		return nil
	}
	if err == nil {
		_, err = s.People.SignIn(ctx, v.c, v.form.Get("email"), v.form.Get("password"))
	}
	if err == nil {
		v.to, _ = v.next()
		return nil
	}
	p := v.signPage(ctx, "Sign in")
	status, err := v.wrong(&p.form, err, "email")
	if err != nil {
		return err
	}
	return v.send(status, "account-sign-in", p)
}

func (s *Site) signOut(ctx context.Context, v *visit) error {
	if err := v.posted(ctx); err != nil {
		return v.unlessGone(ctx, err)
	}
	if err := s.People.SignOut(ctx, false); err != nil {
		return err
	}
	v.to = "/"
	return nil
}

// unlessGone returns the error of a form, unless nobody is signed in any more:
// then that is what is wrong with it.
func (v *visit) unlessGone(ctx context.Context, err error) error {
	if _, gone := v.owner(ctx); gone != nil {
		return gone
	}
	return err
}

func (s *Site) signOutElsewhere(ctx context.Context, v *visit) error {
	if err := v.posted(ctx); err != nil {
		return v.unlessGone(ctx, err)
	}
	if err := s.People.SignOutElsewhere(ctx); err != nil {
		return err
	}
	return v.goOn(ctx, accounts.Prefix+"/settings", "You are signed out everywhere else.")
}

// confirmForm asks for a click: programs that look at the links of mails must
// not use them up.
func (s *Site) confirmForm(ctx context.Context, v *visit) error {
	p := v.signPage(ctx, "Confirm your address")
	p.Link = clipped(v.c.Query("token"), 100)
	return v.send(http.StatusOK, "account-confirm", p)
}

func (s *Site) confirm(ctx context.Context, v *visit) error {
	err := v.posted(ctx)
	var l account.Login
	if err == nil {
		l, err = s.People.Accounts.Confirm(ctx, v.form.Get("token"))
	}
	if err != nil {
		p := v.signPage(ctx, "Confirm your address")
		p.Link = clipped(v.form.Get("token"), 100)
		status, err := v.wrong(&p.form, err)
		if err != nil {
			return err
		}
		return v.send(status, "account-confirm", p)
	}
	if now, err := s.People.SignedIn(ctx); err == nil && now.ID == l.ID {
		return v.goOn(ctx, accounts.Prefix+"/settings", "Your address is "+l.Email+" now.")
	}
	return v.goOn(ctx, toSignIn(s.People.Wanted(ctx)), "The address "+l.Email+" is confirmed. Sign in now.")
}

func (s *Site) resetRequestForm(ctx context.Context, v *visit) error {
	return v.send(http.StatusOK, "account-reset-request", v.signPage(ctx, "Set a new password"))
}

// resetRequest answers alike for every address.
func (s *Site) resetRequest(ctx context.Context, v *visit) error {
	err := v.posted(ctx)
	if err == nil {
		err = s.People.Accounts.RequestReset(ctx, v.form.Get("email"))
	}
	p := v.signPage(ctx, "Set a new password")
	if err != nil {
		status, err := v.wrong(&p.form, err, "email")
		if err != nil {
			return err
		}
		return v.send(status, "account-reset-request", p)
	}
	s.People.Want(ctx, p.Next)
	p.Waits, p.Email, p.Title = "reset", clipped(v.form.Get("email"), 254), "Look into your mail"
	return v.send(http.StatusOK, "account-sent", p)
}

func (s *Site) resetForm(ctx context.Context, v *visit) error {
	p := v.signPage(ctx, "Set a new password")
	p.Link = clipped(v.c.Query("token"), 100)
	return v.send(http.StatusOK, "account-reset", p)
}

func (s *Site) reset(ctx context.Context, v *visit) error {
	err := v.posted(ctx)
	if err == nil {
		err = s.People.Accounts.Reset(ctx, v.form.Get("token"), v.form.Get("password"))
	}
	if err != nil {
		p := v.signPage(ctx, "Set a new password")
		p.Link = clipped(v.form.Get("token"), 100)
		status, err := v.wrong(&p.form, err)
		if err != nil {
			return err
		}
		return v.send(status, "account-reset", p)
	}
	return v.goOn(ctx, toSignIn(s.People.Wanted(ctx)), "Your new password is set. Sign in with it.")
}
