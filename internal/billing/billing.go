// Package billing manages the plans of accounts: chosen by the owner, paid through
// Stripe, or set by the operator.
package billing

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// A Provider collects payments. It has its own ids for customers and
// subscriptions.
type Provider interface {
	// Introduce adds an account and returns the customer's id.
	Introduce(ctx context.Context, a account.Account) (customer string, err error)
	// Checkout returns the URL of a page to start paying for a plan, and closes
	// earlier ones. Without such a customer the error is of kind
	// registry.ErrNotFound.
	Checkout(ctx context.Context, customer string, p *account.Plan) (url string, err error)
	// Portal returns the URL of a page to change the payment method, see
	// invoices and cancel.
	Portal(ctx context.Context, customer string) (url string, err error)
	// Forget deletes a customer and ends its subscriptions. It ignores unknown
	// customers.
	Forget(ctx context.Context, customer string) error
	// Paid returns the subscriptions of a customer that have not ended. The
	// error is [ErrUnknownPrice] if the plan of one is unknown.
	Paid(ctx context.Context, customer string) ([]PaidSubscription, error)
	// Raise sets a more expensive plan now. The difference for the rest of the
	// period is paid at once; if that fails, nothing changes.
	Raise(ctx context.Context, s PaidSubscription, to *account.Plan) error
	// Lower sets a cheaper plan from the end of the period.
	Lower(ctx context.Context, s PaidSubscription, has, to *account.Plan) error
	// Keep reverts changes that were due at the end of the period.
	Keep(ctx context.Context, s PaidSubscription, has *account.Plan) error
	// Cancel ends a subscription at the end of its period.
	Cancel(ctx context.Context, s PaidSubscription) error
	// Event returns the customer whose subscriptions an event may have
	// changed, "" for other events. If the provider has not signed the event, or
	// too long ago, the error is of kind registry.ErrInvalid.
	Event(payload []byte, signature string) (customer string, err error)
}

// ErrUnknownPrice reports that the price of a subscription belongs to no plan.
var ErrUnknownPrice = errors.New(
	"no period or unknown price: add the id of the price to the variable of its plan")

// A PaidSubscription is a subscription of a customer at the provider.
type PaidSubscription struct {
	ID, Item string
	// Plan is the id of the plan of the subscription. If it was lowered within
	// the period, PaidPlan is still paid for until PaidUntil.
	Plan        string
	PaidPlan    string
	PaidUntil   time.Time
	PeriodEnd   time.Time
	Ends        time.Time // end of a cancelled subscription; otherwise zero
	UnpaidUntil time.Time // end of the first period whose payment failed; zero: all are paid
	Stopped     bool      // the provider no longer tries to collect the payment
}

// subscription returns the plan that s pays for at now, and the following one. ok is
// false if it pays for none.
func (s PaidSubscription) subscription(now time.Time) (sub account.Subscription, ok bool) {
	if s.Stopped {
		return sub, false
	}
	sub.Plan = s.Plan
	if s.PaidPlan != "" && s.PaidPlan != s.Plan && now.Before(s.PaidUntil) {
		sub = account.Subscription{Plan: s.PaidPlan, Until: &s.PaidUntil, Next: s.Plan}
	}
	for _, end := range []time.Time{s.Ends, s.UnpaidUntil} {
		if !end.IsZero() && (sub.Until == nil || !end.After(*sub.Until)) {
			sub.Until, sub.Next = &end, account.Basic
		}
	}
	return sub, sub.Until == nil || now.Before(*sub.Until)
}

// bestOf returns the index of the subscription with the most expensive plan at
// now, and its plan; -1 without one.
func bestOf(paid []PaidSubscription, now time.Time) (best int, sub account.Subscription) {
	best = -1
	for i, s := range paid {
		this, ok := s.subscription(now)
		if !ok {
			continue
		}
		if best < 0 || better(this, sub, now) || !better(sub, this, now) && s.ID < paid[best].ID {
			best, sub = i, this
		}
	}
	return best, sub
}

