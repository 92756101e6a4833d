package accounts_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
)

// Alerts come once per day and threshold, from however many processes.
func TestUsageAlerts(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ann@example.com")
	l, err := h.db.AccountOf(t.Context(), "ann@example.com")
	if err != nil {
		t.Fatal(err)
	}
	day := h.now()
	batch := int64(0)
	use := func(endpoint string, calls int64) {
		batch++
		if err := h.db.AddCounts(t.Context(), meter.Counts{Process: "p", Batch: batch,
			Calls: []meter.CallCount{{Account: l.ID, DayCalls: meter.DayCalls{Date: day, Key: 1, Endpoint: endpoint, Calls: calls}}}}, day); err != nil {
			t.Fatal(err)
		}
	}
	limits := map[string]int{account.Basic: 100, account.Professional: 10_000}
	due := func() string {
		var wg sync.WaitGroup
		results := make([][]account.UsageAlert, 4)
		for i := range results { // processes
			wg.Go(func() { results[i], _ = h.db.TakeUsageAlerts(t.Context(), day, limits, account.AlertPercents) })
		}
		wg.Wait()
		out := []int{}
		for _, x := range slices.Concat(results...) {
			out = append(out, x.Percent)
		}
		slices.Sort(out)
		return fmt.Sprint(out)
	}
	for _, step := range []struct {
		endpoint string
		calls    int64
		want     string
	}{
		{"/api/discover", 500, "[]"}, {"/v1/servers", 79, "[]"}, {"/v1/search", 1, "[80]"}, {"/v1/search", 19, "[]"},
		{"/v1/search", 1, "[100]"}, {"/v1/search", 50, "[]"},
	} {
		use(step.endpoint, step.calls)
		if got := due(); got != step.want {
			t.Errorf("after %d of %s: %s, want %s", step.calls, step.endpoint, got, step.want)
		}
	}
	if _, err := h.db.TakeUsageAlerts(t.Context(), day.AddDate(0, 0, 1), limits, account.AlertPercents); err != nil {
		t.Error(err)
	}
	day = day.AddDate(0, 0, 1)
	use("/v1/search", 200)
	p.wants(204, p.send(p.request("POST", "/account/api/usage-alerts", `{"enabled": false}`)))
	if got := due(); got != "[]" {
		t.Errorf("turned off: %s", got)
	}
	p.wants(204, p.send(p.request("POST", "/account/api/usage-alerts", `{"enabled": true}`)))
	if r := p.send(p.request("POST", "/account/api/usage-alerts", `{"enabled": "no"}`)); r.status != 400 {
		t.Errorf("no flag: %d", r.status)
	}
	if err := h.db.SetPlan(t.Context(), account.ByOperator, day, l.ID, account.Subscription{Plan: account.Professional}); err != nil {
		t.Fatal(err)
	}
	if got := due(); got != "[]" {
		t.Errorf("of 10,000: %s", got)
	}
	ends := day.Add(-time.Hour)
	if err := h.db.SetPlan(t.Context(), account.ByOperator, day, l.ID, account.Subscription{Plan: account.Professional, Until: &ends}); err != nil {
		t.Fatal(err)
	}
	if got := due(); got != "[80 100]" {
		t.Errorf("after the plan's end: %s", got)
	}
}

func TestUsageAlerts_mail(t *testing.T) {
	h := newHouse(t, options{mail: true})
	h.memberIn("ann@example.com")
	l, err := h.db.AccountOf(t.Context(), "ann@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for i, calls := range []int64{85, 20} {
		if err := h.db.AddCounts(t.Context(), meter.Counts{Process: "p", Batch: int64(i + 1),
			Calls: []meter.CallCount{{Account: l.ID, DayCalls: meter.DayCalls{Date: h.now(), Key: 1, Endpoint: "/v1/servers", Calls: calls}}}}, h.now()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := h.acc.AlertUsage(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		expectMail(t, h, []string{"used 80% of today's requests", "used all of today's requests"}[i])
	}
}

// expectMail waits for the next mail and compares its subject.
func expectMail(t *testing.T, h *fixture, subject string) {
	t.Helper()
	if m := h.post.next(); !strings.Contains(m.subject, subject) || m.to != "ann@example.com" {
		t.Errorf("%q to %s, want %q", m.subject, m.to, subject)
	}
}
