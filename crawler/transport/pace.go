package transport

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mcpcensus/internal/registry"
)

// A Pace is a rate of requests that adapts to the upstream: it starts at Start, rises by
// [paceStep] with each successful response up to Max, and is halved by each secondary limit.
// The zero value is no limit.
type Pace struct {
	Start, Max float64 // requests a second; Start is at most Max, and Max if it is zero
}

const (
	paceStep = 0.01 // requests a second
	// paceFloor is the share of Pace.Max below which the rate does not fall.
	paceFloor = 0.01
)

// PaceResource is the resource of the budget that shares a pace with other processes: its limit
// and what remains are requests a minute.
const PaceResource = "pace"

// limiter returns a limiter that starts at the pace.
func (p Pace) limiter() *rate.Limiter {
	start := p.Start
	if start <= 0 || start > p.Max {
		start = p.Max
	}
	return rate.NewLimiter(rate.Limit(start), max(1, int(p.Max)))
}

// quicken raises the rate of a resource after a success. The caller holds c.mu.
func (c *Client) quicken(resource string, now time.Time) {
	pace := c.pace[resource]
	if c.opt.Pace.Max <= 0 || c.opt.PerMinute[resource] > 0 || pace == nil {
		return
	}
	pace.SetLimitAt(now, min(pace.Limit()+paceStep, rate.Limit(c.opt.Pace.Max)))
	c.paced = now
}

// slowDown halves the rates. The caller holds c.mu.
func (c *Client) slowDown(now time.Time) {
	if c.opt.Pace.Max <= 0 {
		return
	}
	for resource, pace := range c.pace {
		if c.opt.PerMinute[resource] <= 0 {
			pace.SetLimitAt(now, max(pace.Limit()/2, rate.Limit(c.opt.Pace.Max*paceFloor)))
		}
	}
	c.paced = now
}

// paceBudget returns the lowest rate as a budget; false if there is none. The caller holds c.mu.
func (c *Client) paceBudget(now time.Time, problem string) (registry.Budget, bool) {
	if c.opt.Pace.Max <= 0 || c.paced.IsZero() {
		return registry.Budget{}, false
	}
	slowest := rate.Limit(c.opt.Pace.Max)
	for resource, pace := range c.pace {
		if c.opt.PerMinute[resource] <= 0 {
			slowest = min(slowest, pace.Limit())
		}
	}
	perMinute := func(r float64) int { return int(math.Ceil(r * 60)) }
	seen := c.paced
	if problem != "" {
		seen = now
	}
	return registry.Budget{
		Upstream: c.opt.Upstream, Credential: c.credential, Resource: PaceResource,
		Limit: perMinute(c.opt.Pace.Max), Remaining: perMinute(float64(slowest)),
		ResetAt: now.Add(time.Hour), ObservedAt: seen, Problem: problem,
	}, true
}

// restorePace applies the rate that another process found, if it is newer. The caller holds
// c.mu.
func (c *Client) restorePace(b registry.Budget) {
	if c.opt.Pace.Max <= 0 || !b.ObservedAt.After(c.paced) || b.Remaining <= 0 {
		return
	}
	limit := min(rate.Limit(b.Remaining)/60, rate.Limit(c.opt.Pace.Max))
	resource := "core"
	if c.pace[resource] == nil {
		c.pace[resource] = c.opt.Pace.limiter()
	}
	for resource, pace := range c.pace {
		if c.opt.PerMinute[resource] <= 0 {
			pace.SetLimitAt(c.opt.Now(), limit)
		}
	}
	c.paced = b.ObservedAt
}

// connections sets the maximum number of requests in progress, unless it is set.
func (s *credentialState) connections(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil && n > 0 {
		s.slots = make(chan struct{}, n)
	}
}

// connect waits until one more request may be in progress. The caller calls done at its end.
func (s *credentialState) connect(ctx context.Context) (done func(), err error) {
	if s.slots == nil {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-s.slots }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
