package account

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A shownKey is a key as its owner sees it.
type shownKey struct {
	account.Key
	Now time.Time
}

// Status returns the key's state in a word.
func (k shownKey) Status() string { return k.Key.Status(k.Now) }

// Works reports whether the key still works.
func (k shownKey) Works() bool { return k.Key.Works(k.Now) }

// Day returns the day on which the key expires as a form has it, "" for never.
func (k shownKey) Day() string {
	if k.ExpiresAt == nil {
		return ""
	}
	return k.ExpiresAt.Format(time.DateOnly)
}

// Typed returns the addresses as a form has them.
func (k shownKey) Typed() string { return strings.Join(k.Networks(), " ") }

// A scopeChoice is a scope in a form.
type scopeChoice struct {
	Name   string
	Chosen bool
}

// ScopeChoices returns all scopes, and which of them the key has.
func (k shownKey) ScopeChoices() (all []scopeChoice) {
	for _, name := range account.AllScopes.Names() {
		all = append(all, scopeChoice{name, slices.Contains(k.Scopes.Names(), name)})
	}
	return all
}

// Limits describes what limits the key, "" for nothing.
func (k shownKey) Limits() string {
	key := k.Key
	if k.Rotated {
		key.ExpiresAt = nil
	}
	return strings.TrimPrefix(key.Restrictions(), ", ")
}

func (p *Pages) shownKey(k account.Key) shownKey { return shownKey{k, p.Now()} }

// keysOf returns the keys of an account that acc sees and that are active or ended recently, and
// the ID of its newest key.
func (p *Pages) keysOf(
	ctx context.Context, acc account.Acting,
) (list []shownKey, newest int64, err error) {
	keys, err := p.People.Keys.List(ctx, acc.ID)
	if err != nil {
		return nil, 0, err
	}
	for _, k := range keys {
		newest = max(newest, k.ID)
		if acc.Sees(k) && k.Listed(p.Now()) {
			list = append(list, p.shownKey(k))
		}
	}
	return list, newest, nil
}

// keyLocks serialize requests of an account that create keys.
var keyLocks [64]sync.Mutex

type newKeyPage struct {
	form
	Text string // of the key
	Key  shownKey
	Old  *shownKey // the replaced key
	Base string
}

// createKey responds to POST /account/keys with the new key. The form contains
// the newest key at the time it was shown, so that it creates only one key if
// it is sent twice.
func (v *request) createKey(ctx context.Context) error {
	acc, err := v.acting(ctx, account.RoleMember)
	if err != nil {
		return err
	}
	lock := &keyLocks[uint64(acc.ID)%uint64(len(keyLocks))]
	lock.Lock()
	defer lock.Unlock()
	err = v.checkToken(ctx)
	if err == nil {
		_, newest, listErr := v.keysOf(ctx, acc)
		if listErr != nil {
			return listErr
		}
		if v.form.Get("after") != strconv.FormatInt(newest, 10) {
			err = &registry.Error{Kind: registry.ErrConflict, Code: "form_sent",
				Msg: "Your keys changed after this form was shown, or it was sent twice. The key " +
					"it created is " +
					"in the list; rotate it if you did not copy it. To create another key, " +
					"submit the form " +
					"below."}
		}
	}
	var k account.Key
	var text string
	if err == nil {
		var c account.KeyChange
		if c, err = acc.Limit(v.keyForm(), true); err == nil {
			k, text, err = v.People.Keys.Make(ctx, account.ByOwner, acc.ID, c)
		}
	}
	if err != nil {
		return v.home(ctx, err)
	}
	return v.show(http.StatusOK, "account-new-key",
		newKeyPage{form: v.newForm(ctx, "Your new key", "keys"), Text: text, Key: v.shownKey(k),
			Base: v.BaseURL})
}

type keyPage struct {
	form
	Key   shownKey
	owner account.Acting
}

