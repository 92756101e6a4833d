package billing_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
)

// stripeMock starts Stripe's own mock, which checks every request against
// Stripe's OpenAPI document and answers with examples of it.
func stripeMock(t *testing.T) (url string) {
	t.Helper()
	program := os.Getenv("CENSUS_TEST_STRIPE_MOCK")
	if program == "" {
		program, _ = exec.LookPath("stripe-mock")
	}
	if program == "" {
		out, _ := exec.Command("go", "env", "GOPATH").Output()
		for dir := range strings.SplitSeq(strings.TrimSpace(string(out)),
			string(os.PathListSeparator)) {
			if p := filepath.Join(dir, "bin", "stripe-mock"); dir != "" && program == "" {
				if _, err := os.Stat(p); err == nil {
					program = p
				}
			}
		}
	}
	if program == "" {
		t.Skip("SKIPPED: there is no stripe-mock. Install it (go install github.com/stripe/stripe-mock@latest) or set CENSUS_TEST_STRIPE_MOCK to the program.")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := exec.Command(program, "-http-addr", addr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return "http://" + addr
		}
		if time.Now().After(end) {
			t.Fatalf("stripe-mock does not start: %v", err)
		}
	}
}

func TestStripeMock(t *testing.T) {
	url := stripeMock(t)
	// The mock's example of a subscription has a price; it is to be one of ours.
	req, _ := http.NewRequest("GET", url+"/v1/subscriptions", nil)
	req.SetBasicAuth("sk_test_123", "")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			ID    string
			Items struct {
				Data []struct{ Price struct{ ID string } }
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || len(list.Data) == 0 ||
		len(list.Data[0].Items.Data) == 0 {
		t.Fatalf("the mock's subscriptions: %+v, %v", list, err)
	}
	s, err := billing.NewStripe(billing.StripeOptions{
		Key: "sk_test_123", WebhookSecret: secret, BaseURL: "https://census.example", URL: url,
		Prices: map[string][]string{"professional": {list.Data[0].Items.Data[0].Price.ID},
			"enterprise": {"price_2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	pro, ent := account.PlanNamed("professional"), account.PlanNamed("enterprise")
	customer, err := s.Introduce(ctx, account.Account{ID: 7, Email: "ann@example.com"})
	if err != nil || !strings.HasPrefix(customer, "cus_") {
		t.Fatalf("customer %q, %v", customer, err)
	}
	if u, err := s.Checkout(ctx, customer, pro); err != nil || !strings.HasPrefix(u, "https://") {
		t.Errorf("checkout at %q, %v", u, err)
	}
	if u, err := s.Portal(ctx, customer); err != nil || !strings.HasPrefix(u, "https://") {
		t.Errorf("portal at %q, %v", u, err)
	}
	paid, err := s.Paid(ctx, customer)
	if err != nil || len(paid) == 0 {
		t.Fatalf("%+v, %v", paid, err)
	}
	sub := paid[0]
	if sub.ID != list.Data[0].ID || sub.Plan != "professional" || sub.Item == "" ||
		sub.PeriodEnd.IsZero() {
		t.Errorf("read %+v", sub)
	}
	for name, err := range map[string]error{
		"raise": s.Raise(ctx, sub, ent), "lower": s.Lower(ctx, sub, ent, pro), "keep": s.Keep(ctx,
			sub, pro), "keep another": s.Keep(ctx, sub, ent),
		"cancel": s.Cancel(ctx, sub), "forget": s.Forget(ctx, customer),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.UnpaidUntil(ctx, sub.ID); err != nil {
		t.Errorf("open invoices: %v", err)
	}
}

// Events are read as Stripe shapes them: about the mock's objects, which are
// Stripe's own examples, with a customer as an ID or whole.
func TestStripeMockEvents(t *testing.T) {
	url := stripeMock(t)
	get := func(path string) (body map[string]any) {
		t.Helper()
		req, _ := http.NewRequest("GET", url+path, nil)
		req.SetBasicAuth("sk_test_123", "")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
		}
		return body
	}
	s, err := billing.NewStripe(billing.StripeOptions{
		Key: "sk_test_123", WebhookSecret: secret, BaseURL: "https://census.example", URL: url,
		Prices: map[string][]string{"professional": {"price_1"}, "enterprise": {"price_2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	event := get("/v1/events/evt_1")
	for kind, path := range map[string]string{
		"customer.subscription.created": "/v1/subscriptions/sub_1",
		"customer.subscription.updated": "/v1/subscriptions/sub_1?expand[]=customer",
		"customer.subscription.deleted": "/v1/subscriptions/sub_1",
		"invoice.paid":                  "/v1/invoices/in_1",
		"invoice.payment_failed":        "/v1/invoices/in_1?expand[]=customer",
		"checkout.session.completed":    "/v1/checkout/sessions/cs_1",
	} {
		object := get(path)
		if object["customer"] == nil { // the example of a checkout has none
			object["customer"] = "cus_example"
		}
		want, expanded := "", false
		switch c := object["customer"].(type) {
		case string:
			want = c
		case map[string]any:
			want, _ = c["id"].(string)
			expanded = true
		}
		if want == "" || expanded != strings.Contains(path, "expand") {
			t.Fatalf("%s: the customer is %v", path, object["customer"])
		}
		event["type"], event["data"] = kind, map[string]any{"object": object}
		payload, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Event(payload, sign(payload, time.Now(), secret)); err != nil ||
			got != want {
			t.Errorf("%s is about %q, %v; want %q", kind, got, err, want)
		}
	}
}
