package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// StripeOptions configure Stripe.
type StripeOptions struct {
	Key           string // secret or restricted API key
	WebhookSecret string // of the endpoint that Stripe sends events to
	// Prices are the ids of the monthly prices of each paid plan, by the plan's
	// id. New subscriptions get the first one.
	Prices  map[string][]string
	BaseURL string // of this registry, to return to
	URL     string // of the API; "": Stripe's own
}

// Stripe is the [Provider] Stripe.
type Stripe struct {
	StripeOptions
	client *stripe.Client
}

// requestTimeout is the timeout of a request to Stripe, which is retried once.
const requestTimeout = 10 * time.Second

// NewStripe returns a provider. It fails if an option is missing.
func NewStripe(o StripeOptions) (*Stripe, error) {
	if o.Key == "" || o.WebhookSecret == "" {
		return nil, errors.New("Stripe needs a key and the secret of its webhook endpoint")
	}
	seen := map[string]string{}
	for _, p := range account.Plans {
		if p.USD > 0 && len(o.Prices[p.ID]) == 0 {
			return nil, fmt.Errorf("Stripe needs the id of the price of the plan %s", p.ID)
		}
		for _, id := range o.Prices[p.ID] {
			if other, ok := seen[id]; ok {
				return nil, fmt.Errorf("the plans %[2]s and %[3]s have the same price %[1]s", id, other, p.ID)
			}
			seen[id] = p.ID
		}
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	c := &stripe.BackendConfig{
		EnableTelemetry: stripe.Bool(false), HTTPClient: &http.Client{Timeout: requestTimeout},
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, MaxNetworkRetries: stripe.Int64(1),
	}
	if o.URL != "" {
		c.URL = stripe.String(strings.TrimSuffix(o.URL, "/"))
	}
	return &Stripe{o, stripe.NewClient(o.Key, stripe.WithBackends(stripe.NewBackendsWithConfig(c)))}, nil
}

// Introduce implements [Provider].
func (s *Stripe) Introduce(ctx context.Context, a account.Account) (string, error) {
	p := &stripe.CustomerCreateParams{Email: stripe.String(a.Email)}
	p.AddMetadata("census_account", strconv.FormatInt(a.ID, 10))
	c, err := s.client.V1Customers.Create(ctx, p)
	if err != nil {
		return "", s.failed("create a customer", err)
	}
	return c.ID, nil
}

// Checkout implements [Provider]. It expires open sessions, so that a customer
// does not pay twice.
func (s *Stripe) Checkout(ctx context.Context, customer string, plan *account.Plan) (string, error) {
	open := &stripe.CheckoutSessionListParams{
		Customer: stripe.String(customer), Status: stripe.String(string(stripe.CheckoutSessionStatusOpen)),
	}
	open.Limit = stripe.Int64(100)
	for c, err := range s.client.V1CheckoutSessions.List(ctx, open).All(ctx) {
		if missing(err) {
			break // no such customer: Create fails with that
		} else if err != nil {
			return "", s.failed("list checkouts", err)
		}
		if _, err := s.client.V1CheckoutSessions.Expire(ctx, c.ID, nil); err != nil {
			return "", s.failed("expire a checkout", err) // it may be being paid
		}
	}
	p := &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String(stripe.CheckoutSessionModeSubscription), Customer: stripe.String(customer),
		LineItems: []*stripe.CheckoutSessionCreateLineItemParams{
			{Price: stripe.String(s.Prices[plan.ID][0]), Quantity: stripe.Int64(1)},
		},
		SuccessURL: stripe.String(s.BaseURL + "/account?checkout=done"),
		CancelURL:  stripe.String(s.BaseURL + "/account?checkout=cancelled"),
	}
	c, err := s.client.V1CheckoutSessions.Create(ctx, p)
	if e, ok := errors.AsType[*stripe.Error](err); ok && missing(err) && e.Param == "customer" {
		return "", registry.Wrap(registry.ErrNotFound, err, "This customer does not exist at the payment provider.")
	}
	if err != nil {
		return "", s.failed("create a checkout", err)
	}
	if c.URL == "" {
		return "", s.failed("create a checkout", errors.New("the session has no URL"))
	}
	return c.URL, nil
}

// Portal implements [Provider].
func (s *Stripe) Portal(ctx context.Context, customer string) (string, error) {
	p := &stripe.BillingPortalSessionCreateParams{
		Customer: stripe.String(customer), ReturnURL: stripe.String(s.BaseURL + "/account"),
	}
	c, err := s.client.V1BillingPortalSessions.Create(ctx, p)
	if err != nil {
		return "", s.failed("open the customer portal", err)
	}
	return c.URL, nil
}

