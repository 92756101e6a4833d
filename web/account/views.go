package account

import (
	"context"

	"mcpcensus/internal/account"
)

type viewsPage struct {
	form
	Allowed bool // the plan has custom endpoints
	Views   []viewURL
}

type viewURL struct{ Name, URL string }

// views returns the page of the URLs of the account's views.
func (v *request) views(ctx context.Context) (p viewsPage, err error) {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return p, err
	}
	p.form, p.Allowed = v.newForm(ctx, "Views", "views"), acc.At(v.Now()).Custom
	if !p.Allowed {
		return p, nil
	}
	all, err := v.People.Webhooks.Customs(ctx, acc.ID)
	if err != nil {
		return p, err
	}
	for _, custom := range all {
		token, err := v.People.Store.CustomToken(ctx, acc.ID, custom.Name)
		if err != nil {
			return p, err
		}
		p.Views = append(p.Views, viewURL{custom.Name, v.BaseURL + "/r/" + token})
	}
	return p, nil
}

// rotateView responds to POST /account/views: it replaces the URL of a view.
func (v *request) rotateView(ctx context.Context) error {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return err
	}
	if err := v.checkToken(ctx); err != nil {
		return err
	}
	return v.done(ctx, v.People.Store.RotateCustomToken(ctx, acc.ID, v.form.Get("name")),
		Prefix+"/views", "The URL of the view was replaced. The old one no longer works.")
}
