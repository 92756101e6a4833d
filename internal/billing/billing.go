// Package billing is how accounts come to their plans: chosen by the owner,
// paid through a provider, or set by the operator. Stripe is the provider.
package billing

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A Store keeps who pays and which plan an account has.
type Store interface {
	// Customer returns what the provider knows an account as, without an ID if
	// it does not.
	Customer(ctx context.Context, account int64) (account.Customer, error)
	// MakeCustomer is like Customer, and calls introduce once to have the
	// account known.
	MakeCustomer(ctx context.Context, account int64, now time.Time,
		introduce func(context.Context) (string, error)) (account.Customer, error)
	// Settle gives the account of a customer the plan that ask returns, with
	// the account locked meanwhile. A customer that is not known is left
	// alone.
	Settle(ctx context.Context, actor, customer string, now time.Time,
		ask func(context.Context) (string, account.Subscription, error)) (changed bool, err error)
	// SetPlan gives an account a plan. One that pays is an error of kind
	// registry.ErrConflict.
	SetPlan(ctx context.Context, actor string, now time.Time, account int64,
		s account.Subscription) error

	// DropCustomer forgets a customer whom the provider does not know any more.
	DropCustomer(ctx context.Context, id string) error
	CustomersToCheck(ctx context.Context, before time.Time, limit int) ([]string, error)
	FormerCustomers(ctx context.Context, limit int) ([]string, error)
	ForgetCustomer(ctx context.Context, id string) error
	// TryLock takes a lock that one process of the registry can have.
	TryLock(ctx context.Context, name string) (release func(), ok bool, err error)
}

// A Provider takes the money. Customers and subscriptions have IDs of its own.
type Provider interface {
	// Introduce makes an account known and returns the customer's ID.
	Introduce(ctx context.Context, a account.Account) (customer string, err error)
	// Checkout returns the address of a page where a customer can begin to pay
	// for a plan, and ends those of before. A customer who is not there any more
	// is an error of kind registry.ErrNotFound.
	Checkout(ctx context.Context, customer string, p *account.Plan) (url string, err error)
	// Portal returns the address of a page where a customer can change how to
	// pay, see invoices and cancel.
	Portal(ctx context.Context, customer string) (url string, err error)
	// Paid returns the subscriptions of a customer that are not over. If what
	// one is for cannot be known, the error is [ErrUnknownPrice].
	Paid(ctx context.Context, customer string) ([]Paid, error)
	// Raise makes to the plan of a subscription now. What it costs more for the
	// rest of the period is paid at once; if that fails, nothing changes.
	Raise(ctx context.Context, s Paid, to *account.Plan) error
	// Lower makes to the plan of a subscription from the end of the period on,
	// and has is it until then.
	Lower(ctx context.Context, s Paid, has, to *account.Plan) error
	// Keep takes back what was to change at the end of the period: has stays.
	Keep(ctx context.Context, s Paid, has *account.Plan) error
	// Cancel ends a subscription at the end of its period.
	Cancel(ctx context.Context, s Paid) error
	// Forget deletes a customer, whose subscriptions end at once. One that is
	// not there is no error.
	Forget(ctx context.Context, customer string) error
	// Event returns the customer whose subscriptions an event may have
	// changed, "" if it is about something else. An event that the provider
	// has not signed, or too long ago, is an error of kind registry.ErrInvalid.
	Event(payload []byte, signature string) (customer string, err error)
}

// ErrUnknownPrice says that a subscription has a price that no plan has.
var ErrUnknownPrice = errors.New(
	"it has no price that a plan has, or no period: add the price's ID to the variable of its plan")

// A Paid is a subscription of a customer as the provider has it.
type Paid struct {
	ID, Item string
	// Plan is the one that is paid for: in this period, or, if the customer
	// went down within it, from PaidUntil on and PaidPlan before.
	Plan      string
	PaidPlan  string
	PaidUntil time.Time
	PeriodEnd time.Time
	Ends      time.Time // it was cancelled and ends then; zero: it goes on
	// UnpaidUntil is the end of the first period that a payment failed for;
	// zero: all are paid.
	UnpaidUntil time.Time
	// Stopped says that the provider has given up to collect the money, but
	// will take it.
	Stopped bool
}

