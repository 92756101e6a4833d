package account

import (
	"context"
	"net/http"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

// Views has the tokens in the URLs at which custom endpoints are views for MCP clients.
type Views interface {
	// CustomToken returns the token of an account's custom endpoint.
	CustomToken(ctx context.Context, account int64, name string) (string, error)
	// RotateCustomToken replaces the token, and the URL with it.
	RotateCustomToken(ctx context.Context, account int64, name string) error
}

type viewsPage struct {
	form
	Allowed bool // the plan has custom endpoints
	Views   []viewURL
}

type viewURL struct{ Name, URL string }

// views responds to GET /account/views with the URLs of the account's views.
func (v *request) views(ctx context.Context) error {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return err
	}
	p := viewsPage{form: v.newForm(ctx, "Views", "views"), Allowed: acc.At(v.Now()).Custom}
	if p.Allowed {
		all, err := v.Webhooks.Customs(ctx, acc.ID)
		if err != nil {
			return err
		}
		for _, custom := range all {
			token, err := v.Views.CustomToken(ctx, acc.ID, custom.Name)
			if err != nil {
				return err
			}
			p.Views = append(p.Views, viewURL{custom.Name, v.BaseURL + "/r/" + token})
		}
	}
	return v.show(http.StatusOK, "account-views", p)
}

// rotateView responds to POST /account/views: the view gets another URL.
func (v *request) rotateView(ctx context.Context) error {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return err
	}
	if err := v.checkToken(ctx); err != nil {
		return err
	}
	if err := v.Views.RotateCustomToken(ctx, acc.ID, v.form.Get("name")); err != nil {
		return err
	}
	return v.redirectTo(ctx, accounts.Prefix+"/views", "The view has another URL. The old one no longer works.")
}
