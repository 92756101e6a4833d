package account

import (
	"context"
	"strconv"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

type passkeysPage struct {
	settingsPage
	Passkeys []account.Passkey
	Passkey  account.Passkey // of the page of one
	Code     bool            // adding one needs a code
}

// passkeys returns the page of the passkeys of the account. A script adds them.
func (v *request) passkeys(ctx context.Context) (p passkeysPage, err error) {
	if p.settingsPage, err = settings("Passkeys")(v, ctx); err != nil {
		return p, err
	}
	if p.Passkeys, err = v.People.Passkeys(ctx); err != nil {
		return p, err
	}
	f, err := v.People.Accounts.Factor(ctx, v.who.ID)
	p.Code = f != nil
	return p, err
}

// passkey returns the page of the passkey that the path names.
func (v *request) passkey(ctx context.Context) (passkeysPage, error) {
	p, err := v.passkeys(ctx)
	if err != nil {
		return p, err
	}
	p.Title = "Passkey"
	for _, key := range p.Passkeys {
		if strconv.FormatInt(key.ID, 10) == v.c.Param("id") {
			p.Passkey = key
			return p, nil
		}
	}
	return p, account.NoPasskey("The account has no such passkey.")
}

// changePasskey handles the forms of one passkey.
func (v *request) changePasskey(ctx context.Context, done string, do func(id string) error) error {
	if _, err := v.passkey(ctx); err != nil {
		return err
	}
	return submit(v, ctx, "account-passkey", (*request).passkey, func() error {
		return v.done(ctx, do(v.c.Param("id")), accounts.Prefix+"/passkeys", done)
	}, "name")
}

func (v *request) renamePasskey(ctx context.Context) error {
	return v.changePasskey(ctx, "The passkey was renamed.", func(id string) error {
		return v.People.RenamePasskey(ctx, id, v.form.Get("name"))
	})
}

func (v *request) removePasskey(ctx context.Context) error {
	return v.changePasskey(ctx, "The passkey was removed.", func(id string) error {
		return v.People.RemovePasskey(ctx, id, v.form.Get("password"))
	})
}