// Metadata of a subscription that was lowered within a period.
const (
	metaPaidPlan  = "census_paid_plan"
	metaPaidUntil = "census_paid_until" // in Unix seconds
)

// Paid implements [Provider].
func (s *Stripe) Paid(ctx context.Context, customer string) ([]PaidSubscription, error) {
	p := &stripe.SubscriptionListParams{Customer: stripe.String(customer)} // excludes canceled ones
	p.Limit = stripe.Int64(100)
	var all []PaidSubscription
	for sub, err := range s.client.V1Subscriptions.List(ctx, p).All(ctx) {
		if missing(err) {
			return nil, nil
		} else if err != nil {
			return nil, s.failed("list subscriptions", err)
		}
		switch sub.Status {
		case stripe.SubscriptionStatusCanceled, stripe.SubscriptionStatusIncomplete,
			stripe.SubscriptionStatusIncompleteExpired:
			continue // ended, or never started
		}
		paid, err := s.paid(ctx, sub)
		if err != nil {
			return nil, err
		}
		all = append(all, paid)
	}
	return all, nil
}

func (s *Stripe) paid(ctx context.Context, sub *stripe.Subscription) (PaidSubscription, error) {
	p := PaidSubscription{ID: sub.ID, PaidPlan: sub.Metadata[metaPaidPlan]}
	if n, err := strconv.ParseInt(sub.Metadata[metaPaidUntil], 10, 64); err == nil {
		p.PaidUntil = time.Unix(n, 0).UTC()
	}
	if sub.Items != nil {
		for _, item := range sub.Items.Data {
			if plan := s.planOf(item.Price); plan != "" {
				p.Plan, p.Item, p.PeriodEnd = plan, item.ID, moment(item.CurrentPeriodEnd)
			}
		}
	}
	if p.Plan == "" || p.PeriodEnd.IsZero() {
		return p, fmt.Errorf("subscription %s: %w", sub.ID, ErrUnknownPrice)
	}
	switch {
	case sub.CancelAt != 0:
		p.Ends = moment(sub.CancelAt)
	case sub.CancelAtPeriodEnd:
		p.Ends = p.PeriodEnd
	}
	switch sub.Status {
	case stripe.SubscriptionStatusActive, stripe.SubscriptionStatusTrialing:
	case stripe.SubscriptionStatusPastDue:
		until, err := s.unpaidUntil(ctx, sub.ID)
		if err != nil {
			return p, err
		}
		if p.UnpaidUntil = until; until.IsZero() || until.After(p.PeriodEnd) {
			p.UnpaidUntil = p.PeriodEnd
		}
	default: // unpaid, paused, and future statuses
		p.Stopped = true
	}
	return p, nil
}

