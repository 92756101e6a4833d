package account

import (
	"context"
	"net/http"
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

func (v *request) newPasskeysPage(ctx context.Context, title string) (passkeysPage, error) {
	s, err := v.newSettings(ctx, title)
	if err != nil {
		return passkeysPage{}, err
	}
	p := passkeysPage{settingsPage: s}
	if p.Passkeys, err = v.People.Passkeys(ctx); err != nil {
		return p, err
	}
	f, err := v.People.Accounts.Factor(ctx, v.who.ID)
	p.Code = f != nil
	return p, err
}

// passkeys responds with the passkeys of the account. A script adds them.
func (v *request) passkeys(ctx context.Context) error {
	p, err := v.newPasskeysPage(ctx, "Passkeys")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-passkeys", p)
}

// newPasskeyPage returns the page of the passkey that the path names.
func (v *request) newPasskeyPage(ctx context.Context) (passkeysPage, error) {
	p, err := v.newPasskeysPage(ctx, "Passkey")
	if err != nil {
		return p, err
	}
	for _, key := range p.Passkeys {
		if strconv.FormatInt(key.ID, 10) == v.c.Param("id") {
			p.Passkey = key
			return p, nil
		}
	}
	return p, account.NoPasskey("The account has no such passkey.")
}

func (v *request) passkey(ctx context.Context) error {
	p, err := v.newPasskeyPage(ctx)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-passkey", p)
}

// changePasskey handles the forms of one passkey.
func (v *request) changePasskey(ctx context.Context, done string, do func(id string) error) error {
	p, err := v.newPasskeyPage(ctx)
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		err = do(v.c.Param("id"))
	}
	if err == nil {
		return v.redirectTo(ctx, accounts.Prefix+"/passkeys", done)
	}
	p.askAgain(v, err)
	return v.refuse(err, &p.form, "account-passkey", &p, "name")
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
