package billing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	pages "mcpcensus/web/account"
)

// A fixture is a registry that sells plans at a fake of Stripe.
type fixture struct {
	*billing.Billing
	t      testing.TB
	db     *people.Store
	url    string
	stripe *fakeStripe
}

func newShop(t testing.TB) *fixture {
	t.Helper()
	registry, f := pgtest.New(t), newFakeStripe(t)
	db := people.New(registry)
	return &fixture{&billing.Billing{Store: db, Provider: f.provider(),
		Log: slog.New(slog.DiscardHandler), Now: f.clock}, t, db, registry.URL(), f}
}

var signedUp int

func (s *fixture) account() account.Account {
	s.t.Helper()
	signedUp++
	email := fmt.Sprintf("p%d@example.com", signedUp)
	l, _, err := s.db.SignUp(s.t.Context(), account.Login{Account: account.Account{Email: email}},
		email, account.ByOwner, "", s.stripe.clock())
	if err != nil {
		s.t.Fatal(err)
	}
	return l.Account
}

func (s *fixture) again(a account.Account) account.Account {
	s.t.Helper()
	l, err := s.db.Account(s.t.Context(), a.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return l.Account
}

func (s *fixture) customer(a account.Account) account.Customer {
	s.t.Helper()
	c, err := s.db.Customer(s.t.Context(), a.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *fixture) deliver(events ...[]byte) {
	s.t.Helper()
	for _, e := range events {
		if err := s.Receive(s.t.Context(), e, sign(e, time.Now(), secret)); err != nil {
			s.t.Fatalf("%s: %v", e, err)
		}
	}
}

func (s *fixture) choose(a account.Account, plan string) string {
	s.t.Helper()
	url, err := s.Choose(s.t.Context(), s.again(a), account.PlanNamed(plan))
	if err != nil {
		s.t.Fatalf("choose %s: %v", plan, err)
	}
	return url
}

// subscribed returns an account that pays for a plan.
func (s *fixture) subscribed(price string) (account.Account, *fakeSub) {
	s.t.Helper()
	a := s.account()
	s.choose(a, "professional")
	sub := s.stripe.pay(s.customer(a).ID, price)
	s.deliver(s.stripe.take()...)
	return a, sub
}

func (s *fixture) has(a account.Account, want string) {
	s.t.Helper()
	now := s.stripe.clock()
	sub := s.again(a).Subscription
	got := sub.At(now).ID
	if sub.Until != nil && now.Before(*sub.Until) {
		got += fmt.Sprintf(" for %v days, then %s", sub.Until.Sub(now).Hours()/24,
			sub.At(*sub.Until).ID)
	}
	if got != want {
		s.t.Errorf("the account has %q, want %q", got, want)
	}
}

func TestChoose(t *testing.T) {
	s := newShop(t)
	a := s.account()
	if url := s.choose(a, "basic"); url != "" {
		t.Errorf("a free plan is paid at %s", url)
	}
	if c := s.customer(a); c.ID != "" {
		t.Errorf("who chose a free plan is customer %s", c.ID)
	}
	if url := s.choose(a, "professional"); url != "https://checkout.example/"+pricePro {
		t.Errorf("checkout at %q", url)
	}
	s.has(a, "basic") // nothing is paid yet
	c := s.customer(a)
	if s.choose(a, "enterprise"); s.customer(a).ID != c.ID {
		t.Error("a second customer was made")
	}
	sub := s.stripe.pay(c.ID, pricePro)
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")

	s.stripe.pass(10*24*time.Hour, true)
	if url := s.choose(a, "enterprise"); url != "" || sub.price != priceEnt {
		t.Errorf("raised at %q, price %s", url, sub.price)
	}
	s.has(a, "enterprise")
	s.choose(a, "professional")
	s.has(a, "enterprise for 20 days, then professional")
	s.choose(a, "enterprise") // thinks better of it
	s.has(a, "enterprise")
	if sub.price != priceEnt || len(sub.meta) != 0 {
		t.Errorf("price %s, metadata %v", sub.price, sub.meta)
	}
	s.choose(a, "professional")
	s.stripe.pass(20*24*time.Hour, true)
	s.has(a, "professional") // by the clock alone
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")
	s.stripe.pass(5*24*time.Hour, true)
	s.choose(a, "basic")
	s.has(a, "professional for 25 days, then basic")
	s.choose(a, "professional")
	s.has(a, "professional")
	s.choose(a, "basic")
	s.stripe.pass(25*24*time.Hour, true)
	s.has(a, "basic") // before any event
	s.deliver(s.stripe.take()...)
	s.has(a, "basic")
	if c := s.customer(a); c.Subscription != "" || sub.status != "canceled" {
		t.Errorf("afterwards: %+v, %s", c, sub.status)
	}
	if url := s.choose(a, "enterprise"); url != "https://checkout.example/"+priceEnt {
		t.Errorf("bought again at %q", url)
	}
}

// Who begins to pay twice has one page where that can be ended.
func TestCheckoutExpiresEarlierOnes(t *testing.T) {
	s := newShop(t)
	a := s.account()
	s.choose(a, "professional")
	other := s.account()
	s.choose(other, "professional")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { s.choose(a, "enterprise") })
	}
	wg.Wait()
	open := map[string]int{}
	for _, customer := range s.stripe.checkouts {
		open[customer]++
	}
	if len(open) != 2 || open[s.customer(a).ID] != 1 || open[s.customer(other).ID] != 1 {
		t.Errorf("open checkouts by customer: %v", open)
	}
}

