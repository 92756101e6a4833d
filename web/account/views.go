package account

import (
	"context"
	"net/http"
)

type viewsPage struct {
	form
	Allowed bool // the plan has custom endpoints
	Names   []string
	Name    string // of the endpoint that URL is of
	URL     string // was created by this request; "": none
}

func (v *request) views(ctx context.Context) (p viewsPage, err error) {
	acc := v.acc
	p.form, p.Allowed = v.newForm(ctx, "Views", "views"), acc.At(v.Now()).Custom
	if !p.Allowed {
		return p, nil
	}
	all, err := v.People.Webhooks.Customs(ctx, acc.ID)
	if err != nil {
		return p, err
	}
	for _, custom := range all {
		p.Names = append(p.Names, custom.Name)
	}
	return p, nil
}

// createView responds to POST /account/views: it creates a URL of a view, and shows it once.
func (v *request) createView(ctx context.Context) error {
	if err := v.checkToken(ctx); err != nil {
		return err
	}
	name := v.form.Get("name")
	token, err := v.People.Store.MakeCustomToken(ctx, v.acc.ID, name)
	if err != nil {
		return err
	}
	p, err := v.views(ctx)
	if err != nil {
		return err
	}
	p.Name, p.URL = name, v.BaseURL+"/r/"+token
	return v.show(http.StatusOK, "account-views", p)
}
