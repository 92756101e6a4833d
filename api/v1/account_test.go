package v1

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// book knows the keys of accounts and their calls.
type book struct {
	calls []meter.DayCalls
	down  bool
}

func (b *book) Keys(_ context.Context, accountID int64) ([]account.Key, error) {
	if b.down {
		return nil, errDown
	}
	return []account.Key{{ID: 21, Account: accountID, Name: "production", Prefix: "mcp_4fT9aZ"}, {ID: 22, Account: accountID, Name: "tests", Prefix: "mcp_0a1b2c"}}, nil
}

func (b *book) Calls(_ context.Context, accountID int64, from, to time.Time) (out []meter.DayCalls, err error) {
	if b.down {
		return nil, errDown
	}
	for _, c := range b.calls {
		if !c.Date.Before(from) && !c.Date.After(to) && accountID != 1 {
			out = append(out, c)
		}
	}
	return out, nil
}

// fixedLimiter is a limiter with one count for everybody.
type fixedLimiter struct {
	mu   sync.Mutex
	used int
	down bool
}

func (w *fixedLimiter) Take(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	w.mu.Lock()
	if w.used < limit {
		w.used++
		w.mu.Unlock()
		l, err := w.Peek(ctx, s, limit)
		l.Allowed = true
		return l, err
	}
	w.mu.Unlock()
	return w.Peek(ctx, s, limit)
}

func (w *fixedLimiter) Peek(_ context.Context, _ quota.Subject, limit int) (quota.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := quota.Result{Limit: limit, Remaining: limit - w.used, Reset: day("2026-11-03"), RetryAfter: 12 * time.Hour}
	if w.down {
		return l, registry.Errorf(registry.ErrUnavailable, "Requests cannot be counted at the moment.")
	}
	return l, nil
}

// tally remembers calls.
type tally struct {
	mu    sync.Mutex
	calls []string
}

func (t *tally) Call(accountID, key int64, endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, fmt.Sprint(accountID, " ", key, " ", endpoint))
}

func TestAccount(t *testing.T) {
	b, w := &book{calls: []meter.DayCalls{{Date: day("2026-11-02"), Key: 31, Endpoint: "/v1/servers", Calls: 41},
		{Date: day("2026-11-02"), Key: 31, Endpoint: "/api/discover", Calls: 400}}}, &fixedLimiter{used: 811}
	x := start(t, 3, func(o *Options) { o.Accounts, o.API.Limiter = accounts{book: b}, w })
	var a accountBody
	read := func(key string) {
		t.Helper()
		a = accountBody{}
		status, raw := x.read(x.do(key, "GET", "/v1/account", ""))
		if err := json.Unmarshal(raw, &a); err != nil || status != 200 {
			t.Fatalf("%d %s", status, raw)
		}
	}
	read("professional")
	if a.Plan.ID != "professional" || *a.Plan.Daily != 10_000 || *a.Limits.Limit != 10_000 || *a.Limits.Used != 812 || *a.Limits.Remaining != 9188 || a.Limits.Reset != day("2026-11-03").Unix() {
		t.Errorf("%s", encoded(a))
	}
	if !a.Plan.Until.Equal(planEnd) || *a.Plan.Next != "basic" || *a.Key.Name != "production" || a.Key.ID != 21 {
		t.Errorf("%s", encoded(a))
	}
	read("enterprise")
	if a.Limits.Limit != nil || a.Limits.Remaining != nil || *a.Limits.Used != 41 || a.Plan.Daily != nil || a.Key.Name != nil {
		t.Errorf("%s", encoded(a))
	}
	b.down, w.down = true, false
	read("professional")
	if a.Plan.ID != "professional" || *a.Key.Name != "production" || !a.Plan.Until.Equal(planEnd) || *a.Limits.Used == 0 {
		t.Errorf("without the database: %s", encoded(a))
	}
}

