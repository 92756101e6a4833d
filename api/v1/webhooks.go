package v1

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

const webhooksPath = "/v1/webhooks"

type (
	// webhookParams are the body that sets an endpoint.
	webhookParams struct {
		URL         string   `query:"url,max=2000"`
		Description string   `query:"description,max=200"`
		Events      []string `query:"events,most=20"`
		Servers     []string `query:"servers,most=100"`
		Search      string   `query:"search,max=60"`
		Enabled     bool     `query:"enabled,default=true"`
	}

	webhookBody struct {
		ID             int64        `json:"id"`
		URL            string       `json:"url"`
		Description    *string      `json:"description"`
		Events         []string     `json:"events"`
		Servers        []string     `json:"servers"`
		Search         *string      `json:"search"`
		Enabled        bool         `json:"enabled"`
		DisabledAt     *time.Time   `json:"disabledAt"`
		DisabledReason *string      `json:"disabledReason"`
		FailingSince   *time.Time   `json:"failingSince"`
		CreatedAt      time.Time    `json:"createdAt"`
		UpdatedAt      time.Time    `json:"updatedAt"`
		Links          webhookLinks `json:"links"`
		// Secret is only in responses to its creation and rotation.
		Secret string `json:"secret,omitempty"`
	}

	webhookLinks struct {
		Self       string `json:"self"`
		Deliveries string `json:"deliveries"`
	}

	deliveryBody struct {
		ID           int64           `json:"id"`
		EventID      string          `json:"eventId"`
		State        string          `json:"state"`
		Attempts     int             `json:"attempts"`
		NextAt       *time.Time      `json:"nextAttemptAt"`
		AttemptedAt  *time.Time      `json:"lastAttemptAt"`
		Status       *int            `json:"responseStatus"`
		Error        *string         `json:"error"`
		Milliseconds *int64          `json:"durationMs"`
		DeliveredAt  *time.Time      `json:"deliveredAt"`
		CreatedAt    time.Time       `json:"createdAt"`
		Payload      json.RawMessage `json:"payload"`
	}
)

func webhookOf(e *webhook.Endpoint) webhookBody {
	self := webhooksPath + "/" + strconv.FormatInt(e.ID, 10)
	return webhookBody{ID: e.ID, URL: e.URL, Description: api.Known(e.Description), Events: e.Events,
		Servers: e.Servers, Search: api.Known(e.Search), Enabled: e.DisabledAt == nil,
		DisabledAt: e.DisabledAt, DisabledReason: api.Known(e.DisabledWhy),
		FailingSince: e.FailingSince, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
		Links: webhookLinks{Self: self, Deliveries: self + "/deliveries"}}
}

func deliveryOf(d *webhook.Delivery) (b deliveryBody, err error) {
	b = deliveryBody{ID: d.ID, EventID: d.Event.ID, State: d.State, Attempts: d.Attempts,
		AttemptedAt: d.AttemptedAt, Status: d.Status, Error: api.Known(d.Error),
		DeliveredAt: d.DeliveredAt, CreatedAt: d.CreatedAt}
	if d.State == webhook.Pending {
		b.NextAt = &d.DueAt
	}
	if d.AttemptedAt != nil {
		b.Milliseconds = new(d.Took.Milliseconds())
	}
	b.Payload, err = d.Event.Body()
	return b, err
}

// onWebhook returns a handler of requests about an endpoint, whose ID is in the path.
func onWebhook(
	do func(ctx context.Context, c *gin.Context, who account.Access, id int64) error,
) httpd.Handler {
	return of(anyPlan, func(ctx context.Context, c *gin.Context, who account.Access) error {
		id, err := pathID(c, "id", "webhook_not_found", "webhook endpoint")
		if err != nil {
			return err
		}
		return do(ctx, c, who, id)
	})
}

// onBareWebhook is onWebhook for requests without parameters.
func onBareWebhook(
	do func(ctx context.Context, c *gin.Context, account, id int64) error,
) httpd.Handler {
	return onWebhook(func(ctx context.Context, c *gin.Context, who account.Access, id int64) error {
		if err := page.NoParams(c.Request); err != nil {
			return err
		}
		return do(ctx, c, who.Account, id)
	})
}

// pathID returns the ID that a part of the path is.
func pathID(c *gin.Context, name, code, what string) (int64, error) {
	id, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != c.Param(name) {
		return 0, &registry.Error{Kind: registry.ErrNotFound, Code: code,
			Msg: "No " + what + " " + page.Printable(c.Param(name)) + " in your account."}
	}
	return id, nil
}

