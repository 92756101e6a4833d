package account

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

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

// ConfirmByOperator confirms a requested change of address, given the new one. If several
// accounts requested it, from is the current address of one of them; otherwise it may be "".
// It returns the address before and after.
func (a *Accounts) ConfirmByOperator(
	ctx context.Context, email, from string,
) (before, after string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", "", err
	}
	links, err := a.Store.EmailLinks(ctx, addr.Key, a.Now())
	if err != nil {
		return "", "", err
	}
	asked := map[string]Link{} // by the current address of the account
	for _, link := range links {
		l, err := a.Store.Account(ctx, link.Account)
		if err != nil {
			return "", "", err
		}
		if from == "" || strings.EqualFold(from, l.Email) {
			asked[l.Email] = link
		}
	}
	owners := slices.Sorted(maps.Keys(asked))
	switch len(owners) {
	case 0:
		return "", "", registry.Errorf(registry.ErrNotFound,
			"nobody asked to change an address to %s", addr.Shown)
	case 1:
		l, err := a.changeEmail(ctx, asked[owners[0]], ByOperator)
		if errors.Is(err, registry.ErrConflict) {
			err = registry.Errorf(registry.ErrConflict, "another account has the address %s",
				addr.Shown)
		}
		return owners[0], l.Email, err
	}
	return "", "", registry.Errorf(registry.ErrConflict,
		"several accounts asked for the address %s: choose one of %s with --from", addr.Shown,
		strings.Join(owners, ", "))
}

// LinkByOperator returns a link that signs in to the account with an address, in any browser.
// If create, it adds the account if there is none.
func (a *Accounts) LinkByOperator(
	ctx context.Context, email string, create bool,
) (link string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", err
	}
	if create {
		_, _, err = a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown}}, addr.Key,
			ByOperator, "added by the operator", a.Now())
	}
	if err != nil {
		return "", err
	}
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return "", err
	}
	token, hash := newToken()
	now := a.Now()
	if err := a.Store.AddLink(ctx, Link{Hash: hash, Purpose: LinkSignIn, Email: l.Email,
		EmailKey: addr.Key, ExpiresAt: now.Add(LinkFor)}, now); err != nil {
		return "", err
	}
	return a.linkURL(pages[LinkSignIn], token),
		a.Store.RecordRepeated(ctx, a.entry(l.ID, ByOperator, "signin.link_asked", "a link was printed"))
}

// FirstLink returns a link that signs in to a new account of the operator if the registry is
// empty, "" if it is not. Of several processes, one gets the link.
func (a *Accounts) FirstLink(ctx context.Context, email string) (link string, err error) {
	addr, err := ParseAddress(email)
	if err != nil {
		return "", err
	}
	if empty, err := a.Store.IsEmpty(ctx); err != nil || !empty {
		return "", err
	}
	_, added, err := a.Store.SignUp(ctx, Login{Account: Account{Email: addr.Shown}}, addr.Key,
		ByOperator, "added at the first start", a.Now())
	if err != nil || !added {
		return "", err
	}
	return a.LinkByOperator(ctx, email, false)
}

// DeleteByOperator deletes an account and all its data.
func (a *Accounts) DeleteByOperator(ctx context.Context, email string) error {
	l, err := a.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	return a.Store.DeleteAccount(ctx, l.ID)
}
