// Package account is what people do with their accounts: sign up and in,
// change and reset passwords, confirm addresses, sign in with GitHub, and
// leave. It knows neither HTTP nor SQL.
package account

import (
	"context"

	"mcpcensus/internal/registry"
)

// A Store keeps accounts.
type Store interface {
	Account(ctx context.Context, id int64) (registry.Login, error)
	AccountOf(ctx context.Context, emailKey string) (registry.Login, error)
}

// Options are what Accounts are made of.
type Options struct {
	Store Store
}

// Accounts are the accounts of a registry.
type Accounts struct {
	Options
}

// New returns the accounts of a registry.
func New(o Options) *Accounts { return &Accounts{Options: o} }

// Get returns the account with that ID.
func (a *Accounts) Get(ctx context.Context, id int64) (registry.Login, error) {
	return a.Store.Account(ctx, id)
}
