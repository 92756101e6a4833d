package account

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/webhook"
)

const webhooksPath = Prefix + "/webhooks"

const shownDeliveries = 50

type webhooksPage struct {
	form
	Endpoints []webhook.Endpoint
	Newest    int64 // endpoint
	Max       int   // of the plan
	Plan      *account.Plan
	Choices   webhookChoices
}

// webhookChoices are the possible settings of an endpoint, with its current settings.
type webhookChoices struct {
	Types    []nameChoice
	Searches []string // custom endpoints without a text; nil: the plan has none
	Search   string
	Enabled  bool
}

// webhookChoices returns the choices of an account, with settings.
func (v *request) webhookChoices(
	ctx context.Context, acc int64, plan *account.Plan, s webhook.Settings,
) (c webhookChoices, err error) {
	c.Search, c.Enabled = s.Search, !s.Disabled
	if c.Types = choicesOf(webhook.Types, s.Events); !plan.Custom {
		return c, nil
	}
	all, err := v.People.Webhooks.Customs(ctx, acc)
	for _, custom := range all {
		if custom.Query == "" {
			c.Searches = append(c.Searches, custom.Name)
		}
	}
	return c, err
}

func (v *request) webhookSettings() webhook.Settings {
	return webhook.Settings{URL: v.form.Get("url"), Description: v.form.Get("description"),
		Events: v.form["events"], Search: v.form.Get("search"),
		Servers:  strings.FieldsFunc(v.form.Get("servers"), func(r rune) bool { return r == ',' || r <= ' ' }),
		Disabled: v.form.Get("disabled") != ""}
}

func (v *request) webhooks(ctx context.Context) (p webhooksPage, err error) {
	acc, plan := v.acc, v.acc.At(v.Now())
	p.form, p.Max, p.Plan = v.newForm(ctx, "Webhooks", "webhooks"), plan.Webhooks, plan
	if p.Endpoints, err = v.People.Webhooks.Endpoints(ctx, acc.ID); err != nil {
		return p, err
	}
	for _, e := range p.Endpoints {
		p.Newest = max(p.Newest, e.ID)
	}
	p.Choices, err = v.webhookChoices(ctx, acc.ID, plan, v.webhookSettings())
	return p, err
}

type webhookSecretPage struct {
	form
	Endpoint webhook.Endpoint
	Secret   string
	Rotated  bool
}

// webhookFields are the fields of the forms of endpoints whose input is shown again.
var webhookFields = []string{"url", "description", "servers"}

// createWebhook responds to POST /account/webhooks with the secret. The form has the
// newest endpoint's ID, so that submitting it twice creates only one.
func (v *request) createWebhook(ctx context.Context) error {
	return submit(v, ctx, "account-webhooks", (*request).webhooks, func() error {
		now, err := v.webhooks(ctx)
		if err != nil {
			return err
		}
		if err := v.checkNewest(now.Newest, "Your endpoints changed after this form was shown, or it "+
			"was sent twice. To create another endpoint, submit the form below."); err != nil {
			return err
		}
		e, err := v.People.Webhooks.Create(ctx, v.acc.ID, now.Plan, v.webhookSettings())
		if err != nil {
			return err
		}
		return v.show(http.StatusOK, "account-webhook-secret",
			webhookSecretPage{form: v.newForm(ctx, "Your new webhook endpoint", "webhooks"), Endpoint: e,
				Secret: v.People.Webhooks.Secret(&e)})
	}, webhookFields...)
}

type webhookPage struct {
	form
	Endpoint   webhook.Endpoint
	Servers    string // one per line
	Choices    webhookChoices
	Deliveries []webhook.Delivery
}

// endpointLoader returns a function that loads the page of the endpoint in the path.
func endpointLoader(title string) func(*request, context.Context) (webhookPage, error) {
	return func(v *request, ctx context.Context) (p webhookPage, err error) {
		id, err := strconv.ParseInt(v.c.Param("id"), 10, 64)
		if err != nil || id < 1 {
			return p, &registry.Error{Kind: registry.ErrNotFound, Code: "webhook_not_found",
				Msg: "No such webhook endpoint in your account."}
		}
		if p.Endpoint, err = v.People.Webhooks.Endpoint(ctx, v.acc.ID, id); err != nil {
			return p, err
		}
		p.form = v.newForm(ctx, title, "webhooks")
		e := p.Endpoint
		p.Servers = strings.Join(e.Servers, "\n")
		p.Choices, err = v.webhookChoices(ctx, v.acc.ID, v.acc.At(v.Now()), webhook.Settings{URL: e.URL,
			Events: e.Events, Search: e.Search, Disabled: e.DisabledAt != nil})
		if err == nil {
			p.Deliveries, err = v.People.Webhooks.Deliveries(ctx, v.acc.ID, id, 0, shownDeliveries)
		}
		return p, err
	}
}

// Path returns the path of the endpoint's page.
func (p webhookPage) Path() string {
	return webhooksPath + "/" + strconv.FormatInt(p.Endpoint.ID, 10)
}

// Sent describes the attempts of a delivery.
func (webhookPage) Sent(d webhook.Delivery) string { return text.Count(d.Attempts, "attempt") }

// changeWebhook handles the forms of one endpoint: it calls do unless the form is refused,
// and shows errors on the endpoint's page.
func (v *request) changeWebhook(ctx context.Context, do func(p webhookPage) error) error {
	load := endpointLoader("Webhook endpoint")
	p, err := load(v, ctx)
	if err != nil {
		return err
	}
	return submit(v, ctx, "account-webhook", load, func() error { return do(p) }, webhookFields...)
}

func (v *request) saveWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage) error {
		_, err := v.People.Webhooks.Change(ctx, v.acc.ID, v.acc.At(v.Now()), p.Endpoint.ID,
			v.webhookSettings())
		return v.done(ctx, err, p.Path(), "Saved.")
	})
}

func (v *request) rotateWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage) error {
		e, err := v.People.Webhooks.Rotate(ctx, v.acc.ID, p.Endpoint.ID)
		if err != nil {
			return err
		}
		p.form.Title = "Your new secret"
		return v.show(http.StatusOK, "account-webhook-secret",
			webhookSecretPage{form: p.form, Endpoint: e, Secret: v.People.Webhooks.Secret(&e),
				Rotated: true})
	})
}

func (v *request) testWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage) error {
		_, err := v.People.Webhooks.Test(ctx, v.acc.ID, p.Endpoint.ID)
		return v.done(ctx, err, p.Path(), "Sending a test event. Reload this page to see the result.")
	})
}

func (v *request) resendWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage) error {
		id, err := strconv.ParseInt(v.form.Get("delivery"), 10, 64)
		if err != nil {
			return registry.Errorf(registry.ErrNotFound, "No such delivery.")
		}
		_, err = v.People.Webhooks.Redeliver(ctx, v.acc.ID, p.Endpoint.ID, id)
		return v.done(ctx, err, p.Path(), "Sending the event again. Reload this page to see the result.")
	})
}

func (v *request) deleteWebhook(ctx context.Context) error {
	return v.changeWebhook(ctx, func(p webhookPage) error {
		return v.done(ctx, v.People.Webhooks.Delete(ctx, v.acc.ID, p.Endpoint.ID), webhooksPath,
			"Deleted the endpoint.")
	})
}
