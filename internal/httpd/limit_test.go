package httpd

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// counts is a limiter with one window that never ends.
type counts struct {
	mu     sync.Mutex
	taken  map[quota.Subject]int
	broken error
}

func (l *counts) Take(_ context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return l.count(s, limit, 1)
}

func (l *counts) Peek(_ context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return l.count(s, limit, 0)
}

func (l *counts) count(s quota.Subject, limit, n int) (quota.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := quota.Result{Limit: limit, Reset: time.Unix(1_800_000_000, 0),
		RetryAfter: 90 * time.Second}
	if l.broken != nil {
		return left, l.broken
	}
	if l.taken == nil {
		l.taken = map[quota.Subject]int{}
	}
	if left.Remaining = limit - l.taken[s]; left.Remaining > 0 {
		l.taken[s] += n
		left.Remaining -= n
		left.Allowed = true
	}
	return left, nil
}

func TestLimit(t *testing.T) {
	e := NewEngine(Config{DocsURL: "/docs/errors"})
	e.Use(Under("/api", Limit(&counts{}, "/docs/errors", PerHour(2))))
	Get(e, "/api/x", func(c *gin.Context) { Write(c, Response{Body: []byte("{}")}) })
	Get(e, "/apix", func(c *gin.Context) { Write(c, Response{Body: []byte("{}")}) })
	for i, want := range []int{200, 414, 429, 429} {
		target := "/api/x"
		if i == 1 {
			target = "/api/none/" + strings.Repeat("a", MaxURL)
		}
		w := serve(e, "GET", target)
		h := w.Header()
		left := fmt.Sprint(max(0, 1-i))
		if w.Code != want || h.Get("X-RateLimit-Limit") != "2" ||
			h.Get("X-RateLimit-Remaining") != left {
			t.Errorf("%d: %d %v", i, w.Code, h)
		}
	}
	w := serve(e, "GET", "/apix")
	if w.Code != 200 || w.Header().Get("X-RateLimit-Limit") != "" {
		t.Errorf("/apix is limited: %d", w.Code)
	}
}

func TestLimitByPlan(t *testing.T) {
	l := &counts{}
	e := NewEngine(Config{DocsURL: "/docs/errors"})
	e.Use(LimitKeyless(l, 3),
		Under("/v1", NeedKey(plans{}, "/docs/errors")),
		Under("/api", TakeKey(plans{}, "/docs/errors")),
		Under("/v1", Limit(l, "/docs/errors", PerDay(3))),
		Under("/api", Limit(l, "/docs/errors", PerHour(3))))
	h := func(c *gin.Context) { Write(c, Response{Body: []byte("{}"), Tag: `"a"`}) }
	Get(e, "/v1/x", h)
	Get(e, "/api/x", h)

	type response struct{ limit, left, plan, retryAfter string }
	request := func(method, target, key string, headers ...string) (int, response, string) {
		if key != "" {
			headers = append(headers, "Authorization", "Bearer "+key)
		}
		w := serve(e, method, target, headers...)
		g := w.Header().Get
		if w.Code == 429 && g("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %q", method, target, g("Cache-Control"))
		}
		if reset := g("X-RateLimit-Reset"); (reset == "1800000000") != (g("X-RateLimit-Limit") != "") {
			t.Errorf("%s %s: resets at %q", method, target, reset)
		}
		return w.Code, response{
			g("X-RateLimit-Limit"), g("X-RateLimit-Remaining"), g("X-RateLimit-Plan"),
			g("Retry-After"),
		}, w.Body.String()
	}
	for i, tc := range []struct {
		method, target, key string
		status              int
		want                response
	}{
		{"GET", "/v1/x", "basic", 200, response{"100", "99", "basic", ""}},
		{"HEAD", "/v1/x", "basic", 200, response{"100", "98", "basic", ""}},
		{"GET", "/v1/none", "basic", 404, response{"100", "97", "basic", ""}},
		{"POST", "/v1/x", "basic", 405, response{"100", "96", "basic", ""}},
		{"GET", "/api/x", "basic", 200, response{"1000", "999", "basic", ""}},
		{"GET", "/v1/x", "professional", 200, response{"10000", "9999", "professional", ""}},
		{"GET", "/v1/x", "enterprise", 200, response{"", "", "enterprise", ""}},
		{"GET", "/api/x", "enterprise", 200, response{"", "", "enterprise", ""}},
		{"GET", "/api/x", "", 200, response{"3", "2", "", ""}},
		{"OPTIONS", "/v1/x", "", 204, response{"3", "2", "", ""}}, // not counted
		{"GET", "/v1/x", "outage", 503, response{"3", "2", "", "5"}},
		{"GET", "/v1/x", "", 401, response{"3", "1", "", ""}},
		{"GET", "/v1/x", "guess", 401, response{"3", "0", "", ""}},
		{"GET", "/v1/x", "guess", 429, response{"3", "0", "", "90"}},
		{"GET", "/api/x", "guess", 429, response{"3", "0", "", "90"}},
		{"GET", "/api/x", "", 429, response{"3", "0", "", "90"}},
		// whatever its client guesses
		{"GET", "/v1/x", "basic", 200, response{"100", "95", "basic", ""}},
	} {
		status, got, body := request(tc.method, tc.target, tc.key)
		if status != tc.status || got != tc.want {
			t.Errorf("%d: %s %s with %q:\n got %d %v\nwant %d %v\n%s",
				i, tc.method, tc.target, tc.key, status, got, tc.status, tc.want, body)
		}
	}
	if status, got, _ := request("GET", "/v1/x", "basic", "If-None-Match", `"a"`); status != 304 ||
		got.left != "94" {
		t.Errorf("304: %d %v", status, got)
	}
	for range 94 {
		request("GET", "/v1/x", "basic")
	}
	status, got, body := request("GET", "/v1/x", "basic")
	if status != 429 || got != (response{"100", "0", "basic", "90"}) ||
		!strings.Contains(body, "100 requests per day for this account. It resets at 08:00 UTC.") {
		t.Errorf("over the daily limit: %d %v %s", status, got, body)
	}
	l.broken = registry.Errorf(registry.ErrUnavailable, "Cannot count.")
	if status, got, _ := request("GET", "/v1/x", "professional"); status != 503 ||
		got != (response{"10000", "", "professional", "5"}) {
		t.Errorf("without a count: %d %v", status, got)
	}
	if status, _, _ := request("GET", "/v1/x", "enterprise"); status != 200 {
		t.Errorf("unlimited without a count: %d", status)
	}
}

// plans is a keyring whose keys are the ids of plans.
type plans struct{}

func (plans) Find(_ time.Time, key string) (account.Access, error) {
	if p := account.PlanNamed(key); p != nil {
		return account.Access{Account: int64(len(key)), Key: 1, Plan: p}, nil
	}
	if key == "outage" {
		return account.Access{},
			registry.Errorf(registry.ErrUnavailable, "Keys cannot be looked up.")
	}
	return account.Access{}, badKey("There is no such key.")
}