// A former price in metadata must not come back after its time.
func TestLowerLongAgo(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(priceEnt)
	s.choose(a, "professional")
	s.stripe.pass(month, true)
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")
	s.choose(a, "professional") // keeps what is
	if sub.price != pricePro || len(sub.meta) != 0 {
		t.Errorf("price %s, metadata %v", sub.price, sub.meta)
	}
	s.has(a, "professional")
}

func TestFailedPayment(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.pass(month, false)
	s.deliver(s.stripe.take()...)
	s.has(a, "professional for 30 days, then basic")
	if url := s.choose(a, "enterprise"); url != "https://portal.example/"+sub.customer {
		t.Errorf("who owes is sent to %q", url)
	}
	s.stripe.change(sub, func() { sub.status, sub.owes = "active", nil }) // paid after all
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")

	s.stripe.pass(month, false)
	s.deliver(s.stripe.take()...)
	s.has(a, "professional for 30 days, then basic")
	s.stripe.pass(month, false) // nor in the next period: the first that is not paid counts
	s.has(a, "basic")
	s.deliver(s.stripe.take()...)
	s.has(a, "basic")

	s.stripe.change(sub, func() { sub.status = "unpaid" })
	s.deliver(s.stripe.take()...)
	s.has(a, "basic")
	if url := s.choose(a, "professional"); url != "https://portal.example/"+sub.customer {
		t.Errorf("a second subscription beside one that is owed for: %q", url)
	}
	s.stripe.change(sub, func() { sub.status, sub.owes = "active", nil })
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")
}

func TestDeclinedCard(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.declines = true
	_, err := s.Choose(t.Context(), s.again(a), account.PlanNamed("enterprise"))
	e, ok := errors.AsType[*registry.Error](err)
	if !ok || !errors.Is(err, registry.ErrConflict) || e.Code != "payment_failed" ||
		strings.Contains(e.Msg, "fake") {
		t.Errorf("%v", err)
	}
	s.has(a, "professional")
	if sub.price != pricePro {
		t.Error("the price was changed")
	}
}

func TestPlanOfOperator(t *testing.T) {
	s := newShop(t)
	a := s.account()
	if err := s.db.SetPlan(t.Context(), account.ByOperator, s.stripe.clock(), a.ID,
		account.Subscription{Plan: "enterprise"}); err != nil {
		t.Fatal(err)
	}
	s.choose(a, "professional") // looks at the Checkout page and leaves
	c := s.customer(a)
	s.stripe.tell("checkout.session.completed",
		map[string]any{"object": "checkout.session", "customer": c.ID})
	s.deliver(s.stripe.take()...)
	s.has(a, "enterprise")
	s.stripe.pay(c.ID, pricePro)
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")
	err := s.db.SetPlan(t.Context(), account.ByOperator, s.stripe.clock(), a.ID,
		account.Subscription{Plan: "enterprise"})
	if !errors.Is(err, registry.ErrConflict) || !strings.Contains(err.Error(), "sub_") {
		t.Errorf("set beside a subscription: %v", err)
	}

	b := s.account()
	until := s.stripe.clock().Add(48 * time.Hour)
	if err := s.db.SetPlan(t.Context(), account.ByOperator, s.stripe.clock(), b.ID,
		account.Subscription{Plan: "enterprise", Until: &until, Next: "professional"}); err != nil {
		t.Fatal(err)
	}
	s.choose(b, "basic")
	s.has(b, "enterprise for 2 days, then basic")
}

