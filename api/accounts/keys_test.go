package accounts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/registry"
)

func into(t *testing.T, r result, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
}

type keyView struct {
	ID        int64
	Key       string
	Name      string
	Prefix    string
	Status    string
	ExpiresAt *time.Time
	RevokedAt *time.Time
	Replaces  *keyView
}

func (p *person) keys() (list []keyView) {
	p.t.Helper()
	r := p.wants(200, p.do("GET", "/keys"))
	var b struct {
		Keys  []keyView
		Limit int
	}
	into(p.t, r, &b)
	if b.Limit != account.MaxKeys || b.Keys == nil {
		p.t.Errorf("limit %d, keys %v", b.Limit, b.Keys)
	}
	return b.Keys
}

func (p *person) makeKey(name string) (k keyView) {
	p.t.Helper()
	into(p.t, p.wants(201, p.do("POST", "/keys", "name", name)), &k)
	return k
}

func TestKeys(t *testing.T) {
	h := newHouse(t, setting{})
	p := h.memberIn("ann@example.com")
	if list := p.keys(); len(list) != 0 {
		t.Errorf("at first: %v", list)
	}
	made := p.makeKey("  ci ")
	if !regexp.MustCompile("^"+keyring.Pattern+"$").MatchString(made.Key) || made.Name != "ci" || made.Prefix != made.Key[:10] || made.Status != "active" {
		t.Fatalf("made %+v", made)
	}
	a, err := h.ring.Find(h.now(), made.Key)
	if err != nil || a.Key != made.ID || a.Plan.ID != "basic" {
		t.Errorf("the key gives %+v, %v", a, err)
	}
	r := p.wants(200, p.do("GET", "/keys"))
	if strings.Contains(r.body, made.Key) || strings.Contains(r.body, `"key"`) {
		t.Errorf("the list has the key: %s", r.body)
	}
	if c := r.header.Get("Cache-Control"); c != "no-store" {
		t.Errorf("Cache-Control: %s", c)
	}
	path := fmt.Sprintf("/keys/%d", made.ID)
	p.wants(200, p.do("PATCH", path, "name", "build"))
	var next keyView
	into(t, p.wants(201, p.do("POST", path+"/rotate")), &next)
	if next.Name != "build" || next.Key == made.Key || next.Replaces == nil || next.Replaces.ID != made.ID || next.Replaces.Status != "rotated" || next.Replaces.Key != "" {
		t.Errorf("rotated to %+v", next)
	}
	p.wants(409, p.do("POST", path+"/rotate"))
	h.later(25 * time.Hour)
	if _, err := h.ring.Find(h.now(), made.Key); !errors.Is(err, registry.ErrUnauthorized) {
		t.Errorf("after the overlap: %v", err)
	}
	var gone keyView
	into(t, p.wants(200, p.do("DELETE", fmt.Sprintf("/keys/%d", next.ID))), &gone)
	if gone.Status != "revoked" || gone.RevokedAt == nil {
		t.Errorf("revoked: %+v", gone)
	}
	if _, err := h.ring.Find(h.now(), next.Key); !errors.Is(err, registry.ErrUnauthorized) {
		t.Errorf("after revoking: %v", err)
	}
	list := p.keys()
	if len(list) != 2 || list[0].Status != "revoked" || list[1].Status != "expired" {
		t.Errorf("list: %+v", list)
	}
	h.later(5 * 24 * time.Hour)
	if len(p.keys()) != 2 {
		t.Error("what ended is forgotten too soon")
	}
}