func better(a, b account.Subscription, now time.Time) bool {
	if x, y := a.At(now).USD, b.At(now).USD; x != y {
		return x > y
	}
	if a.Until == nil || b.Until == nil {
		return a.Until == nil && b.Until != nil
	}
	return a.Until.After(*b.Until)
}

// Billing manages the plans of accounts.
type Billing struct {
	Store    *people.Store
	Provider Provider // nil: only the operator sets paid plans
	Contact  string   // how to reach the operator; may be ""
	// Sales is the contact for paid plans without Provider, and Texts are the operator's
	// promises; see [account.Offer].
	Sales string
	Texts map[string][]string
	Log   *slog.Logger
	Now   func() time.Time
	// Changed is called after the owner or a payment has changed the plan of an
	// account. Nil: nothing is called.
	Changed func(ctx context.Context, account int64)

	// locks serialize the calls for a customer, and limit concurrent calls of the provider.
	locks [4]sync.Mutex
}

func (b *Billing) notify(ctx context.Context, id int64) {
	if b.Changed != nil {
		b.Changed(ctx, id)
	}
}

// setPlan sets the plan that the owner of an account has chosen.
func (b *Billing) setPlan(
	ctx context.Context, a account.Account, now time.Time, s account.Subscription,
) error {
	err := b.Store.SetPlan(ctx, account.ByOwner, now, a.ID, s)
	if err == nil && s != a.Subscription {
		b.notify(ctx, a.ID)
	}
	return err
}

// lock locks a customer in this process.
func (b *Billing) lock(ctx context.Context, id string) (unlock func(), err error) {
	h := fnv.New32a()
	h.Write([]byte(id))
	l := &b.locks[h.Sum32()%uint32(len(b.locks))]
	l.Lock()
	if err := ctx.Err(); err != nil {
		l.Unlock()
		return nil, err
	}
	return l.Unlock, nil
}

// CanPay reports whether paid plans are for sale.
func (b *Billing) CanPay() bool { return b.Provider != nil }

// Offer returns the plans for sale.
func (b *Billing) Offer() account.Offer {
	return account.Offer{Online: b.CanPay(), Contact: b.Sales, Texts: b.Texts}
}

// Pays reports whether an account pays for its plan.
func (b *Billing) Pays(ctx context.Context, account int64) (bool, error) {
	c, err := b.Store.Customer(ctx, account)
	return c.Subscription != "", err
}

// Choose sets the plan that the owner of an account has chosen, or returns the
// URL of the provider's page to complete that. Upgrades take effect at once,
// downgrades at the end of the paid period. The error is of kind
// registry.ErrConflict if paid plans are not for sale, or if the account pays for an
// unknown price.
func (b *Billing) Choose(
	ctx context.Context, a account.Account, p *account.Plan,
) (url string, err error) {
	c, err := b.Store.Customer(ctx, a.ID)
	if err != nil {
		return "", err
	}
	if b.Provider == nil && c.Subscription != "" {
		return "", registry.Errorf(registry.ErrUnavailable,
			"The plan was paid through a payment provider that is not available right now.")
	}
	if b.Provider != nil && c.ID != "" {
		url, done, err := b.change(ctx, c, p)
		if errors.Is(err, ErrUnknownPrice) {
			b.Log.Error("billing: cannot change a plan",
				"account", a.ID, "customer", c.ID, "err", err)
			return "", &registry.Error{Kind: registry.ErrConflict, Code: "unknown_price",
				Cause: err,
				Msg: b.withContact("This account pays for something other than one of our plans. " +
					"Nothing was changed. Please contact the operator")}
		}
		if done || err != nil {
			return url, err
		}
		if c.Subscription != "" { // it has ended, and change has updated the account
			a.Subscription = account.Subscription{Plan: account.Basic}
		}
	}
	return b.choose(ctx, a, p)
}