func TestChooseWithoutProvider(t *testing.T) {
	s := newShop(t)
	s.Provider, s.Contact = nil, "ops@example.com"
	a := s.account()
	_, err := s.Choose(t.Context(), a, account.PlanNamed("professional"))
	e, ok := errors.AsType[*registry.Error](err)
	if !ok || e.Code != "plans_by_operator" || !strings.Contains(e.Msg, "ops@example.com") {
		t.Errorf("%v", err)
	}
	if err := s.Receive(t.Context(), []byte("{}"), ""); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("an event: %v", err)
	}
	if _, err := s.Portal(t.Context(), a.ID); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("portal: %v", err)
	}
	if err := s.db.SetPlan(t.Context(), account.ByOperator, time.Now(), a.ID,
		account.Subscription{Plan: "enterprise"}); err != nil {
		t.Fatal(err)
	}
	s.choose(a, "enterprise") // has it
	s.has(a, "enterprise")
	s.choose(a, "basic")
	s.has(a, "basic")
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestEventSignature(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.change(sub, func() { sub.price = priceEnt })
	e := s.stripe.take()[0]
	now := time.Now()
	for name, signature := range map[string]string{
		"none": "", "garbage": "v1=abc", "another secret": sign(e, now,
			"whsec_other"), "old": sign(e, now.Add(-6*time.Minute), secret),
		"of another body": sign(append([]byte(" "), e...), now,
			secret), "old scheme": strings.Replace(sign(e, now, secret), "v1=", "v0=", 1),
		"time changed": strings.Replace(sign(e, now.Add(-time.Hour), secret),
			fmt.Sprint(now.Add(-time.Hour).Unix()), fmt.Sprint(now.Unix()), 1),
	} {
		err := s.Receive(t.Context(), e, signature)
		if x, ok := errors.AsType[*registry.Error](err); !ok || x.Code != "invalid_signature" ||
			!errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.has(a, "professional")
	for _, odd := range []string{`{}`, `{"type":"invoice.paid"}`,
		`{"type":"invoice.paid","data":{"object":{}}}`,
		`{"type":"invoice.paid","data":{"object":{"customer":7}}}`,
		`{"type":"invoice.paid","data":{"object":{"customer":"cus_unknown"}}}`,
		`{"type":"invoice.paid","data":{"object":{"customer":null}}}`,
		`{"type":"something.new","data":{"object":{"customer":"cus_1"}}}`} {
		if err := s.Receive(t.Context(), []byte(odd), sign([]byte(odd), now, secret)); err != nil {
			t.Errorf("%s: %v", odd, err)
		}
	}
	expanded := []byte(`{"type":"invoice.paid","data":{"object":{"customer":{"id":"` +
		sub.customer + `","object":"customer"}}}}`)
	s.deliver(expanded)
	s.has(a, "enterprise")
}

// Whatever is signed is read without harm; what is not is refused.
func FuzzEvent(f *testing.F) {
	for _, e := range []string{``, `{}`,
		`{"type":"invoice.paid","data":{"object":{"customer":"cus_1"}}}`,
		`{"type":"invoice.paid","data":{"object":{"customer":{"id":"cus_1"}}}}`,
		`{"type":"invoice.paid","data":[]}`, `{"type":1}`, `[`,
		`{"data":{"object":{"customer":[[[[]]]]}}}`} {
		f.Add([]byte(e), "t=1,v1=00")
	}
	stripe, err := billing.NewStripe(billing.StripeOptions{Key: stripeKey, WebhookSecret: secret,
		Prices: map[string][]string{"professional": {pricePro}, "enterprise": {priceEnt}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte, signature string) {
		if _, err := stripe.Event(payload, sign(payload, time.Now(), secret)); err != nil {
			t.Errorf("signed, but refused: %v", err)
		}
		if _, err := stripe.Event(payload, signature); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%q is taken for a signature: %v", signature, err)
		}
	})
}

func TestReceiveUnknownPrice(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.change(sub, func() { sub.price = priceEnt })
	e := s.stripe.take()[0]
	s.stripe.down = true
	err := s.Receive(t.Context(), e, sign(e, time.Now(), secret))
	if !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if x, _ := errors.AsType[*registry.Error](err); x == nil || strings.Contains(x.Msg, "sk_") ||
		strings.Contains(x.Msg, "fake") {
		t.Errorf("says too much: %v", x)
	}
	s.has(a, "professional")
	s.stripe.down = false
	works, gone := s.Provider, newFakeStripe(t)
	s.Provider = gone.provider()
	gone.Close()
	err = s.Receive(t.Context(), e, sign(e, time.Now(), secret))
	if x, _ := errors.AsType[*registry.Error](err); x == nil ||
		!strings.Contains(x.Msg, "payment provider") || !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("a provider that cannot be reached: %v", err)
	}
	s.Provider = works
	s.deliver(e)
	s.has(a, "enterprise")

	// A price that is not configured takes nobody's plan.
	s.stripe.change(sub, func() { sub.price = "price_new" })
	e = s.stripe.take()[0]
	if err := s.Receive(t.Context(), e, sign(e, time.Now(), secret)); !errors.Is(err,
		registry.ErrConflict) || !errors.Is(err, billing.ErrUnknownPrice) ||
		!strings.Contains(err.Error(), sub.id) {
		t.Errorf("%v", err)
	}
	s.has(a, "enterprise")
	// What is paid for is not known, so nothing can be chosen, not even Basic.
	for _, plan := range []string{"basic", "professional", "enterprise"} {
		_, err := s.Choose(t.Context(), s.again(a), account.PlanNamed(plan))
		x, ok := errors.AsType[*registry.Error](err)
		if !ok || !errors.Is(err, registry.ErrConflict) || x.Code != "unknown_price" ||
			!strings.Contains(x.Msg, "operator") || strings.Contains(x.Msg, sub.id) ||
			!strings.Contains(err.Error(), sub.id) {
			t.Errorf("%s of an unknown price: %v", plan, err)
		}
	}
	s.has(a, "enterprise")
	s.stripe.change(sub, func() { sub.price = priceOld }) // a former price of Professional
	s.deliver(s.stripe.take()...)
	s.has(a, "professional")
}

