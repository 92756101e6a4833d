package account

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/webhook"
)

// webhooksPath is the page of the webhook endpoints.
const webhooksPath = accounts.Prefix + "/webhooks"

// shownDeliveries is how many deliveries are shown of an endpoint.
const shownDeliveries = 50

type webhooksPage struct {
	form
	Endpoints []webhook.Endpoint
	Newest    int64 // endpoint
	Max       int   // of the plan
	Plan      *account.Plan
	Choices   webhookChoices
}

// webhookChoices are what an endpoint can be set to, with what is set.
type webhookChoices struct {
	Types    []webhookType
	Searches []string // custom endpoints without a text; nil: the plan has none
	Search   string
	Enabled  bool
}

type webhookType struct {
	Name   string
	Chosen bool
}

// webhookChoices returns the choices of an account, with settings.
func (v *request) webhookChoices(
	ctx context.Context, acc int64, plan *account.Plan, s webhook.Settings,
) (c webhookChoices, err error) {
	c.Search, c.Enabled = s.Search, !s.Disabled
	for _, name := range webhook.Types {
		if name == webhook.ViewChanged && !plan.Custom {
			continue
		}
		c.Types = append(c.Types, webhookType{name, slices.Contains(s.Events, name)})
	}
	if !plan.Custom {
		return c, nil
	}
	all, err := v.Webhooks.Customs(ctx, acc)
	for _, custom := range all {
		if custom.Query == "" {
			c.Searches = append(c.Searches, custom.Name)
		}
	}
	return c, err
}

// webhookSettings returns the settings in a form.
func (v *request) webhookSettings() webhook.Settings {
	return webhook.Settings{URL: v.form.Get("url"), Description: v.form.Get("description"),
		Events: v.form["events"], Search: v.form.Get("search"),
		Servers:  strings.FieldsFunc(v.form.Get("servers"), func(r rune) bool { return r == ',' || r <= ' ' }),
		Disabled: v.form.Get("disabled") != ""}
}

// webhooks responds to GET /account/webhooks.
func (v *request) webhooks(ctx context.Context) error { return v.webhookList(ctx, nil) }

// webhookList responds with the list, and with the error of its form.
func (v *request) webhookList(ctx context.Context, wrong error) error {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return err
	}
	plan := acc.At(v.Now())
	p := webhooksPage{form: v.newForm(ctx, "Webhooks", "webhooks"), Max: plan.Webhooks, Plan: plan}
	status := http.StatusOK
	if wrong != nil {
		if status, err = v.setProblem(&p.form, wrong, "url", "description", "servers"); err != nil {
			return err
		}
	}
	if p.Endpoints, err = v.Webhooks.Endpoints(ctx, acc.ID); err != nil {
		return err
	}
	for _, e := range p.Endpoints {
		p.Newest = max(p.Newest, e.ID)
	}
	if p.Choices, err = v.webhookChoices(ctx, acc.ID, plan, v.webhookSettings()); err != nil {
		return err
	}
	return v.show(status, "account-webhooks", p)
}

type webhookSecretPage struct {
	form
	Endpoint webhook.Endpoint
	Rotated  bool
}

// createWebhook responds to POST /account/webhooks with the secret. The form contains the
// newest endpoint, so that it creates only one if it is sent twice.
func (v *request) createWebhook(ctx context.Context) error {
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		err = v.checkNewest(ctx, acc.ID)
	}
	var e webhook.Endpoint
	if err == nil {
		e, err = v.Webhooks.Create(ctx, acc.ID, acc.At(v.Now()), v.webhookSettings())
	}
	if err != nil {
		return v.webhookList(ctx, err)
	}
	return v.show(http.StatusOK, "account-webhook-secret",
		webhookSecretPage{form: v.newForm(ctx, "Your new webhook endpoint", "webhooks"), Endpoint: e})
}

// checkNewest returns an error if endpoints were added since the form was shown.
func (v *request) checkNewest(ctx context.Context, acc int64) error {
	all, err := v.Webhooks.Endpoints(ctx, acc)
	if err != nil {
		return err
	}
	var newest int64
	for _, e := range all {
		newest = max(newest, e.ID)
	}
	if v.form.Get("after") == strconv.FormatInt(newest, 10) {
		return nil
	}
	return &registry.Error{Kind: registry.ErrConflict, Code: "form_sent",
		Msg: "Your endpoints changed after this form was shown, or it was sent twice. To create " +
			"another endpoint, submit the form below."}
}

