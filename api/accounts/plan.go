package accounts

import (
	"context"
	"io"
	"strings"
	"time"

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

// planRoutes returns the routes of plans.
func (a *API) planRoutes() []route {
	return []route{
		{"GET", "/plan", 200, as(a.role(account.RoleAdmin), a.showPlan)},
		{"POST", "/plan", 200, asWithBody(a.role(account.RoleOwner), a.choosePlan)},
		{"POST", "/plan/portal", 200, as(a.role(account.RoleOwner), a.openPortal)},
	}
}

// A shownChoice is the plan of an account, and all plans.
type shownChoice struct {
	Plan   string             `json:"plan"`
	Until  *time.Time         `json:"until"` // when next replaces plan
	Next   *string            `json:"next"`
	Pays   bool               `json:"pays"`   // through the payment provider
	CanPay bool               `json:"canPay"` // paid plans can be bought
	Plans  []account.PlanBody `json:"plans"`
	// CheckoutURL is the page to complete the choice, null if it is complete.
	CheckoutURL *string `json:"checkoutUrl"`
}

func (a *API) shownChoice(ctx context.Context, acc account.Account) (shownChoice, error) {
	pays, err := a.Plans.Pays(ctx, acc.ID)
	s, o := a.shown(acc), a.Plans.Offer()
	choice := shownChoice{
		Plan: s.Plan, Until: s.PlanUntil, Next: s.PlanNext,
		Pays: pays, CanPay: o.Online,
	}
	for _, p := range account.Plans {
		choice.Plans = append(choice.Plans, o.Body(p))
	}
	return choice, err
}

func (a *API) showPlan(ctx context.Context, _ *gin.Context, acc account.Acting) (any, error) {
	return a.shownChoice(ctx, acc.Account)
}

func (a *API) choosePlan(ctx context.Context, acc account.Acting, b struct {
	Plan string `query:"plan"`
}) (any, error) {
	if b.Plan == "" {
		return nil, account.Missing("plan")
	}
	p := account.PlanNamed(b.Plan)
	if p == nil {
		ids := account.PlansWith(func(*account.Plan) bool { return true })
		return nil, registry.Invalid("plan", "must be one of %s", strings.Join(ids, ", "))
	}
	url, err := a.Plans.Choose(ctx, acc.Account, p)
	if err != nil {
		return nil, err
	}
	if acc, err = a.Act(ctx, account.RoleOwner); err != nil { // after the change
		return nil, err
	}
	s, err := a.shownChoice(ctx, acc.Account)
	if url != "" {
		s.CheckoutURL = &url
	}
	return s, err
}

func (a *API) openPortal(ctx context.Context, _ *gin.Context, acc account.Acting) (any, error) {
	url, err := a.Plans.Portal(ctx, acc.ID)
	return map[string]string{"url": url}, err
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
func (a *API) RegisterWebhook(r gin.IRoutes) {
	r.POST(WebhookPath, httpd.LimitPerMinute(EventsPerMinute, a.problem), httpd.Handle(a.receive, a.problem))
}

func (a *API) receive(ctx context.Context, c *gin.Context) error {
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