func TestInvalidKeyRequests(t *testing.T) {
	h := newHouse(t, setting{})
	p, other := h.memberIn("ann@example.com"), h.memberIn("bob@example.com")
	theirs := other.makeKey("theirs")
	mine := p.makeKey("mine")
	path := fmt.Sprintf("/keys/%d", mine.ID)
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/keys", `{"name": ""}`, 400, "missing_parameter"},
		{"POST", "/keys", `{"name": "` + strings.Repeat("x", 61) + `"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "a\u0000b"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "a\nb"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": 7}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": null}`, 400, "missing_parameter"},
		{"POST", "/keys", `{}`, 400, "missing_parameter"},
		{"POST", "/keys", `{"name": "x", "expires": "never"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "x"`, 400, "invalid_body"},
		{"POST", "/keys", `[]`, 400, "invalid_body"},
		{"PATCH", path, `{}`, 400, "missing_parameter"},
		{"PATCH", "/keys/0", `{"name": "x"}`, 404, "key_not_found"},
		{"PATCH", fmt.Sprintf("/keys/%d", theirs.ID), `{"name": "x"}`, 404, "key_not_found"},
		{"DELETE", fmt.Sprintf("/keys/%d", theirs.ID), "", 404, "key_not_found"},
		{"POST", fmt.Sprintf("/keys/%d/rotate", theirs.ID), "", 404, "key_not_found"},
		{"DELETE", "/keys/99999999999999999999", "", 404, "key_not_found"},
		{"DELETE", "/keys/" + mine.Key, "", 404, "key_not_found"},
	} {
		r := p.send(p.request(tt.method, "/account/api"+tt.path, tt.body))
		if r.status != tt.status || r.code() != tt.code {
			t.Errorf("%s %s %s: %d %s, want %d %s", tt.method, tt.path, tt.body, r.status, r.body, tt.status, tt.code)
		}
		if strings.Contains(r.body, mine.Key) && !strings.Contains(tt.path, mine.Key) {
			t.Errorf("%s %s: the answer has a key", tt.method, tt.path)
		}
	}
	for range account.MaxKeys - 1 {
		p.makeKey("more")
	}
	if r := p.do("POST", "/keys", "name", "too many"); r.status != 409 || r.code() != "too_many_keys" {
		t.Errorf("one too many: %d %s", r.status, r.body)
	}
	stranger := h.visitor()
	for _, r := range [][2]string{{"GET", "/keys"}, {"POST", "/keys"}, {"PATCH", path}, {"DELETE", path}, {"POST", path + "/rotate"},
		{"GET", "/plan"}, {"POST", "/plan"}, {"POST", "/plan/portal"}} {
		if got := stranger.do(r[0], r[1], "name", "x"); got.status != 401 || got.code() != "not_signed_in" {
			t.Errorf("%s %s of a stranger: %d %s", r[0], r[1], got.status, got.body)
		}
	}
	req := p.request("DELETE", "/account/api"+path, "")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if r := p.send(req); r.status != 403 || r.code() != "cross_origin" {
		t.Errorf("from another site: %d %s", r.status, r.body)
	}
	if _, err := h.ring.Find(h.now(), mine.Key); err != nil {
		t.Errorf("the key does not work any more: %v", err)
	}
}

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
	h := newHouse(t, setting{})
	p := h.memberIn("ann@example.com")
	var v planView
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if v.Plan != "basic" || v.Until != nil || v.Next != nil || v.Pays || v.CanPay || v.CheckoutURL != nil || len(v.Plans) != len(account.Plans) {
		t.Errorf("%+v", v)
	}
	p.wants(200, p.do("POST", "/plan", "plan", "basic"))
	for _, tt := range []struct {
		body, code string
		status     int
	}{
		{`{"plan": "professional"}`, "plans_by_operator", 409}, {`{"plan": "gold"}`, "invalid_parameter", 400}, {`{}`, "missing_parameter", 400},
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
	if err := h.db.SetPlan(t.Context(), account.ByOperator, h.now(), l.ID, account.Subscription{Plan: "enterprise", Until: &until, Next: "professional"}); err != nil {
		t.Fatal(err)
	}
	into(t, p.wants(200, p.do("GET", "/plan")), &v)
	if v.Plan != "enterprise" || v.Until == nil || !v.Until.Equal(until) || v.Next == nil || *v.Next != "professional" {
		t.Errorf("%+v", v)
	}
}

// A till is a provider that everybody pays at.
type till struct {
	billing.Provider
	customer, plan string
}

func (p *till) Introduce(context.Context, account.Account) (string, error) {
	p.customer = "cus_1"
	return p.customer, nil
}
func (p *till) Checkout(_ context.Context, customer string, plan *account.Plan) (string, error) {
	return "https://pay.example/" + customer + "/" + plan.ID, nil
}
func (p *till) Portal(_ context.Context, customer string) (string, error) {
	return "https://manage.example/" + customer, nil
}
func (p *till) Paid(context.Context, string) ([]billing.Paid, error) {
	if p.plan == "" {
		return nil, nil
	}
	return []billing.Paid{{ID: "sub_1", Item: "si_1", Plan: p.plan, PeriodEnd: time.Now().Add(time.Hour)}}, nil
}
func (p *till) Event(payload []byte, signature string) (string, error) {
	if signature != "signed" {
		return "", &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_signature", Msg: "The event is not signed."}
	}
	return string(payload), nil
}

func TestPlan(t *testing.T) {
	pay := &till{}
	h := newHouse(t, setting{provider: pay})
	p := h.memberIn("ann@example.com")
	key := p.makeKey("ci")
	var v planView
	into(t, p.wants(200, p.do("POST", "/plan", "plan", "enterprise")), &v)
	if !v.CanPay || v.Pays || v.Plan != "basic" || v.CheckoutURL == nil || *v.CheckoutURL != "https://pay.example/cus_1/enterprise" {
		t.Errorf("%+v", v)
	}
	event := func(body string, signatures ...string) result {
		req := p.request("POST", accounts.WebhookPath, body)
		req.Header["Stripe-Signature"] = signatures
		req.Header.Set("Sec-Fetch-Site", "cross-site") // which is no matter here
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
	if r := p.do("GET", "/audit"); !strings.Contains(r.body, "plan.changed") || !strings.Contains(r.body, "key.made") || strings.Contains(r.body, key.Key) {
		t.Errorf("audit: %s", r.body)
	}
}