type webhookPage struct {
	form
	Endpoint   webhook.Endpoint
	Servers    string // one per line
	Choices    webhookChoices
	Deliveries []webhook.Delivery
}

// ownWebhook returns the page of the endpoint that the path names.
func (v *request) ownWebhook(ctx context.Context, title string) (webhookPage, account.Acting, error) {
	var p webhookPage
	acc, err := v.acting(ctx, account.RoleAdmin)
	if err != nil {
		return p, acc, err
	}
	id, err := strconv.ParseInt(v.c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return p, acc, &registry.Error{Kind: registry.ErrNotFound, Code: "webhook_not_found",
			Msg: "No such webhook endpoint in your account."}
	}
	if p.Endpoint, err = v.Webhooks.Endpoint(ctx, acc.ID, id); err != nil {
		return p, acc, err
	}
	p.form = v.newForm(ctx, title, "webhooks")
	e := p.Endpoint
	p.Servers = strings.Join(e.Servers, "\n")
	p.Choices, err = v.webhookChoices(ctx, acc.ID, acc.At(v.Now()), webhook.Settings{URL: e.URL,
		Events: e.Events, Search: e.Search, Disabled: e.DisabledAt != nil})
	if err == nil {
		p.Deliveries, err = v.Webhooks.Deliveries(ctx, acc.ID, id, 0, shownDeliveries)
	}
	return p, acc, err
}

// Path returns the path of the endpoint's page.
func (p webhookPage) Path() string {
	return webhooksPath + "/" + strconv.FormatInt(p.Endpoint.ID, 10)
}

// Sent describes the attempts of a delivery.
func (webhookPage) Sent(d webhook.Delivery) string { return text.Count(d.Attempts, "attempt") }

func (v *request) webhookPage(ctx context.Context) error {
	p, _, err := v.ownWebhook(ctx, "Webhook endpoint")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-webhook", p)
}

// changeWebhook handles the forms of one endpoint: it calls do unless the form is refused,
// and shows errors on the endpoint's page.
func (v *request) changeWebhook(
	ctx context.Context, do func(p webhookPage, acc account.Acting) error,
) error {
	p, acc, err := v.ownWebhook(ctx, "Webhook endpoint")
	if err != nil {
		return err
	}
	if err = v.checkToken(ctx); err == nil {
		err = do(p, acc)
	}
	if err == nil {
		return nil
	}
	return v.refuse(err, &p.form, "account-webhook", &p, "url", "description", "servers")
}

func (v *request) saveWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage, acc account.Acting) error {
		_, err := v.Webhooks.Change(ctx, acc.ID, acc.At(v.Now()), p.Endpoint.ID, v.webhookSettings())
		if err != nil {
			return err
		}
		return v.redirectTo(ctx, p.Path(), "Saved.")
	})
}

func (v *request) rotateWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage, acc account.Acting) error {
		e, err := v.Webhooks.Rotate(ctx, acc.ID, p.Endpoint.ID)
		if err != nil {
			return err
		}
		p.form.Title = "Your new secret"
		return v.show(http.StatusOK, "account-webhook-secret",
			webhookSecretPage{form: p.form, Endpoint: e, Rotated: true})
	})
}

func (v *request) testWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage, acc account.Acting) error {
		if _, err := v.Webhooks.Test(ctx, acc.ID, p.Endpoint.ID); err != nil {
			return err
		}
		return v.redirectTo(ctx, p.Path(), "Sending a test event. Reload this page to see the result.")
	})
}

func (v *request) resendWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage, acc account.Acting) error {
		id, err := strconv.ParseInt(v.form.Get("delivery"), 10, 64)
		if err != nil {
			return registry.Errorf(registry.ErrNotFound, "No such delivery.")
		}
		if _, err := v.Webhooks.Again(ctx, acc.ID, p.Endpoint.ID, id); err != nil {
			return err
		}
		return v.redirectTo(ctx, p.Path(), "Sending the event again. Reload this page to see the result.")
	})
}

func (v *request) deleteWebhookForm(ctx context.Context) error {
	p, _, err := v.ownWebhook(ctx, "Delete a webhook endpoint")
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-webhook-delete", p)
}

func (v *request) deleteWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage, acc account.Acting) error {
		if err := v.Webhooks.Delete(ctx, acc.ID, p.Endpoint.ID); err != nil {
			return err
		}
		return v.redirectTo(ctx, webhooksPath, "Deleted the endpoint.")
	})
}
