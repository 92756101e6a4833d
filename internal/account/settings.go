package account

import (
	"context"
	"errors"

	"mcpcensus/internal/registry"
)

// ChangePassword sets a password and ends all sessions of the account. It
// returns the changed account, for a new session.
func (a *Accounts) ChangePassword(
	ctx context.Context, l Login, p Proof, password string,
) (Login, error) {
	addr, _ := ParseAddress(l.Email)
	if err := CheckPassword("newPassword", password, addr); err != nil {
		return Login{}, err
	}
	if err := a.prove(ctx, l, p); err != nil {
		return Login{}, err
	}
	hash, err := a.hasher.hash(ctx, laneKnown, ownerClient(l), password)
	if err != nil {
		return Login{}, err
	}
	e := a.entry(l.ID, ByOwner, "password.changed", "all other sessions ended")
	got, err := a.Store.SetPassword(ctx, l.ID, hash, e)
	if err == nil {
		a.notify(ctx, got.Email, passwordChangedMail, alsoGitHub(got))
	}
	return got, err
}

// RequestReset sends a link to set a new password, if the address has an
// account.
func (a *Accounts) RequestReset(ctx context.Context, email string) error {
	addr, err := ParseAddress(email)
	if err != nil || a.Mail == nil {
		return err
	}
	return a.later(ctx, "password reset", func(ctx context.Context) error {
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
	err := a.Store.AddLink(ctx, id,
		Link{Hash: hash, Purpose: LinkReset, ExpiresAt: a.Now().Add(resetFor)},
		a.entry(id, actor, "password.reset_asked", "a link was created, valid for an hour"))
	return a.linkURL("reset", token), err
}

// Reset sets a password with the token of a link. It ends all sessions of the
// account, and confirms its address.
func (a *Accounts) Reset(ctx context.Context, token, password string) error {
	if !isToken(token) {
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
	hash, err := a.hasher.hash(ctx, laneSignIn, VisitorOf(ctx).Client, password)
	if err != nil {
		return err
	}
	l, err := a.Store.ResetPassword(ctx, HashToken(token), hash, a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return badLink(err)
	}
	if err == nil {
		a.notify(ctx, l.Email, passwordChangedMail, alsoGitHub(l))
	}
	return err
}

// ChangeEmail requests another address for an account, which takes effect when it is
// confirmed. The response is the same if the address has an account.
func (a *Accounts) ChangeEmail(ctx context.Context, l Login, p Proof, email string) error {
	addr, err := ParseAddress(email)
	if err != nil {
		return err
	}
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	if a.Mail != nil {
		if err := a.mayMailOthers(ctx, l.ID); err != nil {
			return err
		}
	}
	token, hash := newToken()
	link := Link{
		Hash: hash, Purpose: LinkEmail, Email: addr.Shown, EmailKey: addr.Key,
		ExpiresAt: a.Now().Add(confirmFor),
	}
	if a.Next(ctx) == NextOperator {
		link.ExpiresAt = a.Now().Add(operatorFor)
	}
	e := a.entry(l.ID, ByOwner, "email.change_asked", "to "+addr.Shown)
	if err := a.Store.AddLink(ctx, l.ID, link, e); err != nil {
		return err
	}
	if a.trusts(ctx) {
		_, err := a.Confirm(ctx, token)
		if errors.Is(err, registry.ErrConflict) {
			// Only this machine can see this response.
			err = registry.Invalid("email", "belongs to another account")
		}
		return err
	}
	if a.Mail == nil {
		return nil
	}
	return a.later(ctx, "change of address", func(ctx context.Context) error {
		other, err := a.Store.AccountOf(ctx, addr.Key)
		if err == nil && other.ID != l.ID && other.ConfirmedAt != nil {
			return a.mail(ctx, other.Email, knownMail, "")
		}
		if err != nil && !errors.Is(err, registry.ErrNotFound) {
			return err
		}
		return a.mail(ctx, addr.Shown, changeMail, a.linkURL("confirm", token))
	})
}

// EndSessions ends all sessions of an account.
func (a *Accounts) EndSessions(ctx context.Context, id int64) error {
	_, err := a.Store.EndSessions(ctx, id,
		a.entry(id, ByOwner, "sessions.ended", "signed out everywhere"))
	return err
}

// Delete deletes an account and all its data.
func (a *Accounts) Delete(ctx context.Context, l Login, p Proof) error {
	if err := a.prove(ctx, l, p); err != nil {
		return err
	}
	if err := a.Store.DeleteAccount(ctx, l.ID); err != nil {
		return err
	}
	a.Log.Info("account deleted by its owner", "account", l.ID)
	a.notify(ctx, l.Email, deletedMail, "")
	return nil
}
