package billing_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"mcpcensus/internal/billing"
)

const (
	stripeKey = "sk_test_secretsecret"
	secret    = "whsec_test"
	pricePro  = "price_pro"
	priceEnt  = "price_ent"
	priceOld  = "price_pro_of_last_year"
)

// A fakeStripe is what we use of Stripe, with a memory and a clock of its own.
// What happens in it makes events, as Stripe shapes them.
type fakeStripe struct {
	*httptest.Server
	t  testing.TB
	mu sync.Mutex

	now       time.Time
	next      int
	customers map[string]bool
	checkouts map[string]string // the customers of open ones
	subs      map[string]*fakeSub
	events    [][]byte
	requests  []string          // "METHOD path"
	whole     []json.RawMessage // objects that are listed rather than subs
	down      bool
	declines  bool // cards are declined
}

// A fakeSub is a subscription with what it owes.
type fakeSub struct {
	id, customer, item, price, status string
	start, end                        time.Time
	cancelAtEnd                       bool
	meta                              map[string]string
	owes                              []time.Time // ends of the periods that are not paid
}

const month = 30 * 24 * time.Hour

func newFakeStripe(t testing.TB) *fakeStripe {
	f := &fakeStripe{t: t, now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		customers: map[string]bool{}, checkouts: map[string]string{}, subs: map[string]*fakeSub{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeStripe) provider() *billing.Stripe {
	s, err := billing.NewStripe(billing.StripeOptions{
		Key: stripeKey, WebhookSecret: secret, BaseURL: "https://census.example/", URL: f.URL,
		Prices: map[string][]string{"professional": {pricePro, priceOld}, "enterprise": {priceEnt}},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func (f *fakeStripe) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fakeStripe) id(prefix string) string {
	f.next++
	return prefix + strconv.Itoa(f.next)
}

func (f *fakeStripe) tell(kind string, object map[string]any) {
	b, err := json.Marshal(map[string]any{
		"id": f.id("evt_"), "object": "event", "api_version": "2019-01-01", "created": f.now.Unix(),
		"type":     kind,
		"livemode": false, "pending_webhooks": 1, "data": map[string]any{"object": object},
	})
	if err != nil {
		f.t.Error(err)
	}
	f.events = append(f.events, b)
}

// take returns the events since the last call.
func (f *fakeStripe) take() [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.events
	f.events = nil
	return e
}

func sign(payload []byte, at time.Time, secret string) string {
	return fmt.Sprintf("t=%d,v1=%x", at.Unix(), webhook.ComputeSignature(at, payload, secret))
}

func (s *fakeSub) json() map[string]any {
	var cancelAt, ended any
	if s.cancelAtEnd {
		cancelAt = s.end.Unix()
	}
	if s.status == "canceled" {
		ended = s.end.Unix()
	}
	return map[string]any{
		"id": s.id, "object": "subscription", "customer": s.customer, "status": s.status,
		"cancel_at_period_end": s.cancelAtEnd,
		"cancel_at":            cancelAt, "ended_at": ended, "metadata": s.meta,
		"created":        s.start.Unix(),
		"latest_invoice": "in_" + s.id,
		"items": map[string]any{"object": "list", "has_more": false, "data": []any{map[string]any{
			"id": s.item, "object": "subscription_item", "quantity": 1, "subscription": s.id,
			"current_period_start": s.start.Unix(), "current_period_end": s.end.Unix(),
			"price": map[string]any{"id": s.price, "object": "price", "currency": "usd",
				"type": "recurring"},
		}}},
	}
}

// pay completes a Checkout page.
func (f *fakeStripe) pay(customer, price string) *fakeSub {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeSub{id: f.id("sub_"), customer: customer, item: f.id("si_"), price: price,
		status: "active", start: f.now, end: f.now.Add(month), meta: map[string]string{}}
	f.subs[s.id] = s
	f.tell("customer.subscription.created", s.json())
	f.tell("invoice.paid", map[string]any{"object": "invoice", "customer": customer})
	f.tell("checkout.session.completed",
		map[string]any{"object": "checkout.session", "customer": customer, "mode": "subscription"})
	// which is not about plans
	f.tell("customer.updated", map[string]any{"object": "customer", "id": customer})
	return s
}

// pass lets time go by; what renews is paid for, or not.
func (f *fakeStripe) pass(d time.Duration, paid bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for until := f.now.Add(d); ; {
		f.now = f.now.Add(min(24*time.Hour, until.Sub(f.now)))
		for _, id := range slices.Sorted(maps.Keys(f.subs)) {
			s := f.subs[id]
			if s.status == "canceled" || f.now.Before(s.end) {
				continue
			}
			if s.cancelAtEnd {
				f.end(s)
				continue
			}
			s.start, s.end = s.end, s.end.Add(month)
			if paid {
				f.tell("invoice.paid", map[string]any{"object": "invoice", "customer": s.customer})
			} else {
				s.status, s.owes = "past_due", append(s.owes, s.end)
				f.tell("invoice.payment_failed",
					map[string]any{"object": "invoice", "customer": s.customer})
			}
			f.tell("customer.subscription.updated", s.json())
		}
		if !f.now.Before(until) {
			return
		}
	}
}

func (f *fakeStripe) end(s *fakeSub) {
	s.status = "canceled"
	f.tell("customer.subscription.deleted", s.json())
}

// change does something to a subscription and tells of it.
func (f *fakeStripe) change(s *fakeSub, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.tell("customer.subscription.updated", s.json())
}

func (f *fakeStripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	param := ""
	fail := func(status int, kind, code string) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": kind, "code": code,
			"param": param, "message": "said by the fake, key sk_test_***cret"}})
	}
	if f.down {
		fail(500, "api_error", "")
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+stripeKey {
		fail(401, "invalid_request_error", "")
		return
	}
	if err := r.ParseForm(); err != nil {
		f.t.Error(err)
	}
	say := func(v any) { json.NewEncoder(w).Encode(v) }
	list := func(items []any) {
		say(map[string]any{"object": "list", "data": items,
			"has_more": false})
	}
	kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch r.Method + " " + kind {
	case "POST customers":
		id := f.id("cus_")
		f.customers[id] = true
		say(map[string]any{"id": id, "object": "customer", "email": r.Form.Get("email")})
	case "DELETE customers":
		if !f.customers[id] {
			fail(404, "invalid_request_error", "resource_missing")
			return
		}
		delete(f.customers, id)
		for _, s := range f.subs {
			if s.customer == id && s.status != "canceled" {
				f.end(s)
			}
		}
		say(map[string]any{"id": id, "object": "customer", "deleted": true})
	case "GET checkout":
		var items []any
		for _, id := range slices.Sorted(maps.Keys(f.checkouts)) {
			if f.checkouts[id] == r.Form.Get("customer") && r.Form.Get("status") == "open" {
				items = append(items, map[string]any{"id": id, "object": "checkout.session",
					"status": "open"})
			}
		}
		list(items)
	case "POST checkout":
		if id, ok := strings.CutSuffix(strings.TrimPrefix(id, "sessions/"), "/expire"); ok {
			if _, open := f.checkouts[id]; !open {
				fail(400, "invalid_request_error", "")
				return
			}
			delete(f.checkouts, id)
			say(map[string]any{"id": id, "object": "checkout.session", "status": "expired"})
			return
		}
		if !f.customers[r.Form.Get("customer")] {
			param = "customer"
			fail(400, "invalid_request_error", "resource_missing")
			return
		}
		if r.Form.Get("mode") != "subscription" ||
			!strings.HasPrefix(r.Form.Get("success_url"), "https://census.example/account") {
			f.t.Errorf("checkout with %v", r.Form)
		}
		session := f.id("cs_")
		f.checkouts[session] = r.Form.Get("customer")
		say(map[string]any{"id": session, "object": "checkout.session",
			"url": "https://checkout.example/" + r.Form.Get("line_items[0][price]")})
	case "POST billing_portal":
		say(map[string]any{"id": f.id("bps_"), "object": "billing_portal.session",
			"url": "https://portal.example/" + r.Form.Get("customer")})
	case "GET subscriptions":
		if f.whole != nil {
			list(f.listed("subscription", r.Form))
			return
		}
		var items []any
		for _, id := range slices.Sorted(maps.Keys(f.subs)) {
			if s := f.subs[id]; s.customer == r.Form.Get("customer") && s.status != "canceled" {
				items = append(items, s.json())
			}
		}
		list(items)
	case "GET invoices":
		if f.whole != nil {
			list(f.listed("invoice", r.Form))
			return
		}
		var items []any
		if s := f.subs[r.Form.Get("subscription")]; s != nil && r.Form.Get("status") == "open" {
			for i, end := range s.owes {
				items = append(items, map[string]any{"id": fmt.Sprintf("in_%d", i),
					"object": "invoice", "status": "open", "lines": map[string]any{
						"object": "list", "data": []any{map[string]any{"id": "il_1",
							"object": "line_item", "period": map[string]any{"start": end.Add(
								-month).Unix(), "end": end.Unix()}}}}})
			}
		}
		list(items)
	case "POST subscriptions":
		s := f.subs[id]
		if s == nil || s.status == "canceled" {
			fail(404, "invalid_request_error", "resource_missing")
			return
		}
		if f.declines && r.Form.Get("payment_behavior") == "error_if_incomplete" {
			fail(402, "card_error", "card_declined")
			return
		}
		if p := r.Form.Get("items[0][price]"); p != "" {
			if r.Form.Get("items[0][id]") != s.item {
				f.t.Errorf("another item: %v", r.Form)
			}
			s.price = p
		}
		if v := r.Form.Get("cancel_at_period_end"); v != "" {
			s.cancelAtEnd = v == "true"
		}
		for k, v := range r.Form {
			if name, ok := strings.CutPrefix(k, "metadata["); ok {
				if s.meta[strings.TrimSuffix(name, "]")] = v[0]; v[0] == "" {
					delete(s.meta, strings.TrimSuffix(name, "]"))
				}
			}
		}
		f.tell("customer.subscription.updated", s.json())
		say(s.json())
	default:
		f.t.Errorf("%s %s is not known to the fake", r.Method, r.URL.Path)
		fail(404, "invalid_request_error", "")
	}
}
