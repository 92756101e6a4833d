package accounts

import (
	"context"

	"mcpcensus/internal/account"
)

// notifyingKeys notifies owners of new keys.
type notifyingKeys struct {
	Keys
	accounts *account.Accounts
}

func (k notifyingKeys) Make(
	ctx context.Context, actor string, id int64, c account.KeyChange,
) (account.Key, string, error) {
	made, text, err := k.Keys.Make(ctx, actor, id, c)
	if err == nil {
		k.accounts.NotifyKey(ctx, id, made.Name)
	}
	return made, text, err
}

func (k notifyingKeys) Rotate(
	ctx context.Context, actor string, id, key int64,
) (old, made account.Key, text string, err error) {
	old, made, text, err = k.Keys.Rotate(ctx, actor, id, key)
	if err == nil {
		k.accounts.NotifyKey(ctx, id, made.Name)
	}
	return old, made, text, err
}
