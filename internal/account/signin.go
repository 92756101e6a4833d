package account

import (
	"context"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// RequestSignIn mails a link that signs in to the account of an address, and adds it if it
// has none. The link works in the browser that has the token. Neither the response nor the
// mail depends on whether the address has an account.
func (a *Accounts) RequestSignIn(ctx context.Context, email, browser string) error {
	if a.Mail == nil {
		return registry.Errorf(registry.ErrConflict, "This registry does not send email.")
	}
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if err := a.mayAsk(ctx, addr); err != nil {
		return err
	}
	return a.sendLink(ctx, Link{Purpose: LinkSignIn}, addr, browser, signInMail)
}

// SignIn uses a link of [Accounts.RequestSignIn] or of the operator, by its token or, if that
// is "", its code. It returns the account of its address, which it adds if there is none.
func (a *Accounts) SignIn(ctx context.Context, token, code, browser string) (Login, error) {
	link, err := a.takeLink(ctx, LinkSignIn, token, code, browser)
	if err != nil {
		return Login{}, err
	}
	l, _, err := a.Store.SignUp(ctx, Login{Account: Account{Email: link.Email}}, link.EmailKey,
		ByOwner, "signed up with an email address", a.Now())
	return l, err
}

// FreshFor is how long after a sign-in the owner may do what needs proof that it is them, and
// not just somebody at their open browser.
const FreshFor = 15 * time.Minute

// fresh returns an error unless the sign-in of a session was recent.
func (a *Accounts) fresh(signedIn time.Time) error {
	if a.Now().Sub(signedIn) <= FreshFor {
		return nil
	}
	return &registry.Error{Kind: registry.ErrForbidden, Code: "sign_in_again",
		Msg: "Sign in again to confirm that it is you, then retry within 15 minutes."}
}

// Missing is the error for a missing field of a request.
func Missing(field string) error {
	return &registry.Error{Kind: registry.ErrMissing, Msg: field + " is required",
		Fields: []registry.FieldError{{Field: field, Message: "is required"}}}
}

// ChangeEmail requests another address for an account, which takes effect when it is
// confirmed: with the link that is mailed to it, or without mail by the operator. The
// response is the same if the address has an account.
func (a *Accounts) ChangeEmail(
	ctx context.Context, l Login, signedIn time.Time, email, browser string,
) error {
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if old, err := ParseAddress(l.Email); err == nil && old.Key == addr.Key {
		return registry.Invalid("email", "is your address already")
	}
	if err := a.fresh(signedIn); err != nil {
		return err
	}
	if a.Mail != nil {
		if err := a.mayAsk(ctx, addr); err != nil {
			return err
		}
	}
	if err := a.Store.RecordRepeated(ctx, a.entry(l.ID, ByOwner, "email.change_asked",
		"to "+addr.Shown)); err != nil {
		return err
	}
	link := Link{Purpose: LinkEmail, Account: l.ID}
	if a.Mail != nil {
		return a.sendLink(ctx, link, addr, browser, changeMail)
	}
	_, link.Hash = newToken()
	link.Email, link.EmailKey, link.Browser = addr.Shown, addr.Key, new(HashToken(browser))
	link.ExpiresAt = a.Now().Add(operatorFor)
	return a.Store.AddLink(ctx, link, a.Now())
}

// operatorFor is how long the operator can confirm a change of address.
const operatorFor = 7 * 24 * time.Hour

// ConfirmEmail uses a link of [Accounts.ChangeEmail] by its token or, if that is "", its code.
// It returns the changed account.
func (a *Accounts) ConfirmEmail(ctx context.Context, token, code, browser string) (Login, error) {
	link, err := a.takeLink(ctx, LinkEmail, token, code, browser)
	if err != nil {
		return Login{}, err
	}
	return a.changeEmail(ctx, link, ByOwner)
}

func (a *Accounts) changeEmail(ctx context.Context, link Link, actor string) (Login, error) {
	before, err := a.Store.Account(ctx, link.Account)
	if err != nil {
		return Login{}, badLink(err)
	}
	after, err := a.Store.ChangeEmail(ctx, link, a.entry(link.Account, actor, "email.changed",
		"to "+link.Email))
	if errors.Is(err, registry.ErrConflict) && actor == ByOwner {
		return Login{}, badLink(err)
	}
	if err == nil {
		a.notify(ctx, before.Email, emailChangedMail, after.Email)
	}
	return after, err
}

func (a *Accounts) EndSessions(ctx context.Context, id int64) error {
	_, err := a.Store.EndSessions(ctx, id,
		a.entry(id, ByOwner, "sessions.ended", "signed out everywhere"))
	return err
}

// Delete deletes an account and all its data. typed must be its address.
func (a *Accounts) Delete(ctx context.Context, l Login, signedIn time.Time, typed string) error {
	if err := a.fresh(signedIn); err != nil {
		return err
	}
	if !SameAddress(typed, l.Email) {
		return registry.Invalid("email", "must be %s, the address of this account", l.Email)
	}
	if err := a.Store.DeleteAccount(ctx, l.ID); err != nil {
		return err
	}
	a.Log.Info("account deleted by its owner", "account", l.ID)
	a.notify(ctx, l.Email, deletedMail, "")
	return nil
}
