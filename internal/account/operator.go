package account

import (
	"context"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// An OperatorStore stores operators' changes to accounts.
type OperatorStore interface {
	// Accounts returns all accounts, oldest first.
	Accounts(ctx context.Context) ([]Account, error)
	// ConfirmByOperator confirms an address: of a new account, which loses its
	// password and gets the link reset, or a requested change of address. The
	// error is of kind registry.ErrNotFound if no confirmation of the address
	// is pending.
	ConfirmByOperator(
		ctx context.Context, emailKey string, reset Link, now time.Time,
	) (got Login, added bool, err error)
}

// ForOperator returns the account with an address. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (a *Accounts) ForOperator(ctx context.Context, email string) (Account, error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return Account{}, err
	}
	l, err := a.Store.AccountOf(ctx, addr.Key)
	if errors.Is(err, registry.ErrNotFound) {
		return Account{}, registry.Errorf(registry.ErrNotFound, "no account has the address %s",
			addr.Shown)
	}
	return l.Account, err
}

// All returns all accounts, oldest first.
func (a *Accounts) All(ctx context.Context) ([]Account, error) { return a.Store.Accounts(ctx) }

// ConfirmByOperator confirms an address: of a new account, or a requested
// change of address. Anyone may have signed up with an address, so a new
// account loses its password; link lets the owner set one, and is valid for
// validFor.
func (a *Accounts) ConfirmByOperator(
	ctx context.Context, email string,
) (confirmed Account, link string, validFor time.Duration, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return confirmed, "", 0, err
	}
	token, hash := newToken()
	reset := Link{Hash: hash, Purpose: LinkReset, ExpiresAt: a.Now().Add(resetFor)}
	l, added, err := a.Store.ConfirmByOperator(ctx, addr.Key, reset, a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		return confirmed, "", 0, registry.Errorf(registry.ErrNotFound,
			"no confirmation of %s is pending; see `census account show %s`", addr.Shown,
			addr.Shown)
	}
	if err != nil || !added {
		return l.Account, "", 0, err
	}
	return l.Account, a.linkURL("reset", token), resetFor, nil
}

// ResetByOperator returns a link to set a new password, and how long it is
// valid.
func (a *Accounts) ResetByOperator(
	ctx context.Context, email string,
) (link string, validFor time.Duration, err error) {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return "", 0, err
	}
	link, err = a.resetLink(ctx, l.ID, ByOperator)
	return link, resetFor, err
}

// LinkByOperator returns a link that signs in to the account with an address, and how long
// it is valid. If create, it adds the account if there is none.
func (a *Accounts) LinkByOperator(
	ctx context.Context, email string, create bool,
) (link string, validFor time.Duration, err error) {
	l, err := a.ForOperator(ctx, email)
	if errors.Is(err, registry.ErrNotFound) && create {
		l, err = a.createConfirmed(ctx, email)
	}
	if err != nil {
		return "", 0, err
	}
	token, hash := newToken()
	err = a.Store.AddLink(ctx, l.ID,
		Link{Hash: hash, Purpose: LinkSignIn, ExpiresAt: a.Now().Add(signInFor)},
		a.entry(l.ID, ByOperator, "signin.link_asked", "a link was created, valid for 30 minutes"))
	return a.linkURL("sign-in-link", token), signInFor, err
}

func (a *Accounts) createConfirmed(ctx context.Context, email string) (Account, error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return Account{}, err
	}
	now := a.Now()
	l, _, err := a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown, ConfirmedAt: &now}},
		addr.Key, nil, now)
	return l.Account, err
}

// DeleteByOperator deletes an account and all its data.
func (a *Accounts) DeleteByOperator(ctx context.Context, email string) error {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	return a.Store.DeleteAccount(ctx, l.ID)
}
