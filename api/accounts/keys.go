package accounts

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Keys manages the API keys of accounts. The error is of kind
// registry.ErrNotFound if the account does not have the key, and
// registry.ErrConflict if the key does not allow the change.
type Keys interface {
	// List returns an account's keys, latest first, including invalid ones.
	List(ctx context.Context, account int64) ([]account.Key, error)
	// Make returns a new key and its text.
	Make(ctx context.Context, actor string, account int64, c account.KeyChange) (k account.Key, text string, err error)
	// Rotate replaces a key, which stays valid for account.KeyOverlap. It
	// returns the new key's text too.
	Rotate(ctx context.Context, actor string, account, id int64) (old, made account.Key, text string, err error)
	// Change changes the name and the restrictions of a key.
	Change(ctx context.Context, actor string, account, id int64, c account.KeyChange) (account.Key, error)
	Revoke(ctx context.Context, actor string, account, id int64) (account.Key, error)
}

// keyRoutes returns the routes of keys.
func (a *API) keyRoutes() []route {
	return []route{
		{"GET", "/keys", 200, as(a.role(account.RoleMember), a.listKeys)},
		{"POST", "/keys", 201, asWithBody(a.role(account.RoleMember), a.makeKey)},
		{"PATCH", "/keys/:id", 200, a.changeKey},
		{"POST", "/keys/:id/rotate", 201, a.rotateKey},
		{"DELETE", "/keys/:id", 200, a.revokeKey},
	}
}

// A shownKey is the JSON of a key.
type shownKey struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
	// Status is active, rotated (valid until expiresAt), expired or revoked.
	Status     string     `json:"status"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
	Scopes     []string   `json:"scopes"`
	Addresses  []string   `json:"addresses"` // empty: all
}

// A shownNewKey is a new key with its text, which is only shown once.
type shownNewKey struct {
	Key string `json:"key"`
	shownKey
	Replaces *shownKey `json:"replaces"`
}

func (a *API) shownKey(k account.Key) shownKey {
	return shownKey{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Status: k.Status(a.Now()),
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
		Scopes: k.Scopes.Names(), Addresses: k.Networks(),
	}
}

func (a *API) listKeys(ctx context.Context, _ *gin.Context, acc account.Acting) (any, error) {
	keys, err := a.Keys.List(ctx, acc.ID)
	list := make([]shownKey, 0, len(keys))
	for _, k := range keys {
		if acc.Sees(k) && k.Listed(a.Now()) {
			list = append(list, a.shownKey(k))
		}
	}
	return struct {
		Keys  []shownKey `json:"keys"`
		Limit int        `json:"limit"` // of valid keys
	}{list, account.MaxKeys}, err
}

// A keyBody has the settings of a key.
type keyBody struct {
	Name      string   `query:"name"`
	Scopes    []string `query:"scopes"`
	Addresses []string `query:"addresses"`
	Expires   string   `query:"expiresAt"`
}

func (a *API) makeKey(ctx context.Context, acc account.Acting, b keyBody) (any, error) {
	if b.Name == "" {
		return nil, account.Missing("name")
	}
	change, err := acc.Limit(account.KeyChange(b), true)
	if err != nil {
		return nil, err
	}
	k, text, err := a.Keys.Make(ctx, account.ByOwner, acc.ID, change)
	return shownNewKey{Key: text, shownKey: a.shownKey(k)}, err
}

func (a *API) changeKey(ctx context.Context, c *gin.Context) (any, error) {
	acc, id, err := a.ownKey(ctx, c)
	if err != nil {
		return nil, err
	}
	var b keyBody
	if err := readBody(c, &b); err != nil {
		return nil, err
	}
	if reflect.ValueOf(b).IsZero() {
		return nil, account.Missing("name")
	}
	change, err := acc.Limit(account.KeyChange(b), false)
	if err != nil {
		return nil, err
	}
	k, err := a.Keys.Change(ctx, account.ByOwner, acc.ID, id, change)
	return a.shownKey(k), err
}

func (a *API) rotateKey(ctx context.Context, c *gin.Context) (any, error) {
	acc, id, err := a.ownKey(ctx, c)
	if err != nil {
		return nil, err
	}
	old, made, text, err := a.Keys.Rotate(ctx, account.ByOwner, acc.ID, id)
	replaced := a.shownKey(old)
	return shownNewKey{Key: text, shownKey: a.shownKey(made), Replaces: &replaced}, err
}

func (a *API) revokeKey(ctx context.Context, c *gin.Context) (any, error) {
	acc, id, err := a.ownKey(ctx, c)
	if err != nil {
		return nil, err
	}
	k, err := a.Keys.Revoke(ctx, account.ByOwner, acc.ID, id)
	return a.shownKey(k), err
}

// ownKey returns the acting person, and the id in the path of a key that they may see.
func (a *API) ownKey(ctx context.Context, c *gin.Context) (account.Acting, int64, error) {
	acc, err := a.Act(ctx, account.RoleMember)
	if err != nil {
		return acc, 0, err
	}
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err == nil && !acc.Role.May(account.RoleAdmin) {
		keys, err := a.Keys.List(ctx, acc.ID)
		if err != nil {
			return acc, 0, err
		}
		if !slices.ContainsFunc(keys, func(k account.Key) bool { return k.ID == id && acc.Sees(k) }) {
			id = 0
		}
	}
	if err != nil || id < 1 {
		return acc, 0, &registry.Error{Kind: registry.ErrNotFound, Code: "key_not_found",
			Msg: "This account has no such key."}
	}
	return acc, id, nil
}