// choose is Choose for an account that does not pay for its plan.
func (b *Billing) choose(
	ctx context.Context, a account.Account, p *account.Plan,
) (url string, err error) {
	now := b.Now()
	ends := a.Until != nil && now.Before(*a.Until)
	switch {
	case p.USD == 0 && ends: // a granted plan stays until its end
		s := account.Subscription{Plan: a.Plan, Until: a.Until, Next: p.ID}
		return "", b.setPlan(ctx, a, now, s)
	case p.USD == 0:
		return "", b.setPlan(ctx, a, now, account.Subscription{Plan: p.ID})
	case b.Provider != nil:
		return b.buy(ctx, a, p, now)
	case a.At(now) == p && !ends:
		return "", nil
	}
	return "", &registry.Error{Kind: registry.ErrConflict, Code: "plans_by_operator",
		Msg: b.withContact("Paid plans are set by the operator of this registry")}
}

// withContact returns a sentence with the operator's contact.
func (b *Billing) withContact(msg string) string {
	if b.Contact != "" {
		msg += ": " + b.Contact
	}
	return msg + "."
}

// buy returns the URL of a page to start paying for a plan.
func (b *Billing) buy(
	ctx context.Context, a account.Account, p *account.Plan, now time.Time,
) (url string, err error) {
	for range 2 {
		var c account.Customer
		if c, err = b.introduce(ctx, a, now); err != nil {
			return "", err
		}
		if url, err = b.checkout(ctx, c.ID, p); !errors.Is(err, registry.ErrNotFound) {
			return url, err
		}
		// The customer was deleted at the provider.
		if err := b.Store.DropCustomer(ctx, c.ID); err != nil {
			return "", err
		}
	}
	return "", err
}

// checkout opens a checkout. It opens a customer's checkouts one at a time, because each
// closes the previous ones.
func (b *Billing) checkout(ctx context.Context, customer string, p *account.Plan) (string, error) {
	unlock, err := b.lock(ctx, customer)
	if err != nil {
		return "", err
	}
	defer unlock()
	return b.Provider.Checkout(ctx, customer, p)
}

// introduce returns the customer of an account, and adds it if missing.
func (b *Billing) introduce(
	ctx context.Context, a account.Account, now time.Time,
) (account.Customer, error) {
	unlock, err := b.lock(ctx, a.Email)
	if err != nil {
		return account.Customer{}, err
	}
	defer unlock()
	return b.Store.MakeCustomer(ctx, a.ID, now, func(ctx context.Context) (string, error) {
		return b.Provider.Introduce(ctx, a)
	})
}

// change changes the existing subscription of a customer. done is false without
// one.
func (b *Billing) change(
	ctx context.Context, c account.Customer, p *account.Plan,
) (url string, done bool, err error) {
	now := b.Now()
	paid, err := b.Provider.Paid(ctx, c.ID)
	if err != nil {
		return "", false, err
	}
	best, sub := bestOf(paid, now)
	if best < 0 {
		if len(paid) > 0 && p.USD > 0 { // open invoices come first
			url, err = b.Provider.Portal(ctx, c.ID)
			return url, true, err
		}
		return "", false, b.settle(ctx, account.ByOwner, c.ID)
	}
	s, has := paid[best], sub.At(now)
	switch {
	case p.USD == 0:
		for _, s := range paid { // two, if two checkouts were completed
			if err := b.Provider.Cancel(ctx, s); err != nil {
				return "", false, err
			}
		}
	case !s.UnpaidUntil.IsZero():
		url, err = b.Provider.Portal(ctx, c.ID)
		return url, true, err
	case p == has:
		err = b.Provider.Keep(ctx, s, has)
	case p.USD > has.USD:
		err = b.Provider.Raise(ctx, s, p)
	default:
		err = b.Provider.Lower(ctx, s, has, p)
	}
	if err != nil {
		return "", false, err
	}
	return "", true, b.settle(ctx, account.ByOwner, c.ID)
}