// ownKey returns the page of the key that the path names.
func (v *request) ownKey(ctx context.Context, title string) (keyPage, error) {
	acc, err := v.acting(ctx, account.RoleMember)
	if err != nil {
		return keyPage{}, err
	}
	missing := &registry.Error{Kind: registry.ErrNotFound, Code: "key_not_found",
		Msg: "No such key in your account."}
	id, err := strconv.ParseInt(v.c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return keyPage{}, missing
	}
	keys, err := v.People.Keys.List(ctx, acc.ID)
	if err != nil {
		return keyPage{}, err
	}
	for _, k := range keys {
		if k.ID == id && acc.Sees(k) {
			return keyPage{v.newForm(ctx, title, "keys"), v.shownKey(k), acc}, nil
		}
	}
	return keyPage{}, missing
}

func (v *request) keyPage(ctx context.Context) error {
	p, err := v.ownKey(ctx, "Key")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-key", p)
}

// changeKey handles the forms of one key: it calls do unless the form is refused,
// and shows errors on page.
func (v *request) changeKey(ctx context.Context, page, title string, do func(p keyPage) error) error {
	p, err := v.ownKey(ctx, title)
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		err = do(p)
	}
	if err == nil || errors.Is(err, registry.ErrNotFound) {
		return err
	}
	return v.refuse(err, &p.form, page, &p, "name", "addresses", "expiresAt")
}

// keyForm returns the settings of a key in a form. A form without restrictions leaves
// them as they are.
func (v *request) keyForm() account.KeyChange {
	c := account.KeyChange{Name: v.form.Get("name")}
	if v.form.Has("limits") {
		c.Scopes = append([]string{}, v.form["scopes"]...)
		c.Addresses = append([]string{}, strings.FieldsFunc(v.form.Get("addresses"),
			func(r rune) bool { return r == ',' || r <= ' ' })...)
		c.Expires = cmp.Or(v.form.Get("expiresAt"), account.Never)
	}
	return c
}

func (v *request) saveKey(ctx context.Context) error {
	return v.changeKey(ctx, "account-key", "Key", func(p keyPage) error {
		c := v.keyForm()
		if c.Name == "" {
			return registry.Invalid("name", "must have 1 to 60 characters")
		}
		if c.Expires == p.Key.Day() { // which has a time of day that the form does not show
			c.Expires = ""
		}
		c, err := p.owner.Limit(c, false)
		if err != nil {
			return err
		}
		k, err := v.People.Keys.Change(ctx, account.ByOwner, p.Key.Account, p.Key.ID, c)
		if err != nil {
			return err
		}
		return v.redirectTo(ctx, accounts.Prefix, "Saved the key "+k.Prefix+"…, "+k.Name+".")
	})
}

// rotateKey can be sent twice: a key that was rotated cannot be rotated again.
func (v *request) rotateKey(ctx context.Context) error {
	return v.changeKey(ctx, "account-key", "Key", func(p keyPage) error {
		old, made, text, err := v.People.Keys.Rotate(ctx, account.ByOwner, p.Key.Account, p.Key.ID)
		if err != nil {
			return err
		}
		was := v.shownKey(old)
		p.form.Title = "Your new key"
		return v.show(http.StatusOK, "account-new-key",
			newKeyPage{form: p.form, Text: text, Key: v.shownKey(made), Old: &was, Base: v.BaseURL})
	})
}

func (v *request) revokeKeyForm(ctx context.Context) error {
	p, err := v.ownKey(ctx, "Revoke a key")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-revoke", p)
}

func (v *request) revokeKey(ctx context.Context) error {
	return v.changeKey(ctx, "account-revoke", "Revoke a key", func(p keyPage) error {
		k, err := v.People.Keys.Revoke(ctx, account.ByOwner, p.Key.Account, p.Key.ID)
		if err != nil {
			return err
		}
		return v.redirectTo(ctx, accounts.Prefix,
			"Revoked the key "+k.Prefix+"…. Programs that use it no longer work.")
	})
}
