package httpd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A Limiter counts requests. If it cannot, it returns an error of kind
// registry.ErrUnavailable and a [quota.Result] with only Limit and Reset set.
type Limiter interface {
	// Take counts a request of s in the current window, and reports whether
	// it may pass.
	Take(ctx context.Context, s quota.Subject, limit int) (quota.Result, error)
	// Peek returns what Take would, and counts nothing.
	Peek(ctx context.Context, s quota.Subject, limit int) (quota.Result, error)
}

// An Allowance is the limit that a request counts against.
type Allowance struct {
	Subject quota.Subject
	Limit   int    // requests in a window; 0: unlimited
	Plan    string // the account's plan; "" without a key
}

// PerHour counts requests with a key against the hourly limit of the account's
// plan, and requests without one against the limit of clients.
func PerHour(clients int) func(c *gin.Context) Allowance {
	return perPlan(quota.AccountHour, func(p *account.Plan) int { return p.Hourly }, clients)
}

// PerDay is like [PerHour] with the daily limit of the plan.
func PerDay(clients int) func(c *gin.Context) Allowance {
	return perPlan(quota.AccountDay, func(p *account.Plan) int { return p.Daily }, clients)
}

func perPlan(of quota.Kind, limit func(*account.Plan) int, clients int) func(c *gin.Context) Allowance {
	return func(c *gin.Context) Allowance {
		if a, ok := AccessOf(c); ok {
			return Allowance{quota.Subject{Of: of, ID: uint64(a.Account)}, limit(a.Plan), a.Plan.ID}
		}
		return Allowance{Subject: ClientOf(c).Subject(), Limit: clients}
	}
}

// Limit refuses requests over the limit that due returns, and sets the
// X-RateLimit headers of all responses. It does not count preflight requests.
func Limit(l Limiter, docs string, due func(c *gin.Context) Allowance) gin.HandlerFunc {
	return LimitShown(l, func(c *gin.Context, err error) { WriteProblem(c, docs, err) }, due)
}

// LimitShown is like [Limit], and writes refusals with render.
func LimitShown(l Limiter, render func(c *gin.Context, err error), due func(c *gin.Context) Allowance) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := applyLimit(c, l, due(c), c.Request.Method != http.MethodOptions); err != nil {
			render(c, err)
		}
	}
}

// ApplyLimit counts a request against d, sets the X-RateLimit headers, and returns an error if
// the request must not pass.
func ApplyLimit(c *gin.Context, l Limiter, d Allowance) error { return applyLimit(c, l, d, true) }

// LimitKeyless makes requests with a missing or invalid key count against the
// limit of clients. It must precede [NeedKey] and [TakeKey].
func LimitKeyless(l Limiter, clients int) gin.HandlerFunc {
	countKeyless := func(c *gin.Context, refusal error) error {
		// other errors are not the client's fault
		counts := errors.Is(refusal, registry.ErrUnauthorized) || errors.Is(refusal, registry.ErrForbidden)
		if err := applyLimit(c, l, Allowance{Subject: ClientOf(c).Subject(), Limit: clients}, counts); err != nil {
			return err
		}
		return refusal
	}
	return func(c *gin.Context) { requestOf(c).countKeyless = countKeyless }
}

// applyLimit sets the X-RateLimit headers. If count is true, it counts the
// request and returns an error if it must not pass.
func applyLimit(c *gin.Context, l Limiter, d Allowance, count bool) error {
	if d.Plan != "" {
		c.Header("X-Ratelimit-Plan", d.Plan)
	}
	if d.Limit == 0 {
		return nil
	}
	query := l.Peek
	if count {
		query = l.Take
	}
	result, err := query(c.Request.Context(), d.Subject, d.Limit)
	c.Header("X-Ratelimit-Limit", strconv.Itoa(result.Limit))
	c.Header("X-Ratelimit-Reset", strconv.FormatInt(result.Reset.Unix(), 10))
	if err == nil {
		c.Header("X-Ratelimit-Remaining", strconv.Itoa(result.Remaining))
	}
	switch {
	case !count:
		return nil
	case err != nil:
		return err
	case !result.Allowed:
		return overLimit(d, result)
	}
	return nil
}

func overLimit(d Allowance, result quota.Result) error {
	who, what, window := "address", "requests", "hour"
	switch d.Subject.Of {
	case quota.ToolHour:
		what = "tool calls"
	case quota.AccountHour, quota.OwnerHour:
		who = "account"
	case quota.AccountDay:
		who, window = "account", "day"
	}
	if result.OfSite {
		who, result.Limit = "network", result.Limit*quota.SiteFactor
	}
	return &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(time.Second, result.RetryAfter),
		Msg: fmt.Sprintf("Rate limit reached: %d %s per %s for this %s. It resets at %s UTC.",
			result.Limit, what, window, who, result.Reset.UTC().Format("15:04"))}
}

// maxClients is the maximum number of clients and sites that [LimitPerMinute] tracks.
const maxClients = 100_000

// LimitPerMinute refuses requests of a client beyond n per minute, with bursts of n, and of a site
// beyond [quota.SiteFactor] times that. It counts in this process only and sets no headers: it protects
// the process and is not part of a plan. It does not count preflight requests.
func LimitPerMinute(n int, render func(c *gin.Context, err error)) gin.HandlerFunc {
	limiters, _ := lru.New[netip.Prefix, *rate.Limiter](maxClients) // the size is valid
	limiterOf := func(network netip.Prefix, n int) *rate.Limiter {
		l, ok := limiters.Get(network)
		if !ok {
			l = rate.NewLimiter(rate.Limit(float64(n)/60), n)
			if earlier, ok, _ := limiters.PeekOrAdd(network, l); ok {
				l = earlier
			}
		}
		return l
	}
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return
		}
		client := ClientOf(c).Addr
		all := []*rate.Limiter{limiterOf(netip.PrefixFrom(client, client.BitLen()), n)}
		if client.IsValid() { // those that are unknown are one client
			all = append(all, limiterOf(account.NetworkOf(client), quota.SiteFactor*n))
		}
		for _, l := range all {
			if !l.AllowN(time.Now(), 1) {
				wait := time.Duration((1 - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
				render(c, &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(wait, time.Second),
					Msg: "Rate limit reached: " + strconv.Itoa(n) + " requests per minute for this address."})
				return
			}
		}
	}
}

// Calls are the counted calls of accounts.
type Calls interface {
	// Calls returns the calls of an account on UTC days, both ends included.
	Calls(ctx context.Context, account int64, from, to time.Time) ([]meter.DayCalls, error)
}

// UsedToday returns how many requests to /v1 an account has made today and how many remain, nil
// if unknown. For plans without a limit these are the stored calls, which are some seconds old.
func UsedToday(
	ctx context.Context, l Limiter, calls Calls, id int64, plan *account.Plan, now time.Time,
) (used, left *int64) {
	var n int64
	if plan.Daily > 0 {
		if l == nil {
			return nil, nil
		}
		count, err := l.Peek(ctx, quota.Subject{Of: quota.AccountDay, ID: uint64(id)}, plan.Daily)
		if err != nil {
			return nil, nil
		}
		rest := int64(count.Remaining)
		n = int64(plan.Daily) - rest
		return &n, &rest
	}
	day := now.UTC().Truncate(24 * time.Hour)
	all, err := calls.Calls(ctx, id, day, day)
	if err != nil {
		return nil, nil
	}
	for _, c := range all {
		if strings.HasPrefix(c.Endpoint, "/v1") { // /api has its own limit
			n += c.Calls
		}
	}
	return &n, nil
}
