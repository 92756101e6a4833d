package accounts_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/registry"
)

type planView struct {
	Plan        string
	Until       *time.Time
	Next        *string
	Pays        bool
	CanPay      bool
	CheckoutURL *string
	Plans       []struct{ ID string }
}

func TestPlanWithoutProvider(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ann@example.com")
	var v planView
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if v.Plan != "basic" || v.Until != nil || v.Next != nil || v.Pays || v.CanPay ||
		v.CheckoutURL != nil || len(v.Plans) != len(account.Plans) {
		t.Errorf("%+v", v)
	}
	p.wants(200, p.do("POST", "/plan", "plan", "basic"))
	for _, tt := range []struct {
		body, code string
		status     int
	}{
		{`{"plan": "professional"}`, "plans_by_operator", 409},
		{`{"plan": "gold"}`, "invalid_parameter", 400}, {`{}`, "missing_parameter", 400},
		{`{"plan": 3}`, "invalid_parameter", 400}, {``, "unsupported_media_type", 415},
	} {
		if r := p.send(p.request("POST", "/account/api/plan", tt.body)); r.status != tt.status || r.code() != tt.code {
			t.Errorf("%s: %d %s", tt.body, r.status, r.body)
		}
	}
	if r := p.do("POST", "/plan/portal"); r.status != 409 || r.code() != "nothing_paid" {
		t.Errorf("portal: %d %s", r.status, r.body)
	}
	if r := p.send(p.request("POST", accounts.WebhookPath, `{}`)); r.status != 400 {
		t.Errorf("an event without a signature: %d", r.status)
	}
	l, err := h.db.AccountOf(t.Context(), "ann@example.com")
	if err != nil {
		t.Fatal(err)
	}
	until := h.now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	if err := h.db.SetPlan(t.Context(), account.ByOperator, h.now(), l.ID,
		account.Subscription{Plan: "enterprise", Until: &until, Next: "professional"}); err != nil {
		t.Fatal(err)
	}
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if v.Plan != "enterprise" || v.Until == nil || !v.Until.Equal(until) || v.Next == nil || *v.Next != "professional" {
		t.Errorf("%+v", v)
	}
}

// A fakeProvider is a payment provider that accepts every customer.
type fakeProvider struct {
	billing.Provider
	customer, plan string
}

func (p *fakeProvider) Introduce(context.Context, account.Account) (string, error) {
	p.customer = "cus_1"
	return p.customer, nil
}

func (p *fakeProvider) Checkout(_ context.Context, customer string, plan *account.Plan) (string, error) {
	return "https://pay.example/" + customer + "/" + plan.ID, nil
}

func (p *fakeProvider) Portal(_ context.Context, customer string) (string, error) {
	return "https://manage.example/" + customer, nil
}

func (p *fakeProvider) Paid(context.Context, string) ([]billing.PaidSubscription, error) {
	if p.plan == "" {
		return nil, nil
	}
	return []billing.PaidSubscription{{ID: "sub_1", Item: "si_1", Plan: p.plan, PeriodEnd: time.Now().Add(time.Hour)}}, nil
}

func (p *fakeProvider) Event(payload []byte, signature string) (string, error) {
	if signature != "signed" {
		return "", &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature", Msg: "The event is not signed."}
	}
	return string(payload), nil
}

func TestPlan(t *testing.T) {
	pay := &fakeProvider{}
	h := newHouse(t, options{provider: pay})
	p := h.memberIn("ann@example.com")
	key := p.makeKey("ci")
	var v planView
	into(t, p.wants(200, p.do("POST", "/plan", "plan", "enterprise")), &v)
	if !v.CanPay || v.Pays || v.Plan != "basic" || v.CheckoutURL == nil ||
		*v.CheckoutURL != "https://pay.example/cus_1/enterprise" {
		t.Errorf("%+v", v)
	}
	event := func(body string, signatures ...string) result {
		req := p.request("POST", accounts.WebhookPath, body)
		req.Header["Stripe-Signature"] = signatures
		req.Header.Set("Sec-Fetch-Site", "cross-site") // which does not matter here
		return h.visitor().send(req)
	}
	pay.plan = "enterprise"
	for name, r := range map[string]result{
		"no signature": event("cus_1"), "two": event("cus_1", "signed", "signed"), "wrong": event("cus_1", "made up"),
	} {
		if r.status != 400 || r.code() != "invalid_signature" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	if r := event(strings.Repeat("x", 600<<10), "signed"); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large event: %d", r.status)
	}
	p.wants(200, event("cus_1", "signed"))
	p.wants(200, event("cus_of_somebody_else", "signed"))
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if !v.Pays || v.Plan != "enterprise" || v.CheckoutURL != nil {
		t.Errorf("after paying: %+v", v)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		a, err := h.ring.Find(h.now(), key.Key)
		if err == nil && a.Plan.ID == "enterprise" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the key gives %+v, %v", a, err)
		}
	}
	// Going down takes no key away.
	for range account.MaxKeys - 1 {
		p.makeKey("more")
	}
	pay.plan = ""
	p.wants(200, event("cus_1", "signed"))
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if v.Plan != "basic" || v.Pays || len(p.keys()) != account.MaxKeys {
		t.Errorf("after it ended: %+v with %d keys", v, len(p.keys()))
	}
	if _, err := h.ring.Find(h.now(), key.Key); err != nil {
		t.Errorf("the key: %v", err)
	}
	if r := p.wants(200, p.do("POST", "/plan/portal")); !strings.Contains(r.body, `"https://manage.example/cus_1"`) {
		t.Errorf("portal: %s", r.body)
	}
	if r := p.do("GET", "/audit"); !strings.Contains(r.body, "plan.changed") ||
		!strings.Contains(r.body, "key.made") || strings.Contains(r.body, key.Key) {
		t.Errorf("audit: %s", r.body)
	}
}

func TestEventsPerMinute(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ann@example.com")
	for n := range accounts.EventsPerMinute {
		if r := p.send(p.request("POST", accounts.WebhookPath, `{}`)); r.status != 400 {
			t.Fatalf("event %d: %d %s", n, r.status, r.body)
		}
	}
	for range 5 * accounts.EventsPerMinute { // some pass, since the limit is refilled
		r := p.send(p.request("POST", accounts.WebhookPath, `{}`))
		if r.status != 429 {
			continue
		}
		if r.code() != "rate_limit_exceeded" || r.header.Get("Retry-After") != "1" {
			t.Errorf("%v %s", r.header, r.body)
		}
		return
	}
	t.Error("no event was refused")
}