// subscription returns the plan that s gives at now and what follows. ok is
// false if it gives none.
func (s Paid) subscription(now time.Time) (sub account.Subscription, ok bool) {
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

// inForce returns the subscription that gives the most at now, and what it
// gives; -1 if none does.
func inForce(paid []Paid, now time.Time) (best int, sub account.Subscription) {
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

// Billing gives accounts their plans.
type Billing struct {
	Store    Store
	Provider Provider // nil: only the operator gives paid plans
	Contact  string   // how to reach the operator; may be ""
	Log      *slog.Logger
	Now      func() time.Time

	// While the provider answers, the store's connection and the account's row
	// are held. So only a few may ask at once: a provider that is slow must not
	// take all connections.
	turns [4]sync.Mutex
}

// turn waits until it is the customer's turn, and returns what ends it.
func (b *Billing) turn(ctx context.Context, id string) (done func(), err error) {
	h := fnv.New32a()
	h.Write([]byte(id))
	t := &b.turns[h.Sum32()%uint32(len(b.turns))]
	t.Lock()
	if err := ctx.Err(); err != nil { // it took too long
		t.Unlock()
		return nil, err
	}
	return t.Unlock, nil
}

// CanPay reports whether paid plans can be bought.
func (b *Billing) CanPay() bool { return b.Provider != nil }

// Pays reports whether an account pays for its plan.
func (b *Billing) Pays(ctx context.Context, account int64) (bool, error) {
	c, err := b.Store.Customer(ctx, account)
	return c.Subscription != "", err
}

// Choose gives an account the plan that its owner has chosen, or returns the
// address of the provider's page where that is completed. More takes effect at
// once, less at the end of the period that is paid. A paid plan that cannot be
// bought here is an error of kind registry.ErrConflict, and so is any plan if
// it is not known what the account pays for.
func (b *Billing) Choose(
	ctx context.Context, a account.Account, p *account.Plan,
) (url string, err error) {
	c, err := b.Store.Customer(ctx, a.ID)
	if err != nil {
		return "", err
	}
	switch {
	case b.Provider != nil && c.ID != "":
		url, done, err := b.change(ctx, c, p)
		if errors.Is(err, ErrUnknownPrice) {
			b.Log.Error("billing: a plan cannot be changed", "account", a.ID, "customer", c.ID,
				"err", err)
			msg := "Something is paid for this account that this registry does not know, so its plan cannot be changed here. Nothing was changed. Please write to the operator"
			if b.Contact != "" {
				msg += ": " + b.Contact
			}
			return "", &registry.Error{Kind: registry.ErrConflict, Code: "unknown_price", Msg: msg,
				Cause: err}
		}
		if done || err != nil {
			return url, err
		}
		if c.Subscription != "" { // it has ended meanwhile, and the account was settled
			a.Subscription = account.Subscription{Plan: account.Basic}
		}
	case c.Subscription != "":
		return "", registry.Errorf(registry.ErrUnavailable,
			"The plan was paid through a provider that this registry is not connected to just now.")
	}
	now := b.Now()
	switch {
	case p.USD == 0:
		s := account.Subscription{Plan: p.ID}
		if a.Until != nil && now.Before(*a.Until) {
			// what was granted until then stays
			s = account.Subscription{Plan: a.Plan, Until: a.Until, Next: p.ID}
		}
		return "", b.Store.SetPlan(ctx, account.ByOwner, now, a.ID, s)
	case b.Provider == nil && a.At(now) == p && (a.Until == nil || !now.Before(*a.Until)):
		return "", nil
	case b.Provider == nil:
		msg := "The operator of this registry sets paid plans; they cannot be bought here."
		if b.Contact != "" {
			msg = "The operator of this registry sets paid plans; write to " + b.Contact + "."
		}
		return "", &registry.Error{Kind: registry.ErrConflict, Code: "plans_by_operator", Msg: msg}
	}
	if c, err = b.introduce(ctx, a, now); err != nil {
		return "", err
	}
	url, err = b.checkout(ctx, c.ID, p)
	if !errors.Is(err, registry.ErrNotFound) {
		return url, err
	}
	// Somebody deleted the customer at the provider.
	if err := b.Store.DropCustomer(ctx, c.ID); err != nil {
		return "", err
	}
	if c, err = b.introduce(ctx, a, now); err != nil {
		return "", err
	}
	return b.checkout(ctx, c.ID, p)
}

// checkout begins a checkout, one of a customer after the other: each ends
// those before.
func (b *Billing) checkout(ctx context.Context, customer string, p *account.Plan) (string, error) {
	done, err := b.turn(ctx, customer)
	if err != nil {
		return "", err
	}
	defer done()
	return b.Provider.Checkout(ctx, customer, p)
}

// introduce returns the customer that an account is, made if need be.
func (b *Billing) introduce(
	ctx context.Context, a account.Account, now time.Time,
) (account.Customer, error) {
	done, err := b.turn(ctx, a.Email)
	if err != nil {
		return account.Customer{}, err
	}
	defer done()
	return b.Store.MakeCustomer(ctx, a.ID, now,
		func(ctx context.Context) (string, error) { return b.Provider.Introduce(ctx, a) })
}

// change changes the subscription that a customer has. done is false if there
// is none.
func (b *Billing) change(
	ctx context.Context, c account.Customer, p *account.Plan,
) (url string, done bool, err error) {
	now := b.Now()
	paid, err := b.Provider.Paid(ctx, c.ID)
	if err != nil {
		return "", false, err
	}
	best, sub := inForce(paid, now)
	if best < 0 {
		if len(paid) > 0 && p.USD > 0 { // what is owed comes first
			url, err = b.Provider.Portal(ctx, c.ID)
			return url, true, err
		}
		return "", false, b.settle(ctx, account.ByOwner, c.ID)
	}
	s, has := paid[best], sub.At(now)
	switch {
	case p.USD == 0:
		for _, s := range paid { // two, if two pages were completed
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

// Portal returns the address of the provider's page where an account's owner
// can change how to pay. An account that never paid is an error of kind
// registry.ErrConflict.
func (b *Billing) Portal(ctx context.Context, account int64) (url string, err error) {
	c, err := b.Store.Customer(ctx, account)
	if err != nil {
		return "", err
	}
	if b.Provider == nil || c.ID == "" {
		return "", &registry.Error{Kind: registry.ErrConflict, Code: "nothing_paid",
			Msg: "The account has not paid for anything, so there is nothing to manage."}
	}
	return b.Provider.Portal(ctx, c.ID)
}

// Receive takes an event of the provider. Whatever it says, the provider is
// asked what is true now: events may come twice, late and in any order.
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
		b.Log.Error("billing: an event changes nothing", "customer", customer, "err", err)
		return &registry.Error{Kind: registry.ErrConflict, Code: "unknown_price", Cause: err,
			Msg: "What is paid for is none of this registry's plans, so nothing was changed. The operator has to put the prices right; then the event can be sent again."}
	}
	return err
}

// settle gives the customer's account the plan that the provider says.
func (b *Billing) settle(ctx context.Context, actor, customer string) error {
	done, err := b.turn(ctx, customer)
	if err != nil {
		return err
	}
	defer done()
	now := b.Now().UTC().Truncate(time.Microsecond)
	changed, err := b.Store.Settle(ctx, actor, customer, now,
		func(ctx context.Context) (string, account.Subscription, error) {
			paid, err := b.Provider.Paid(ctx, customer)
			if err != nil {
				return "", account.Subscription{}, err
			}
			best, sub := inForce(paid, now)
			if best < 0 {
				return "", account.Subscription{}, nil
			}
			if len(paid) > 1 {
				b.Log.Warn("billing: a customer has several subscriptions; cancel and refund those that are too many", "customer", customer, "subscriptions", len(paid))
			}
			return paid[best].ID, sub, nil
		})
	if changed {
		b.Log.Info("billing: plan changed", "customer", customer, "by", actor)
	}
	return err
}

const (
	sweepEach  = time.Minute
	checkAfter = 24 * time.Hour
	atOnce     = 100
)

// Run deletes the customers of deleted accounts at the provider, and asks it
// daily about the others, in case events were lost, until ctx is done, whose
// error it returns. Of all processes one does it.
func (b *Billing) Run(ctx context.Context) error {
	failing := false
	for {
		err := b.Sweep(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !failing {
			b.Log.Error("billing: not everything is settled, trying again", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sweepEach):
		}
	}
}

// Sweep does once what [Billing.Run] does again and again.
func (b *Billing) Sweep(ctx context.Context) error {
	if b.Provider == nil {
		return nil
	}
	release, ok, err := b.Store.TryLock(ctx, "billing")
	if err != nil || !ok {
		return err
	}
	defer release()
	former, err := b.Store.FormerCustomers(ctx, atOnce)
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
	ids, err := b.Store.CustomersToCheck(ctx, b.Now().Add(-checkAfter), atOnce)
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
