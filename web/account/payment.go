package account

import (
	"context"
	"io"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// Plans manages the plans of accounts.
type Plans interface {
	// Offer returns the plans for sale.
	Offer() account.Offer
	// Pays reports whether an account pays for its plan.
	Pays(ctx context.Context, account int64) (bool, error)
	// Choose sets the plan of an account, or returns the URL of a page to pay for
	// it.
	Choose(ctx context.Context, a account.Account, p *account.Plan) (url string, err error)
	// Portal returns the URL of the page to manage payment.
	Portal(ctx context.Context, account int64) (url string, err error)
	// Receive handles an event of the payment provider.
	Receive(ctx context.Context, payload []byte, signature string) error
}

// WebhookPath is the path that the payment provider sends events to.
const WebhookPath = "/webhooks/stripe"

const (
	// maxEvent is the maximum size of an event, in bytes.
	maxEvent = 512 << 10
	// EventsPerMinute is the limit of events of a client. Stripe repeats refused ones.
	EventsPerMinute = 600
)

// RegisterWebhook adds WebhookPath to r. Events have signatures instead of sessions.
func (a *People) RegisterWebhook(r gin.IRoutes) {
	r.POST(WebhookPath, httpd.LimitPerMinute(EventsPerMinute, a.problem), httpd.Handle(a.receive, a.problem))
}

func (a *People) receive(ctx context.Context, c *gin.Context) error {
	signatures := c.Request.Header.Values("Stripe-Signature")
	if len(signatures) != 1 || c.Request.Body == nil {
		return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature",
			Msg: "An event must have one Stripe-Signature header and a body."}
	}
	payload, err := io.ReadAll(io.LimitReader(c.Request.Body, maxEvent+1))
	if err != nil {
		return err
	}
	if len(payload) > maxEvent {
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", maxEvent)
	}
	if err := a.Plans.Receive(ctx, payload, signatures[0]); err != nil {
		return err // the provider repeats the event
	}
	httpd.Write(c, httpd.Response{Cache: "no-store", Body: []byte("{\"received\":true}\n")})
	return nil
}
