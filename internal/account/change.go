package account

import (
	"context"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// What happens next after a sign-up or a change of address: it depends on how
// the registry is run, and never on the address.
const (
	NextSignIn   = "sign_in"        // the address is confirmed
	NextMail     = "check_mail"     // a link is on its way
	NextOperator = "await_operator" // the operator confirms it
)

// Next returns what happens after a sign-up or a change of address.
func (a *Accounts) Next() string {
	switch {
	case a.Mail != nil:
		return NextMail
	case a.Trusting:
		return NextSignIn
	}
	return NextOperator
}

// SignUp makes an account for an address. If the address has one already, the
// answer is the same; its owner gets a mail that says so. As long as an
// account is not confirmed, everybody who signs up with its address gets a
// link of his own, and the password chosen with the link that is followed
// counts.
func (a *Accounts) SignUp(ctx context.Context, email, password string) error {
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if err := CheckPassword("password", password, addr); err != nil {
		return err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	now := a.Now()
	l := Login{Account: Account{Email: addr.Shown}, Password: hash}
	var link *Link
	token := ""
	switch {
	case a.Mail != nil:
		link = &Link{Purpose: LinkConfirm, Password: hash, ExpiresAt: now.Add(confirmFor)}
		token, link.Hash = newToken()
	case a.Trusting:
		l.ConfirmedAt = &now
	}
	got, _, err := a.Store.SignUp(ctx, l, addr.Key, link, now)
	if err != nil || a.Mail == nil {
		return err
	}
	return a.later("mail after a sign-up", func(ctx context.Context) error {
		if got.ConfirmedAt != nil {
			return a.mail(ctx, got.Email, knownMail, "")
		}
		return a.mail(ctx, addr.Shown, confirmMail, a.link("confirm", token))
	})
}

// Confirm confirms an address with the token of a link: that of a new account,
// or a new one.
func (a *Accounts) Confirm(ctx context.Context, token string) (Login, error) {
	if !wellFormed(token) {
		return Login{}, badLink(nil)
	}
	before, after, err := a.Store.Confirm(ctx, HashToken(token), a.Now())
	if errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrConflict) {
		return Login{}, badLink(err)
	}
	if err != nil {
		return Login{}, err
	}
	if before.ConfirmedAt != nil && before.Email != after.Email {
		a.notify(before.Email, emailChangedMail, after.Email)
	}
	return after, nil
}

// ChangePassword gives an account another password. All its sessions end: who
// asks for it gets the account back to begin a new one with.
func (a *Accounts) ChangePassword(ctx context.Context, l Login, p Proof, password string) (Login, error) {
	addr, err := ParseAddress(l.Email)
	if err != nil {
		addr = Address{}
	}
	if err := CheckPassword("newPassword", password, addr); err != nil {
		return Login{}, err
	}
	if err := a.prove(ctx, l, p); err != nil {
		return Login{}, err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return Login{}, err
	}
	got, err := a.Store.SetPassword(ctx, l.ID, hash, a.entry(l.ID, ByOwner, "password.changed", "all other sessions ended"))
	if err == nil {
		a.notify(got.Email, passwordChangedMail, alsoGitHub(got))
	}
	return got, err
}

// RequestReset sends a link to set a new password to an address, if it has an
// account.
func (a *Accounts) RequestReset(ctx context.Context, email string) error {
	addr, err := ParseAddress(email)
	if err != nil || a.Mail == nil {
		return err
	}
	return a.later("reset of a password", func(ctx context.Context) error {
		l, err := a.Store.AccountOf(ctx, addr.Key)
		if errors.Is(err, registry.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.mayMail(ctx, l.Email, resetMail); err != nil {
			return err
		}
		link, err := a.resetLink(ctx, l.ID, BySomebody)
		if err != nil {
			return err
		}
		return a.send(l.Email, resetMail, link)
	})
}

func (a *Accounts) resetLink(ctx context.Context, id int64, actor string) (string, error) {
	token, hash := newToken()
	err := a.Store.AddLink(ctx, id, Link{Hash: hash, Purpose: LinkReset, ExpiresAt: a.Now().Add(resetFor)},
		a.entry(id, actor, "password.reset_asked", "a link that works for an hour was made"))
	return a.link("reset", token), err
}

// Reset sets a password with the token of a link. All sessions of the account
// end, and its address is confirmed.
func (a *Accounts) Reset(ctx context.Context, token, password string) error {
	if !wellFormed(token) {
		return badLink(nil)
	}
	waits, err := a.Store.LinkWaits(ctx, HashToken(token), LinkReset, a.Now())
	if err != nil {
		return err
	}
	if !waits {
		return badLink(nil)
	}
	if err := CheckPassword("password", password, Address{}); err != nil {
		return err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	l, err := a.Store.ResetPassword(ctx, HashToken(token), hash, a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return badLink(err)
	}
	if err == nil {
		a.notify(l.Email, passwordChangedMail, alsoGitHub(l))
	}
	return err
}

// ChangeEmail asks for another address for an account. It changes when the new
// address is confirmed; until then the old one stays. If the new address has
// an account, the answer is the same.
func (a *Accounts) ChangeEmail(ctx context.Context, l Login, p Proof, email string) error {
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	token, hash := newToken()
	link := Link{Hash: hash, Purpose: LinkEmail, Email: addr.Shown, EmailKey: addr.Key, ExpiresAt: a.Now().Add(confirmFor)}
	if a.Next() == NextOperator {
		link.ExpiresAt = a.Now().Add(operatorFor)
	}
	if err := a.Store.AddLink(ctx, l.ID, link, a.entry(l.ID, ByOwner, "email.change_asked", "to "+addr.Shown)); err != nil {
		return err
	}
	if a.Trusting {
		_, err := a.Confirm(ctx, token)
		if errors.Is(err, registry.ErrConflict) {
			err = registry.Invalid("email", "belongs to another account") // nobody is here who must not know
		}
		return err
	}
	if a.Mail == nil {
		return nil
	}
	return a.later("change of an address", func(ctx context.Context) error {
		other, err := a.Store.AccountOf(ctx, addr.Key)
		if err == nil && other.ID != l.ID && other.ConfirmedAt != nil {
			return a.mail(ctx, other.Email, knownMail, "")
		}
		if err != nil && !errors.Is(err, registry.ErrNotFound) {
			return err
		}
		return a.mail(ctx, addr.Shown, changeMail, a.link("confirm", token))
	})
}

// Delete deletes an account and everything of it, at once.
func (a *Accounts) Delete(ctx context.Context, l Login, p Proof) error {
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	if err := a.Store.DeleteAccount(ctx, l.ID); err != nil {
		return err
	}
	a.Log.Info("account deleted by its owner", "account", l.ID)
	a.notify(l.Email, deletedMail, "")
	return nil
}

// ForOperator returns the account with an address. The error is of kind
// [registry.ErrNotFound] if there is none.
func (a *Accounts) ForOperator(ctx context.Context, email string) (Account, error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return Account{}, err
	}
	l, err := a.Store.AccountOf(ctx, addr.Key)
	if errors.Is(err, registry.ErrNotFound) {
		return Account{}, registry.Errorf(registry.ErrNotFound, "no account has the address %s", addr.Shown)
	}
	return l.Account, err
}

// All returns all accounts, the oldest first, for the operator.
func (a *Accounts) All(ctx context.Context) ([]Account, error) { return a.Store.Accounts(ctx) }

// ConfirmByOperator confirms an address: that of a new account, or one that an
// account has asked to change to. Anybody may have signed up with an address,
// so a new account loses the password that was chosen; link is with what the
// owner of the address sets one, and works how long it works.
func (a *Accounts) ConfirmByOperator(ctx context.Context, email string) (confirmed Account, link string, works time.Duration, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return confirmed, "", 0, err
	}
	token, hash := newToken()
	l, fresh, err := a.Store.ConfirmByOperator(ctx, addr.Key, Link{Hash: hash, Purpose: LinkReset, ExpiresAt: a.Now().Add(resetFor)}, a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return confirmed, "", 0, registry.Errorf(registry.ErrNotFound, "nothing waits for %s to be confirmed; `census account show %s` says how it stands", addr.Shown, addr.Shown)
	}
	if err != nil || !fresh {
		return l.Account, "", 0, err
	}
	return l.Account, a.link("reset", token), resetFor, nil
}

// ResetByOperator returns a link with which the owner of an account sets a new
// password, and how long it works.
func (a *Accounts) ResetByOperator(ctx context.Context, email string) (string, time.Duration, error) {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return "", 0, err
	}
	link, err := a.resetLink(ctx, l.ID, ByOperator)
	return link, resetFor, err
}

// DeleteByOperator deletes an account and everything of it.
func (a *Accounts) DeleteByOperator(ctx context.Context, email string) error {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	return a.Store.DeleteAccount(ctx, l.ID)
}