func (a *API) listWebhooks(ctx context.Context, c *gin.Context, who account.Access) error {
	all, err := a.Webhooks.Endpoints(ctx, who.Account)
	if err != nil {
		return err
	}
	out := struct {
		Webhooks []webhookBody `json:"webhooks"`
		Count    int           `json:"count"`
		Max      int           `json:"max"`
	}{[]webhookBody{}, len(all), who.Plan.Webhooks}
	for i := range all {
		out.Webhooks = append(out.Webhooks, webhookOf(&all[i]))
	}
	return sendJSON(c, http.StatusOK, out, nil)
}

func (a *API) createWebhook(ctx context.Context, c *gin.Context, who account.Access) error {
	p, err := webhookSettings(c)
	if err != nil {
		return err
	}
	e, err := a.Webhooks.Create(ctx, who.Account, who.Plan, p)
	if err != nil {
		return err
	}
	b := webhookOf(&e)
	b.Secret = a.Webhooks.Secret(&e)
	c.Header("Location", b.Links.Self)
	return sendJSON(c, http.StatusCreated, b, nil)
}

// webhookSettings reads the body of a request.
func webhookSettings(c *gin.Context) (webhook.Settings, error) {
	var p webhookParams
	var faults page.Faults
	if err := parseBody(c, maxWebhookBody, &p, &faults); err != nil {
		return webhook.Settings{}, err
	}
	return webhook.Settings{URL: p.URL, Description: p.Description, Events: p.Events, Servers: p.Servers,
		Search: p.Search, Disabled: !p.Enabled}, faults.Err()
}

func (a *API) getWebhook(ctx context.Context, c *gin.Context, account, id int64) error {
	e, err := a.Webhooks.Endpoint(ctx, account, id)
	return sendJSON(c, http.StatusOK, webhookOf(&e), err)
}

func (a *API) putWebhook(
	ctx context.Context, c *gin.Context, who account.Access, id int64,
) error {
	p, err := webhookSettings(c)
	if err != nil {
		return err
	}
	e, err := a.Webhooks.Change(ctx, who.Account, who.Plan, id, p)
	return sendJSON(c, http.StatusOK, webhookOf(&e), err)
}

func (a *API) deleteWebhook(ctx context.Context, c *gin.Context, account, id int64) error {
	return sendDeleted(c, a.Webhooks.Delete(ctx, account, id))
}

// sendDeleted responds with 204, unless err is one.
func sendDeleted(c *gin.Context, err error) error {
	if err == nil {
		c.Header("Cache-Control", "no-store")
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
	}
	return err
}

func (a *API) rotateWebhook(ctx context.Context, c *gin.Context, account, id int64) error {
	e, err := a.Webhooks.Rotate(ctx, account, id)
	if err != nil {
		return err
	}
	b := webhookOf(&e)
	b.Secret = a.Webhooks.Secret(&e)
	return sendJSON(c, http.StatusOK, b, nil)
}

func (a *API) testWebhook(ctx context.Context, c *gin.Context, account, id int64) error {
	d, err := a.Webhooks.Test(ctx, account, id)
	return sendDelivery(c, &d, err)
}

// sendDelivery responds with a delivery, unless err is an error.
func sendDelivery(c *gin.Context, d *webhook.Delivery, err error) error {
	if err != nil {
		return err
	}
	b, err := deliveryOf(d)
	return sendJSON(c, http.StatusAccepted, b, err)
}

type deliveriesParams struct {
	Limit  int `query:"limit,min=1,max=100,default=20"`
	Before int `query:"before,min=1,max=9007199254740991"`
}

func (a *API) deliveries(
	ctx context.Context, c *gin.Context, who account.Access, id int64,
) error {
	var p deliveriesParams
	if err := page.Read(c.Request, &p); err != nil {
		return err
	}
	if _, err := a.Webhooks.Endpoint(ctx, who.Account, id); err != nil {
		return err
	}
	all, err := a.Webhooks.Deliveries(ctx, who.Account, id, int64(p.Before), p.Limit+1)
	if err != nil {
		return err
	}
	out := struct {
		Deliveries []deliveryBody `json:"deliveries"`
		// Before is the parameter of the next page; null on the last.
		Before *int64 `json:"before"`
	}{Deliveries: []deliveryBody{}}
	for i := range all {
		if i == p.Limit {
			out.Before = &all[i-1].ID
			break
		}
		b, err := deliveryOf(&all[i])
		if err != nil {
			return err
		}
		out.Deliveries = append(out.Deliveries, b)
	}
	return sendJSON(c, http.StatusOK, out, nil)
}

func (a *API) resend(ctx context.Context, c *gin.Context, account, id int64) error {
	delivery, err := pathID(c, "delivery", "delivery_not_found", "webhook delivery")
	if err != nil {
		return err
	}
	d, err := a.Webhooks.Redeliver(ctx, account, id, delivery)
	return sendDelivery(c, &d, err)
}