// unpaidUntil returns the end of the first period with an open invoice of a
// subscription.
func (s *Stripe) unpaidUntil(ctx context.Context, sub string) (first time.Time, err error) {
	p := &stripe.InvoiceListParams{
		Subscription: stripe.String(sub), Status: stripe.String(string(stripe.InvoiceStatusOpen)),
	}
	p.Limit = stripe.Int64(100)
	for inv, err := range s.client.V1Invoices.List(ctx, p).All(ctx) {
		if err != nil {
			return first, s.failed("list invoices", err)
		}
		var end time.Time
		if inv.Lines != nil {
			for _, l := range inv.Lines.Data {
				if l.Period != nil && moment(l.Period.End).After(end) {
					end = moment(l.Period.End)
				}
			}
		}
		if !end.IsZero() && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first, nil
}

func (s *Stripe) planOf(p *stripe.Price) string {
	if p == nil {
		return ""
	}
	for plan, ids := range s.Prices {
		if slices.Contains(ids, p.ID) {
			return plan
		}
	}
	return ""
}

func moment(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

// Raise implements [Provider].
func (s *Stripe) Raise(ctx context.Context, sub PaidSubscription, to *account.Plan) error {
	p := s.priced(sub, to)
	p.ProrationBehavior, p.PaymentBehavior = stripe.String("always_invoice"), stripe.String("error_if_incomplete")
	return s.update(ctx, "raise a subscription", sub, p)
}

// Lower implements [Provider]. It changes the price at once without a refund;
// the metadata has the plan that is paid for until the period ends.
func (s *Stripe) Lower(ctx context.Context, sub PaidSubscription, has, to *account.Plan) error {
	p := s.priced(sub, to)
	p.ProrationBehavior = stripe.String("none")
	p.Metadata = map[string]string{
		metaPaidPlan: has.ID, metaPaidUntil: strconv.FormatInt(sub.PeriodEnd.Unix(), 10),
	}
	return s.update(ctx, "lower a subscription", sub, p)
}

// Keep implements [Provider].
func (s *Stripe) Keep(ctx context.Context, sub PaidSubscription, has *account.Plan) error {
	p := s.priced(sub, has)
	p.ProrationBehavior = stripe.String("none")
	if sub.Plan == has.ID {
		p.Items, p.ProrationBehavior = nil, nil
	}
	return s.update(ctx, "keep a subscription", sub, p)
}

// priced returns the update that sets the price of a plan and reverts pending
// changes.
func (s *Stripe) priced(sub PaidSubscription, plan *account.Plan) *stripe.SubscriptionUpdateParams {
	return &stripe.SubscriptionUpdateParams{
		Items: []*stripe.SubscriptionUpdateItemParams{
			{ID: stripe.String(sub.Item), Price: stripe.String(s.Prices[plan.ID][0])},
		},
		CancelAtPeriodEnd: stripe.Bool(false),
		Metadata:          map[string]string{metaPaidPlan: "", metaPaidUntil: ""}, // "" deletes them
	}
}

func (s *Stripe) update(ctx context.Context, what string, sub PaidSubscription,
	p *stripe.SubscriptionUpdateParams) error {
	if _, err := s.client.V1Subscriptions.Update(ctx, sub.ID, p); err != nil {
		return s.failed(what, err)
	}
	return nil
}

// Cancel implements [Provider].
func (s *Stripe) Cancel(ctx context.Context, sub PaidSubscription) error {
	p := &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(true)}
	return s.update(ctx, "cancel a subscription", sub, p)
}

// Forget implements [Provider]. Stripe keeps the invoices.
func (s *Stripe) Forget(ctx context.Context, customer string) error {
	if _, err := s.client.V1Customers.Delete(ctx, customer, nil); err != nil && !missing(err) {
		return s.failed("delete a customer", err)
	}
	return nil
}

// missing reports whether Stripe does not have the object of a request.
func missing(err error) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && (e.Code == stripe.ErrorCodeResourceMissing || e.HTTPStatusCode == http.StatusNotFound)
}

// failed returns the error for users. The text of Stripe's error is only logged.
func (s *Stripe) failed(what string, err error) error {
	e, ok := errors.AsType[*stripe.Error](err)
	if !ok {
		cause := fmt.Errorf("stripe: %s: %w", what, err)
		return registry.Wrap(registry.ErrUnavailable, cause,
			"The payment provider is not responding. Please try again.")
	}
	cause := fmt.Errorf("stripe: %s: %d %s %s: %s (request %s)",
		what, e.HTTPStatusCode, e.Type, e.Code, e.Msg, e.RequestID)
	if e.Type == stripe.ErrorTypeCard {
		return &registry.Error{Kind: registry.ErrConflict, Code: "payment_failed", Cause: cause,
			Msg: "The payment was declined and nothing was changed. " +
				"Update your payment method, then try again."}
	}
	return registry.Wrap(registry.ErrUnavailable, cause,
		"The payment provider could not process this request. Please try again.")
}

const maxEventAge = 5 * time.Minute

// subscriptionEvents are the events after which a subscription may have changed.
var subscriptionEvents = map[stripe.EventType]bool{
	stripe.EventTypeCheckoutSessionCompleted: true, stripe.EventTypeCheckoutSessionAsyncPaymentSucceeded: true,
	stripe.EventTypeCustomerSubscriptionCreated: true, stripe.EventTypeCustomerSubscriptionUpdated: true,
	stripe.EventTypeCustomerSubscriptionDeleted: true, stripe.EventTypeCustomerSubscriptionPaused: true,
	stripe.EventTypeCustomerSubscriptionResumed: true,
	stripe.EventTypeInvoicePaid:                 true, stripe.EventTypeInvoicePaymentFailed: true,
}

// Event implements [Provider]. It reads only the customer, so that the API version of
// the event does not matter.
func (s *Stripe) Event(payload []byte, signature string) (string, error) {
	if err := webhook.ValidatePayloadWithTolerance(payload, signature, s.WebhookSecret, maxEventAge); err != nil {
		return "", &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature", Cause: err,
			Msg: "The signature does not match this endpoint's secret, or is older than 5 minutes."}
	}
	var e struct {
		Type stripe.EventType
		Data struct {
			Object struct{ Customer json.RawMessage }
		}
	}
	if json.Unmarshal(payload, &e) != nil || !subscriptionEvents[e.Type] {
		return "", nil
	}
	var id string
	if json.Unmarshal(e.Data.Object.Customer, &id) != nil {
		var expanded struct{ ID string }
		_ = json.Unmarshal(e.Data.Object.Customer, &expanded)
		id = expanded.ID
	}
	return id, nil
}
