package account

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

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

// ScopeChoices returns all scopes, and which of them the key has.
func (k shownKey) ScopeChoices() []nameChoice {
	return choicesOf(account.AllScopes.Names(), k.Scopes.Names())
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
	acc := v.acc
	lock := &keyLocks[uint64(acc.ID)%uint64(len(keyLocks))]
	lock.Lock()
	defer lock.Unlock()
	return submit(v, ctx, "account-home", (*request).home, func() error {
		_, newest, err := v.keysOf(ctx, acc)
		if err != nil {
			return err
		}
		if err := v.checkNewest(newest, "Your keys changed after this form was shown, or it was sent "+
			"twice. The key it created is in the list; rotate it if you did not copy it. To create "+
			"another key, submit the form below."); err != nil {
			return err
		}
		c, err := acc.Limit(v.keyForm(), true)
		if err != nil {
			return err
		}
		k, text, err := v.People.Keys.Make(ctx, account.ByOwner, acc.ID, c)
		if err != nil {
			return err
		}
		return v.showKey(ctx, v.newForm(ctx, "Your new key", "keys"), text, k, nil)
	}, keyFields...)
}

// keyFields are the fields of the forms of keys whose input is shown again.
var keyFields = []string{"name", "addresses", "expiresAt"}

// showKey shows the text of a new key, which may replace an old one, and notifies the owner.
func (v *request) showKey(
	ctx context.Context, f form, text string, k account.Key, old *shownKey,
) error {
	v.People.Accounts.NotifyKey(ctx, k.Account, k.Name)
	return v.show(http.StatusOK, "account-new-key",
		newKeyPage{form: f, Text: text, Key: v.shownKey(k), Old: old, Base: v.BaseURL})
}

type keyPage struct {
	form
	Key shownKey
}

// key returns a function that returns the page of the key that the path names.
func key(title string) func(*request, context.Context) (keyPage, error) {
	return func(v *request, ctx context.Context) (keyPage, error) {
		keys, err := v.People.Keys.List(ctx, v.acc.ID)
		for _, k := range keys {
			if strconv.FormatInt(k.ID, 10) == v.c.Param("id") && v.acc.Sees(k) {
				return keyPage{v.newForm(ctx, title, "keys"), v.shownKey(k)}, nil
			}
		}
		return keyPage{}, cmp.Or(err, error(&registry.Error{Kind: registry.ErrNotFound,
			Code: "key_not_found", Msg: "No such key in your account."}))
	}
}

// changeKey handles the forms of one key: it calls do unless the form is refused,
// and shows errors on page.
func (v *request) changeKey(ctx context.Context, page, title string, do func(p keyPage) error) error {
	p, err := key(title)(v, ctx)
	if err != nil {
		return err
	}
	return submit(v, ctx, page, key(title), func() error { return do(p) }, keyFields...)
}

// keyForm returns the settings of a key in a form. A form without restrictions keeps
// them.
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
		c, err := v.acc.Limit(c, false)
		if err != nil {
			return err
		}
		k, err := v.People.Keys.Change(ctx, account.ByOwner, p.Key.Account, p.Key.ID, c)
		return v.done(ctx, err, Prefix, "Saved the key "+k.Prefix+"…, "+k.Name+".")
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
		return v.showKey(ctx, p.form, text, made, &was)
	})
}

func (v *request) revokeKey(ctx context.Context) error {
	return v.changeKey(ctx, "account-revoke", "Revoke a key", func(p keyPage) error {
		k, err := v.People.Keys.Revoke(ctx, account.ByOwner, p.Key.Account, p.Key.ID)
		return v.done(ctx, err, Prefix,
			"Revoked the key "+k.Prefix+"…. Programs that use it no longer work.")
	})
}