func TestSweepDeletedAccount(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	b, other := s.subscribed(pricePro)
	if err := s.db.DeleteAccount(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	s.stripe.down = true
	if err := s.Sweep(t.Context()); err == nil {
		t.Error("the provider is away, and nothing failed")
	}
	s.stripe.down = false
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sub.status != "canceled" || s.stripe.customers[sub.customer] {
		t.Errorf("the subscription is %s", sub.status)
	}
	s.deliver(s.stripe.take()...) // of a customer that nobody is any more
	if other.status != "active" {
		t.Error("another's subscription ended")
	}
	s.has(b, "professional")
	n := len(s.stripe.requests)
	if err := s.Sweep(t.Context()); err != nil || len(s.stripe.requests) != n {
		t.Errorf("there is nothing left to do, but: %v, %v", s.stripe.requests[n:], err)
	}
	// One that the operator deleted at Stripe is gone already.
	delete(s.stripe.customers, other.customer)
	if err := s.db.DeleteAccount(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestChooseDeletedCustomer(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.mu.Lock()
	delete(s.stripe.customers, sub.customer)
	s.stripe.end(sub)
	s.stripe.mu.Unlock()
	if url := s.choose(a, "enterprise"); url != "https://checkout.example/"+priceEnt {
		t.Errorf("checkout at %q", url)
	}
	c := s.customer(a)
	if c.ID == sub.customer || c.ID == "" {
		t.Errorf("still customer %q", c.ID)
	}
	s.stripe.pay(c.ID, priceEnt)
	s.deliver(s.stripe.take()...) // with those of the former customer
	s.has(a, "enterprise")
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	s.has(a, "enterprise")
}

// A blockedProvider responds only after it is released.
type blockedProvider struct {
	billing.Provider
	asked chan struct{} // one for each call
	free  chan struct{}
}

func (p *blockedProvider) Introduce(ctx context.Context, a account.Account) (string, error) {
	p.asked <- struct{}{}
	<-p.free
	return p.Provider.Introduce(ctx, a)
}

func (p *blockedProvider) Paid(ctx context.Context, customer string) ([]billing.PaidSubscription, error) {
	p.asked <- struct{}{}
	<-p.free
	return p.Provider.Paid(ctx, customer)
}

func TestSlowProvider(t *testing.T) {
	s := newShop(t)
	var events [][]byte
	var last account.Account
	for range 40 { // more than there are connections
		last = s.account()
		if _, err := s.Choose(t.Context(), last, account.PlanNamed("professional")); err != nil {
			t.Fatal(err)
		}
		s.stripe.pay(s.customer(last).ID, pricePro)
		events = append(events, s.stripe.take()[0])
	}
	p := &blockedProvider{s.Provider, make(chan struct{}, len(events)), make(chan struct{})}
	s.Provider = p
	var wg sync.WaitGroup
	for _, e := range events {
		wg.Go(func() {
			if err := s.Receive(context.Background(), e, sign(e, time.Now(), secret)); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 { // as many as settle at once
		<-p.asked
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	if _, err := s.db.Account(ctx, last.ID); err != nil {
		t.Errorf("while the provider is stuck: %v", err)
	}
	cancel()
	close(p.free)
	wg.Wait()
	s.has(last, "professional")
}

// While the provider adds a customer, the account is not locked. Of simultaneous calls in two
// processes, one customer stays; the other one, and that of a deleted account, are deleted.
func TestSlowIntroduction(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		s := newShop(t)
		a := s.account()
		p := &blockedProvider{s.Provider, make(chan struct{}, 2), make(chan struct{})}
		var wg sync.WaitGroup
		for range 2 {
			process := &billing.Billing{Store: s.db, Provider: p, Log: s.Log, Now: s.Now}
			wg.Go(func() {
				_, err := process.Choose(t.Context(), a, account.PlanNamed("professional"))
				if (err != nil) != deleted {
					t.Errorf("deleted %t: %v", deleted, err)
				}
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		for range 2 {
			select {
			case <-p.asked:
			case <-ctx.Done():
				t.Error("one call waits for the other")
			}
		}
		err := s.db.SetPlan(ctx, account.ByOperator, s.Now(), a.ID,
			account.Subscription{Plan: account.Enterprise})
		if err == nil && deleted {
			err = s.db.DeleteAccount(ctx, a.ID)
		}
		if err != nil {
			t.Errorf("while the provider is stuck: %v", err)
		}
		cancel()
		close(p.free)
		wg.Wait()
		former, err := s.db.FormerCustomers(t.Context(), 10)
		if want := map[bool]int{false: 1, true: 2}[deleted]; err != nil || len(former) != want {
			t.Errorf("deleted %t: former customers %v, %v", deleted, former, err)
		}
	}
}

func TestTwoSubscriptions(t *testing.T) {
	s := newShop(t)
	a, first := s.subscribed(pricePro)
	second := s.stripe.pay(first.customer, priceEnt) // a second Checkout page was open
	third := s.stripe.pay(first.customer, priceEnt)
	s.deliver(s.stripe.take()...)
	s.has(a, "enterprise")
	s.stripe.change(second, func() { second.cancelAtEnd = true })
	s.deliver(s.stripe.take()...)
	s.has(a, "enterprise") // the third goes on
	s.choose(a, "basic")
	if !first.cancelAtEnd || !second.cancelAtEnd || !third.cancelAtEnd {
		t.Error("not all were cancelled")
	}
	s.has(a, "enterprise for 30 days, then basic")
}

func TestProviderRemoved(t *testing.T) {
	s := newShop(t)
	a, _ := s.subscribed(pricePro)
	if err := s.db.LeaveSubscription(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	s.has(a, "professional")
	if err := s.db.SetPlan(t.Context(), account.ByOperator, s.stripe.clock(), a.ID,
		account.Subscription{Plan: "enterprise"}); err != nil {
		t.Error(err)
	}
	s.has(a, "enterprise")
}

func TestSweepLostEvents(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	s.stripe.mu.Lock()
	s.stripe.end(sub)
	s.stripe.mu.Unlock()
	s.stripe.take() // nobody hears of it
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.has(a, "professional")
	s.stripe.pass(25*time.Hour, true)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.has(a, "basic")
}

func TestAudit(t *testing.T) {
	s := newShop(t)
	told := map[int64]int{}
	s.Changed = func(_ context.Context, id int64) { told[id]++ }
	a, _ := s.subscribed(pricePro)
	s.choose(a, "basic")
	events := s.stripe.take()
	s.deliver(events...)
	s.deliver(events...) // which change nothing
	entries, err := s.db.Audit(t.Context(), a.ID, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Action == "plan.changed" {
			got = append(got, e.Actor+": "+e.Detail)
		}
	}
	if want := "owner: professional until 2026-12-01T00:00:00Z, then basic; payment: professional"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if told[a.ID] != 2 || len(told) != 1 {
		t.Errorf("mails about %v changes", told)
	}
}

// TestReceiveInAnyOrder lets subscriptions live through random lives while
// their events come late, twice, in any order and at the same time to two
// processes. In the end the plan is the one that Stripe has.
func TestReceiveInAnyOrder(t *testing.T) {
	s := newShop(t)
	other, err := postgres.Open(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	second := &billing.Billing{Store: people.New(other), Provider: s.stripe.provider(), Log: s.Log,
		Now: s.stripe.clock}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a := s.account()
		s.choose(a, "professional")
		customer := s.customer(a).ID
		var late [][]byte
		deliver := func(n int) {
			rng.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
			n = min(n, len(late))
			var wg sync.WaitGroup
			for _, e := range late[:n] {
				b := s.Billing
				if rng.IntN(2) == 0 {
					b = second
				}
				for range 1 + rng.IntN(2) {
					wg.Go(func() {
						if err := b.Receive(context.Background(), e,
							sign(e, time.Now(), secret)); err != nil {
							t.Errorf("seed %d: %s: %v", seed, e, err)
						}
					})
				}
			}
			wg.Wait()
			late = late[n:]
		}
		sub := s.stripe.pay(customer, pricePro)
		for range 12 {
			switch rng.IntN(10) {
			case 0:
				if sub.status == "canceled" {
					sub = s.stripe.pay(customer, []string{pricePro, priceEnt}[rng.IntN(2)])
				}
			case 1:
				s.stripe.change(sub, func() {
					sub.price = []string{pricePro, priceEnt,
						priceOld}[rng.IntN(3)]
				})
			case 2:
				s.stripe.change(sub, func() { sub.cancelAtEnd = !sub.cancelAtEnd })
			case 3, 4:
				s.stripe.pass(time.Duration(rng.IntN(40))*24*time.Hour, rng.IntN(3) > 0)
			case 5:
				if sub.status == "past_due" {
					s.stripe.change(sub, func() { sub.status, sub.owes = "active", nil })
				}
			case 6:
				if sub.status != "canceled" {
					s.stripe.mu.Lock()
					s.stripe.end(sub)
					s.stripe.mu.Unlock()
				}
			case 8: // the owner changes his mind; what he owes comes first
				if sub.status == "active" {
					s.choose(a, account.Plans[rng.IntN(3)].ID)
				}
			default: // some are delivered, old ones perhaps after new ones
				deliver(rng.IntN(5))
			}
			late = append(late, s.stripe.take()...)
		}
		deliver(len(late))

		s.has(a, s.stripe.expected(sub))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// expected is what a subscription gives, told from its state in the fake.
func (f *fakeStripe) expected(s *fakeSub) string {
	now := f.clock()
	if s.status == "canceled" || len(s.owes) > 0 && !now.Before(s.owes[0]) {
		return "basic"
	}
	days := func(end time.Time) string {
		return fmt.Sprintf(" for %v days, then ",
			end.Sub(now).Hours()/24)
	}
	plan := "professional"
	if s.price == priceEnt {
		plan = "enterprise"
	}
	has, ends := plan, ""
	if until, err := strconv.ParseInt(s.meta["census_paid_until"], 10, 64); err == nil &&
		now.Unix() < until && s.meta["census_paid_plan"] != plan {
		has, ends = s.meta["census_paid_plan"], days(time.Unix(until, 0))+plan
	}
	switch {
	case len(s.owes) > 0:
		ends = days(s.owes[0]) + "basic"
	case s.cancelAtEnd:
		ends = days(s.end) + "basic"
	}
	return has + ends
}

func TestNewStripe(t *testing.T) {
	good := billing.StripeOptions{Key: "sk_1", WebhookSecret: "whsec_1",
		Prices: map[string][]string{"professional": {"price_1"}, "enterprise": {"price_2"}}}
	if _, err := billing.NewStripe(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*billing.StripeOptions){
		"key": func(o *billing.StripeOptions) { o.Key = "" }, "secret": func(
			o *billing.StripeOptions) {
			o.WebhookSecret = ""
		},
		"price": func(o *billing.StripeOptions) { o.Prices = map[string][]string{"professional": {"price_1"}} },
		"one price": func(o *billing.StripeOptions) {
			o.Prices = map[string][]string{"professional": {"p"}, "enterprise": {"p"}}
		},
	} {
		o := good
		change(&o)
		if _, err := billing.NewStripe(o); err == nil {
			t.Errorf("without a %s of its own", name)
		}
	}
}

// A slowProvider responds to the first request late.
type slowProvider struct {
	billing.Provider
	asked, answer chan struct{}
	late          atomic.Bool
}

func (p *slowProvider) Paid(ctx context.Context, customer string) ([]billing.PaidSubscription, error) {
	paid, err := p.Provider.Paid(ctx, customer)
	if p.late.CompareAndSwap(false, true) {
		close(p.asked)
		<-p.answer
	}
	return paid, err
}

func TestSettleConcurrently(t *testing.T) {
	s := newShop(t)
	a, sub := s.subscribed(pricePro)
	p := &slowProvider{Provider: s.Provider, asked: make(chan struct{}), answer: make(chan struct{})}
	s.Provider = p
	s.stripe.change(sub, func() {})
	s.stripe.change(sub, func() {})
	events := s.stripe.take()
	var wg sync.WaitGroup
	wg.Go(func() { s.deliver(events[0]) })
	<-p.asked
	s.stripe.change(sub, func() { sub.price = priceEnt })
	// Another process does not wait for the first.
	other := &billing.Billing{Provider: s.Provider, Store: s.Store, Log: s.Log, Now: s.Now}
	if err := other.Receive(t.Context(), events[1], sign(events[1], time.Now(), secret)); err != nil {
		t.Fatal(err)
	}
	s.has(a, "enterprise")
	close(p.answer)
	wg.Wait()
	s.has(a, "enterprise")
}

// An event of testdata/events.
type event struct {
	Kind    string `json:"type"`
	Version string `json:"api_version"`
	Created int64
	Data    struct{ Object json.RawMessage }

	file    string
	payload []byte
}

func readEvents(t *testing.T, version string) (events []event) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata/events", version, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		e := event{file: file}
		if e.payload, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(e.payload, &e); err != nil || e.Version != version {
			t.Fatalf("%s: version %s, %v", file, e.Version, err)
		}
		events = append(events, e)
	}
	return events
}

// listed returns those of the whole objects that Stripe lists: without a status
// all subscriptions that are not over.
func (f *fakeStripe) listed(kind string, form url.Values) (items []any) {
	for _, raw := range f.whole {
		var o struct {
			Object, Customer, Status string
			Parent                   struct {
				Details struct{ Subscription string } `json:"subscription_details"`
			}
		}
		if err := json.Unmarshal(raw, &o); err != nil {
			f.t.Error(err)
		}
		of := func(name, value string) bool { return !form.Has(name) || form.Get(name) == value }
		over := !form.Has("status") && o.Status == "canceled"
		if o.Object == kind && !over && of("status", o.Status) && of("customer", o.Customer) &&
			of("subscription", o.Parent.Details.Subscription) {
			items = append(items, raw)
		}
	}
	return items
}

// What happens in testdata/events: the event, which of the events have the
// subscription and the open invoice as Stripe has them then, and what that is
// worth.
var story = []struct {
	kind             string
	sub, owes        int // counted from 1
	plan, until      string
	saysNothingOfPay bool // the event is not about a subscription
}{
	{kind: "checkout.session.expired", plan: "basic", saysNothingOfPay: true},
	{kind: "customer.subscription.created", sub: 2, plan: "basic"}, // not paid yet
	{kind: "invoice.paid", sub: 4, plan: "professional"},
	{kind: "customer.subscription.updated", sub: 4, plan: "professional"},
	{kind: "checkout.session.completed", sub: 4, plan: "professional"},
	{kind: "customer.subscription.updated", sub: 6, plan: "enterprise"},
	{kind: "invoice.payment_failed", sub: 8, owes: 7, plan: "enterprise",
		until: "2027-01-02T09:30:00Z"},
	{kind: "customer.subscription.updated", sub: 8, owes: 7, plan: "enterprise",
		until: "2027-01-02T09:30:00Z"},
	{kind: "customer.subscription.deleted", sub: 9, plan: "basic"},
	{kind: "customer.deleted", plan: "basic", saysNothingOfPay: true},
}

// TestReceiveAPIVersions delivers whole events over HTTP, signed as
// Stripe signs, in order and not, once and twice. Stripe answers in the version
// that we ask for, whichever version its events are in.
func TestReceiveAPIVersions(t *testing.T) {
	s := newShop(t)
	api, err := pages.NewPeople(pages.PeopleOptions{Plans: s.Billing, BaseURL: "https://census.example"})
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.TestMode)
	server := gin.New()
	api.RegisterWebhook(server)
	send := func(payload []byte, signature string, status int) {
		t.Helper()
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", pages.WebhookPath,
			bytes.NewReader(payload))
		r.Header.Set("Stripe-Signature", signature)
		server.ServeHTTP(w, r)
		if w.Code != status || status == 400 &&
			!strings.Contains(w.Body.String(), `"invalid_signature"`) {
			t.Errorf("%.60q: %d %s, want %d", payload, w.Code, w.Body, status)
		}
	}

	old, current := readEvents(t, "2020-08-27"), readEvents(t, "2026-03-25.dahlia")
	for _, events := range [][]event{old, current} {
		if len(events) != len(story) {
			t.Fatalf("%d events, want %d", len(events), len(story))
		}
		for i, e := range events {
			if e.Kind != story[i].kind {
				t.Fatalf("%s: %s, want %s", e.file, e.Kind, story[i].kind)
			}
		}
	}
	var owner struct{ Customer string }
	if err := json.Unmarshal(current[0].Data.Object, &owner); err != nil || owner.Customer == "" {
		t.Fatal(owner, err)
	}
	a := s.account()
	if _, err := s.db.MakeCustomer(t.Context(), a.ID, s.stripe.clock(),
		func(context.Context) (string, error) { return owner.Customer, nil }); err != nil {
		t.Fatal(err)
	}

	at := func(i int) { // Stripe has what is so after event i
		s.stripe.mu.Lock()
		defer s.stripe.mu.Unlock()
		s.stripe.now, s.stripe.whole = time.Unix(current[i].Created, 0).UTC(), []json.RawMessage{}
		for _, n := range []int{story[i].sub, story[i].owes} {
			if n > 0 {
				s.stripe.whole = append(s.stripe.whole, current[n-1].Data.Object)
			}
		}
	}
	wants := func(i int, what string, args ...any) {
		t.Helper()
		want := account.Subscription{Plan: story[i].plan}
		if story[i].until != "" {
			until, err := time.Parse(time.RFC3339, story[i].until)
			if err != nil {
				t.Fatal(err)
			}
			want.Until, want.Next = &until, account.Basic
		}
		got := s.again(a).Subscription
		if got.Plan != want.Plan || got.Next != want.Next ||
			(got.Until == nil) != (want.Until == nil) || got.Until != nil &&
			!got.Until.Equal(*want.Until) {
			t.Fatalf("%s: the account has %+v, want %+v, as after event %d",
				fmt.Sprintf(what, args...), got, want, i+1)
		}
	}
	deliver := func(e event) {
		t.Helper()
		send(e.payload, sign(e.payload, time.Now(), secret),
			200)
	}
	ended, paid := len(story)-1, 5

	rng := rand.New(rand.NewPCG(1, 1))
	for _, events := range [][]event{old, current} {
		for i, e := range events {
			at(i)
			deliver(e)
			wants(i, "%s", e.file)
			deliver(e)
			wants(i, "%s again", e.file)
			for _, j := range rng.Perm(i) { // all before come once more
				deliver(events[j])
				wants(i, "%s after %s", events[j].file, e.file)
			}
		}
	}

	// Two endpoints, each with its version, hear of all only when it is over.
	all := slices.Concat(old, current, old, current)
	for i := range story {
		at(paid)
		deliver(current[paid])
		at(i)
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		told := false
		for _, e := range all[:len(all)*3/4] {
			deliver(e)
			told = told || e.Kind != story[0].kind && e.Kind != story[ended].kind
			if told {
				wants(i, "late and shuffled, at %s", e.file)
			}
		}
	}

	// Each is enough if the others are lost.
	for i := range story {
		for _, e := range []event{old[i], current[i]} {
			at(ended)
			deliver(current[paid])
			wants(ended, "before %s", e.file)
			at(paid)
			deliver(e)
			if story[i].saysNothingOfPay {
				wants(ended, "%s alone", e.file)
			} else {
				wants(paid, "%s alone", e.file)
			}
		}
	}

	// What is not known is accepted and left alone; of which version an event
	// is does not matter; what is not signed now is refused.
	at(ended)
	deliver(current[paid])
	at(paid)
	e := current[paid]
	with := func(from, to string) []byte {
		t.Helper()
		b := bytes.Replace(e.payload, []byte(from), []byte(to), 1)
		if bytes.Equal(b, e.payload) {
			t.Fatalf("%s is not in %s", from, e.file)
		}
		return b
	}
	requests := func() int {
		s.stripe.mu.Lock()
		defer s.stripe.mu.Unlock()
		return len(s.stripe.requests)
	}
	kind, version := `"type": "customer.subscription.updated"`, `"api_version": "2026-03-25.dahlia"`
	asked := requests()
	for _, b := range [][]byte{
		with(kind, `"type": "customer.subscription.folded"`), with(kind,
			`"type": "v2.core.account.updated"`), with(kind, `"type": null`),
		with(`"customer": "`+owner.Customer+`"`, `"customer_account": "acct_1"`), with(`"data": {`,
			`"data": null, "other": {`),
	} {
		send(b, sign(b, time.Now(), secret), 200)
	}
	now := time.Now()
	for _, signature := range []string{
		"", "t=1,v1=", sign(e.payload, now, "whsec_other"), sign(e.payload, now.Add(-6*time.Minute),
			secret),
		sign(with(version, `"api_version": null`), now,
			secret), strings.Replace(sign(e.payload, now, secret), "v1=", "v0=", 1),
	} {
		send(e.payload, signature, 400)
	}
	wants(ended, "what is not known and not signed")
	if n := requests() - asked; n != 0 {
		t.Errorf("Stripe was asked %d times", n)
	}
	for _, v := range []string{`null`, `"2011-01-01"`, `"2031-01-01.zinnia"`, `7`} {
		at(ended)
		deliver(e)
		at(paid)
		b := with(version, `"api_version": `+v)
		send(b, sign(b, time.Now(), secret), 200)
		wants(paid, "version %s", v)
	}
	// While a secret is being replaced Stripe signs with both.
	at(ended)
	both := sign(e.payload, now, "whsec_other") + strings.TrimPrefix(sign(e.payload, now, secret),
		fmt.Sprintf("t=%d", now.Unix())) + ",v0=00"
	send(e.payload, both, 200)
	wants(ended, "signed with two secrets")
}