// Portal returns the URL of the provider's page to manage payment. For an
// account that never paid the error is of kind registry.ErrConflict.
func (b *Billing) Portal(ctx context.Context, account int64) (url string, err error) {
	c, err := b.Store.Customer(ctx, account)
	if err != nil {
		return "", err
	}
	if b.Provider == nil || c.ID == "" {
		return "", &registry.Error{Kind: registry.ErrConflict, Code: "nothing_paid",
			Msg: "This account has no payments to manage."}
	}
	return b.Provider.Portal(ctx, c.ID)
}

// Receive handles an event of the provider. It reads only the customer from the event
// and fetches the current state, because events may arrive twice, late and in any order.
func (b *Billing) Receive(ctx context.Context, payload []byte, signature string) error {
	if b.Provider == nil {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this URL.")
	}
	customer, err := b.Provider.Event(payload, signature)
	if err != nil || customer == "" {
		return err
	}
	err = b.settle(ctx, account.ByPayment, customer)
	if errors.Is(err, ErrUnknownPrice) {
		b.Log.Error("billing: cannot handle an event", "customer", customer, "err", err)
		return &registry.Error{Kind: registry.ErrConflict, Code: "unknown_price", Cause: err,
			Msg: "The price of the subscription is not one of our plans. Nothing was changed. " +
				"Correct the configured prices, then send the event again."}
	}
	return err
}

// settle sets the plan of a customer's account to that at the provider.
func (b *Billing) settle(ctx context.Context, actor, customer string) error {
	unlock, err := b.lock(ctx, customer)
	if err != nil {
		return err
	}
	defer unlock()
	now := b.Now().UTC().Truncate(time.Microsecond)
	ask := func(ctx context.Context) (string, account.Subscription, error) {
		paid, err := b.Provider.Paid(ctx, customer)
		if err != nil {
			return "", account.Subscription{}, err
		}
		best, sub := bestOf(paid, now)
		if best < 0 {
			return "", account.Subscription{}, nil
		}
		if len(paid) > 1 {
			b.Log.Warn("billing: a customer has several subscriptions: cancel and refund all but one",
				"customer", customer, "subscriptions", len(paid))
		}
		return paid[best].ID, sub, nil
	}
	changed, err := b.Store.Settle(ctx, actor, customer, now, ask)
	if changed != 0 {
		b.notify(ctx, changed)
		b.Log.Info("billing: plan changed", "customer", customer, "by", actor)
	}
	return err
}

const (
	sweepEvery = time.Minute
	checkEvery = 24 * time.Hour // each customer
	maxSweep   = 100            // customers in one sweep
)

// Run calls [Billing.Sweep] every minute until ctx is done, and returns the
// error of ctx.
func (b *Billing) Run(ctx context.Context) error {
	failing := false
	for {
		err := b.Sweep(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !failing {
			b.Log.Error("billing: sweep failed, retrying", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sweepEvery):
		}
	}
}

// Sweep deletes the customers of deleted accounts at the provider, and settles
// the others once a day in case events were lost. Only one process sweeps at a time.
func (b *Billing) Sweep(ctx context.Context) error {
	if b.Provider == nil {
		return nil
	}
	release, ok, err := b.Store.TryLock(ctx, "billing")
	if err != nil || !ok {
		return err
	}
	defer release()
	former, err := b.Store.FormerCustomers(ctx, maxSweep)
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range former {
		if err := b.Provider.Forget(ctx, id); err != nil {
			failed = append(failed, err)
		} else if err := b.Store.ForgetCustomer(ctx, id); err != nil {
			return err
		}
	}
	ids, err := b.Store.CustomersToCheck(ctx, b.Now().Add(-checkEvery), maxSweep)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := b.settle(ctx, account.ByPayment, id); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
