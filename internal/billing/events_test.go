package billing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
)

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
	api, err := accounts.New(accounts.Options{Plans: s.Billing, BaseURL: "https://census.example"})
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.TestMode)
	server := gin.New()
	api.RegisterWebhook(server)
	send := func(payload []byte, signature string, status int) {
		t.Helper()
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", accounts.WebhookPath,
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
