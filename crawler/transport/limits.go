package transport

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mcpcensus/internal/registry"
)

// Credentials holds the known limits of each credential at each upstream. The zero
// value is empty and ready to use.
type Credentials struct {
	mu  sync.Mutex
	all map[[2]string]*credentialState // by upstream and credential
}

func (a *Credentials) of(upstream, credential string) *credentialState {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := [2]string{upstream, credential}
	if a.all[key] == nil {
		if a.all == nil {
			a.all = map[[2]string]*credentialState{}
		}
		a.all[key] = &credentialState{
			budgets: map[string]*budget{}, pace: map[string]*rate.Limiter{},
			refused: map[string]int{},
		}
	}
	return a.all[key]
}

// A credentialState is the state of one credential at its upstream.
type credentialState struct {
	mu      sync.Mutex
	budgets map[string]*budget       // by resource
	pace    map[string]*rate.Limiter // by resource
	blocked time.Time                // no request of this credential before then
	strikes int                      // consecutive secondary limits
	refused map[string]int           // consecutive refusals, by resource
	problem string                   // why the credential is no longer used
	away    string                   // why the last request had no usable response, "" if it had
	paced   time.Time                // when the rate of [Options.Pace] last changed
	slots   chan struct{}            // requests in progress; nil: no limit
}

type budget struct {
	limit, remaining int
	reset, seen      time.Time
}

type maxWaitKey struct{}

// WithMaxWait lets requests of this context wait up to d for a limit instead
// of [Options.MaxWait].
func WithMaxWait(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, maxWaitKey{}, d)
}

// waitTurn waits until a request may be sent, or returns the limit.
func (c *Client) waitTurn(ctx context.Context, resource string) error {
	maxWait := c.opt.MaxWait
	if d, ok := ctx.Value(maxWaitKey{}).(time.Duration); ok {
		maxWait = d
	}
	deadline := c.opt.Now().Add(maxWait)
	if err := c.waitStanding(ctx, resource, deadline); err != nil {
		return err
	}
	pace := c.paceOf(resource)
	if pace == nil {
		return nil
	}
	now := c.opt.Now()
	turn := pace.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	until := now.Add(wait)
	if end, ok := ctx.Deadline(); until.After(deadline) || ok && time.Until(end) < wait {
		turn.CancelAt(now)
		return c.limited(PrimaryLimit, resource, until)
	}
	if err := c.opt.Sleep(ctx, wait); err != nil {
		return err
	}
	return c.waitStanding(ctx, resource, deadline)
}

// waitStanding waits until no limit applies, at most until deadline.
func (c *Client) waitStanding(ctx context.Context, resource string, deadline time.Time) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := c.Ready(resource)
		limit, ok := errors.AsType[*LimitError](err)
		if !ok || limit.Until.After(deadline) {
			return err
		}
		if err := c.opt.Sleep(ctx, max(0, limit.Until.Sub(c.opt.Now()))); err != nil {
			return err
		}
	}
}

// paceOf returns the limiter of a resource, nil if it has none.
func (c *Client) paceOf(resource string) *rate.Limiter {
	n := c.opt.PerMinute[resource]
	if n <= 0 && c.opt.Interval <= 0 && c.opt.Pace.Max <= 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pace[resource] == nil {
		switch {
		case n > 0:
			// A burst and the requests in the minute after it add up to n.
			burst := max(1, n/5)
			c.pace[resource] = rate.NewLimiter(rate.Limit(float64(max(1, n-burst))/60), burst)
		case c.opt.Pace.Max > 0:
			c.pace[resource] = c.opt.Pace.limiter()
		default:
			c.pace[resource] = rate.NewLimiter(rate.Every(c.opt.Interval), 1)
		}
	}
	return c.pace[resource]
}

// Ready returns nil if a request for the resource may be sent now, and
// otherwise the [LimitError] or [CredentialError] of such a request.
func (c *Client) Ready(resource string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.opt.Now()
	if c.problem != "" {
		return c.rejected()
	}
	if now.Before(c.blocked) {
		return c.limited(SecondaryLimit, "", c.blocked)
	}
	b := c.budgets[resource]
	if b == nil || !now.Before(b.reset) || b.remaining > c.opt.Floor[resource] {
		return nil
	}
	limit := c.limited(PrimaryLimit, resource, b.reset)
	limit.Floor = b.remaining > 0
	return limit
}

// Remaining returns the number of requests or points that a resource has left
// above its floor; false if that is unknown or the window has ended.
func (c *Client) Remaining(resource string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.budgets[resource]
	if b == nil || !c.opt.Now().Before(b.reset) {
		return 0, false
	}
	return max(0, b.remaining-c.opt.Floor[resource]), true
}

// waitPrefix precedes the time in the problem of a credential that must wait.
const waitPrefix = "told to wait until "

// WaitUntil returns the time until which a credential must wait; false for
// other problems.
func WaitUntil(problem string) (time.Time, bool) {
	at, ok := strings.CutPrefix(problem, waitPrefix)
	if !ok {
		return time.Time{}, false
	}
	until, err := time.Parse(time.RFC3339, at)
	return until, err == nil
}

// AwayPrefix precedes why an upstream did not respond as it should, which is over when it is not
// observed again.
const AwayPrefix = "away: "

// Budgets returns the known limits of the credential, by resource. The problem
// of a credential is observed at the time of the call.
func (c *Client) Budgets() []registry.Budget {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, problem := c.opt.Now(), c.problem
	if problem == "" && now.Before(c.blocked) {
		problem = waitPrefix + c.blocked.UTC().Format(time.RFC3339)
	} else if problem == "" {
		problem = c.away
	}
	var list []registry.Budget
	for resource, b := range c.budgets {
		seen := b.seen
		if problem != "" {
			seen = now
		}
		list = append(list, registry.Budget{
			Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource,
			Limit: b.limit, Remaining: b.remaining, ResetAt: b.reset, ObservedAt: seen,
			Problem: problem,
		})
	}
	if b, ok := c.paceBudget(now, problem); ok {
		list = append(list, b)
	}
	if len(list) == 0 && problem != "" {
		list = append(list, registry.Budget{
			Upstream: c.opt.Upstream, Credential: c.credential, ObservedAt: now, Problem: problem,
		})
	}
	slices.SortFunc(list, func(a, b registry.Budget) int {
		return strings.Compare(a.Resource, b.Resource)
	})
	return list
}

// Restore applies limits that other processes observed for this credential: the time until which
// it must wait, and budgets that are newer than the client's and have not ended.
func (c *Client) Restore(list []registry.Budget) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.auth == "" && len(c.budgets) > 0 {
		return // limits of anonymous callers are per address, which may differ
	}
	now := c.opt.Now()
	for _, b := range list {
		if b.Upstream != c.opt.Upstream || b.Credential != c.credential {
			continue
		}
		if until, ok := WaitUntil(b.Problem); ok && until.After(c.blocked) {
			c.blocked = until
		}
		if b.Resource == PaceResource {
			c.restorePace(b)
			continue
		}
		own := c.budgets[b.Resource]
		if b.Limit <= 0 || !now.Before(b.ResetAt) || own != nil && !b.ObservedAt.After(own.seen) {
			continue
		}
		c.budgets[b.Resource] = &budget{
			limit: b.Limit, remaining: b.Remaining, reset: b.ResetAt, seen: b.ObservedAt,
		}
	}
}
