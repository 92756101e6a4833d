package account_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
)

// Alerts come once a day and percentage, from however many processes, unless the owner turns
// them off in the settings.
func TestAccount_usageAlerts(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ann@example.com")
	l, err := b.people.ForOperator(t.Context(), "ann@example.com")
	if err != nil {
		t.Fatal(err)
	}
	batch := int64(0)
	use := func(endpoint string, calls int64) {
		t.Helper()
		batch++
		count := meter.CallCount{Account: l.ID,
			DayCalls: meter.DayCalls{Date: b.now(), Key: 1, Endpoint: endpoint, Calls: calls}}
		if err := b.own.AddCounts(t.Context(), meter.Counts{Process: "p", Batch: batch,
			Calls: []meter.CallCount{count}}, b.now()); err != nil {
			t.Fatal(err)
		}
	}
	limits := map[string]int{account.Basic: 100, account.Professional: 10_000}
	due := func() string {
		var group sync.WaitGroup
		results := make([][]account.UsageAlert, 4)
		for i := range results { // processes
			group.Go(func() {
				results[i], _ = b.own.TakeUsageAlerts(t.Context(), b.now(), limits, account.AlertPercents)
			})
		}
		group.Wait()
		percents := []int{}
		for _, x := range slices.Concat(results...) {
			percents = append(percents, x.Percent)
		}
		slices.Sort(percents)
		return fmt.Sprint(percents)
	}
	var got []string
	want := []string{"[]", "[]", "[80]", "[]", "[100]", "[]"}
	for i, endpoint := range []string{
		"/api/discover", "/v1/servers", "/v1/search", "/v1/search", "/v1/search", "/v1/search",
	} {
		use(endpoint, []int64{500, 79, 1, 19, 1, 50}[i])
		got = append(got, due())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.later(24 * time.Hour)
	w.open("/account/settings", 200)
	w.send("/account/usage-alerts", 200)
	w.says("Usage alerts are off.")
	use("/v1/search", 200)
	if got := due(); got != "[]" {
		t.Errorf("turned off: %s", got)
	}
	w.send("/account/usage-alerts", 200)
	w.says("We send an email when 80% and 100%")
	if err := b.people.AlertUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if mail := b.mail(); !strings.Contains(mail, "has used all of the 100 requests per day") {
		t.Error(mail)
	}
}
