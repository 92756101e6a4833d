package accounts

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// Plans is how accounts come to their plans.
type Plans interface {
	// CanPay reports whether paid plans can be bought here.
	CanPay() bool
	// Pays reports whether an account pays for its plan.
	Pays(ctx context.Context, account int64) (bool, error)
	// Choose gives an account a plan, or returns the address of the page where
	// it is paid for.
	Choose(ctx context.Context, a account.Account, p *account.Plan) (url string, err error)
	// Portal returns the address of the page where payment is managed.
	Portal(ctx context.Context, account int64) (url string, err error)
	// Receive takes an event of the payment provider with its signature.
	Receive(ctx context.Context, payload []byte, signature string) error
}

// planRoutes are those below /account/api/plan.
func (a *API) planRoutes() []route {
	return []route{
		{"GET", "/plan", a.showPlan},
		{"POST", "/plan", a.choosePlan},
		{"POST", "/plan/portal", a.openPortal},
	}
}

// A shownChoice is the plan of an account and what it could be.
type shownChoice struct {
	Plan   string      `json:"plan"`
	Until  *time.Time  `json:"until"` // when next takes over
	Next   *string     `json:"next"`
	Pays   bool        `json:"pays"`   // through the payment provider
	CanPay bool        `json:"canPay"` // paid plans can be bought here
	Plans  []shownPlan `json:"plans"`
	// CheckoutURL is where the choice is completed, null if it is complete.
	CheckoutURL *string `json:"checkoutUrl"`
}

// A shownPlan is a plan as /v1/plans shows it too.
type shownPlan struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	USD             int           `json:"priceUsd"`        // of a month
	RequestsPerDay  *int          `json:"requestsPerDay"`  // nil: unlimited
	RequestsPerHour *int          `json:"requestsPerHour"` // nil: unlimited
	Features        shownFeatures `json:"features"`
	Includes        []string      `json:"includes"`
}

type shownFeatures struct {
	Analytics bool `json:"analytics"`
	Bulk      bool `json:"bulk"`
	Custom    bool `json:"customEndpoints"`
}

func shownPlans() []shownPlan {
	list := make([]shownPlan, len(account.Plans))
	for i, p := range account.Plans {
		list[i] = shownPlan{
			ID: p.ID, Name: p.Name, USD: p.USD, RequestsPerDay: limit(p.Daily), RequestsPerHour: limit(p.Hourly),
			Features: shownFeatures{p.Analytics, p.Bulk, p.Custom}, Includes: p.Includes,
		}
	}
	return list
}

// limit returns nil for 0, which stands for none in a plan.
func limit(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (a *API) shownChoice(ctx context.Context, acc account.Account) (shownChoice, error) {
	pays, err := a.Plans.Pays(ctx, acc.ID)
	s := a.shown(acc)
	return shownChoice{Plan: s.Plan, Until: s.PlanUntil, Next: s.PlanNext, Pays: pays, CanPay: a.Plans.CanPay(), Plans: shownPlans()}, err
}

func (a *API) showPlan(ctx context.Context, c *gin.Context) (reply, error) {
	acc, err := a.signedIn(ctx, c)
	if err != nil {
		return reply{}, err
	}
	s, err := a.shownChoice(ctx, acc)
	return reply{http.StatusOK, s}, err
}

func (a *API) choosePlan(ctx context.Context, c *gin.Context) (reply, error) {
	acc, err := a.signedIn(ctx, c)
	if err != nil {
		return reply{}, err
	}
	var b struct {
		Plan *string `json:"plan"`
	}
	if err := readJSON(c, &b); err != nil {
		return reply{}, err
	}
	if b.Plan == nil {
		return reply{}, &registry.Error{Kind: registry.ErrMissing, Msg: "Say which plan.",
			Fields: []registry.FieldError{{Field: "plan", Message: "is needed"}}}
	}
	p := account.PlanNamed(*b.Plan)
	if p == nil {
		ids := account.PlansWith(func(*account.Plan) bool { return true })
		return reply{}, registry.Invalid("plan", "must be one of %s", strings.Join(ids, ", "))
	}
	url, err := a.Plans.Choose(ctx, acc, p)
	if err != nil {
		return reply{}, err
	}
	if acc, err = a.signedIn(ctx, c); err != nil { // as it is now
		return reply{}, err
	}
	s, err := a.shownChoice(ctx, acc)
	if url != "" {
		s.CheckoutURL = &url
	}
	return reply{http.StatusOK, s}, err
}

func (a *API) openPortal(ctx context.Context, c *gin.Context) (reply, error) {
	acc, err := a.signedIn(ctx, c)
	if err != nil {
		return reply{}, err
	}
	url, err := a.Plans.Portal(ctx, acc.ID)
	return reply{http.StatusOK, struct {
		URL string `json:"url"`
	}{url}}, err
}

// WebhookPath is where the payment provider sends its events.
const WebhookPath = "/webhooks/stripe"

// maxEvent is the size of the largest event that is read.
const maxEvent = 512 << 10

// RegisterWebhook adds the address for the payment provider's events to r. It
// has neither a session nor a limit: what is not signed is refused.
func (a *API) RegisterWebhook(r gin.IRoutes) {
	r.POST(WebhookPath, httpd.Handle(a.receive, a.problem))
}

func (a *API) receive(ctx context.Context, c *gin.Context) error {
	signatures := c.Request.Header.Values("Stripe-Signature")
	if len(signatures) != 1 || c.Request.Body == nil {
		return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature", Msg: "An event has one header Stripe-Signature and a body."}
	}
	payload, err := io.ReadAll(io.LimitReader(c.Request.Body, maxEvent+1))
	if err != nil {
		return err
	}
	if len(payload) > maxEvent {
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", maxEvent)
	}
	if err := a.Plans.Receive(ctx, payload, signatures[0]); err != nil {
		return err // the provider sends it again
	}
	httpd.Write(c, httpd.Answer{Cache: "no-store", Body: []byte("{\"received\":true}\n")})
	return nil
}