func TestUsage(t *testing.T) {
	b := &book{calls: []meter.DayCalls{
		{Date: day("2026-10-01"), Key: 21, Endpoint: "/v1/servers", Calls: 5},
		{Date: day("2026-11-01"), Key: 21, Endpoint: "/v1/servers", Calls: 7},
		{Date: day("2026-11-01"), Key: 9, Endpoint: "/v1/servers/:id/analytics", Calls: 2},
		{Date: day("2026-11-02"), Key: 22, Endpoint: "/v1/search", Calls: 1},
	}}
	x := start(t, 3, func(o *Options) { o.Accounts = accounts{book: b} })
	var u usageBody
	status, raw := x.get("/v1/usage")
	if err := json.Unmarshal(raw, &u); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if u.Total != 10 || u.Period.From != "2026-10-04" || u.Period.To != "2026-11-02" || !slices.Equal(u.Days, []dayBody{{"2026-11-01", 9}, {"2026-11-02", 1}}) {
		t.Errorf("%s", raw)
	}
	if want := (callsBody{"2026-11-01", "/v1/servers/{id}/analytics", keyName{ID: 9}, 2}); !reflect.DeepEqual(u.Usage[1], want) {
		t.Errorf("%s", raw)
	}
	if k := u.Usage[0].Key; *k.Name != "production" || *k.Prefix != "mcp_4fT9aZ" {
		t.Errorf("%s", raw)
	}
	_, raw = x.get("/v1/usage?from=2026-10-01&to=2026-10-01")
	if !strings.Contains(string(raw), `"total":5,`) {
		t.Errorf("%s", raw)
	}
	_, raw = x.read(x.do("basic", "GET", "/v1/usage", ""))
	if !strings.Contains(string(raw), `"total":0,"days":[],"usage":[]`) {
		t.Errorf("another account: %s", raw)
	}
	b.down = true
	if got := x.told(x.do("basic", "GET", "/v1/usage", "")); got != "503 unavailable" {
		t.Error(got)
	}
}

func TestCountedCalls(t *testing.T) {
	w, m := &fixedLimiter{used: 90}, &tally{}
	x := start(t, 3, func(o *Options) { o.API.Limiter, o.API.Meter = w, m })
	for n, target := range []string{"/v1/servers", "/v1/servers?limit=0", "/v1/servers/nobody-at-all", "/v1/servers/octo-weather-mcp/analytics", "/v1/nothing", "/v1/servers/io.github.octo%2Fweather-mcp"} {
		res := x.do("basic", "GET", target, "")
		if left := res.Header.Get("X-RateLimit-Remaining"); left != itoa(9-n) || res.Header.Get("X-RateLimit-Limit") != "100" {
			t.Errorf("%s leaves %s", target, left)
		}
	}
	want := []string{"1 11 /v1/servers", "1 11 /v1/servers", "1 11 /v1/servers/:id", "1 11 /v1/servers/:id/analytics", "1 11 /v1", "1 11 /v1/servers/:id"}
	if !slices.Equal(m.calls, want) {
		t.Errorf("counted were %q", m.calls)
	}
	// An endpoint is a route: how it is asked makes no other of it.
	m.calls = nil
	x.do("basic", "GET", "/v1/search?q=mcp", "")
	x.do("basic", "POST", "/v1/search", `{"q":"mcp"}`)
	x.do("basic", "HEAD", "/v1/search", "")
	x.do("basic", "DELETE", "/v1/search", "")
	if want = []string{"1 11 /v1/search", "1 11 /v1/search", "1 11 /v1/search", "1 11 /v1"}; !slices.Equal(m.calls, want) {
		t.Errorf("counted were %q", m.calls)
	}
	w.used = 100
	res := x.do("basic", "GET", "/v1/servers", "")
	if got := x.told(res); got != "429 rate_limit_exceeded" || res.Header.Get("Retry-After") == "" || len(m.calls) != len(want) {
		t.Errorf("past the limit: %s %v", got, res.Header)
	}
	if res := x.do("enterprise", "GET", "/v1/servers", ""); res.StatusCode != 200 || res.Header.Get("X-RateLimit-Plan") != "enterprise" || res.Header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("without a limit: %d %v", res.StatusCode, res.Header)
	}
}

func TestPlans(t *testing.T) {
	x := start(t, 1)
	_, raw := x.get("/v1/plans")
	var b struct{ Plans []account.PlanBody }
	if err := json.Unmarshal(raw, &b); err != nil || len(b.Plans) != len(account.Plans) {
		t.Fatalf("%s", raw)
	}
	for i, have := range b.Plans {
		want := account.Plans[i]
		features := account.PlanFeatures{Analytics: want.Analytics, Bulk: want.Bulk,
			Changes: want.Changes, Custom: want.Custom}
		if have.ID != want.ID || have.PriceUSD != want.USD ||
			(have.Daily == nil) != (want.Daily == 0) || have.Features != features {
			t.Errorf("%+v", have)
		}
	}
}
