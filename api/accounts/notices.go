package accounts

import (
	"context"

	"mcpcensus/internal/account"
)

// noticedKeys notifies owners of new keys.
type noticedKeys struct {
	Keys
	accounts *account.Accounts
}

func (k noticedKeys) Make(
	ctx context.Context, actor string, id int64, name string,
) (account.Key, string, error) {
	made, text, err := k.Keys.Make(ctx, actor, id, name)
	if err == nil {
		k.accounts.NotifyKey(ctx, id, made.Name)
	}
	return made, text, err
}

func (k noticedKeys) Rotate(
	ctx context.Context, actor string, id, key int64,
) (old, made account.Key, text string, err error) {
	old, made, text, err = k.Keys.Rotate(ctx, actor, id, key)
	if err == nil {
		k.accounts.NotifyKey(ctx, id, made.Name)
	}
	return old, made, text, err
}

// noticedPlans notifies owners of plans that they chose.
type noticedPlans struct {
	Plans
	accounts *account.Accounts
}

func (p noticedPlans) Choose(
	ctx context.Context, a account.Account, plan *account.Plan,
) (url string, err error) {
	url, err = p.Plans.Choose(ctx, a, plan)
	if err != nil || url != "" {
		return url, err
	}
	if l, err := p.accounts.Get(ctx, a.ID); err == nil && l.Subscription != a.Subscription {
		p.accounts.NotifyPlan(ctx, a.ID)
	}
	return "", nil
}
