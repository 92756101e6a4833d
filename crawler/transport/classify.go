package transport

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Kind is the meaning of a response.
type Kind string

// The kinds of responses.
const (
	OK           Kind = "ok"
	NoResponse   Kind = "no response"
	PrimaryLimit Kind = "primary limit" // the budget of the hour or minute is spent
	// too many requests in a short time; all requests with the credential must wait
	SecondaryLimit Kind = "secondary limit"
	BadCredentials Kind = "bad credentials"
	// 403 or 429 that is not a limit but concerns the requested resource, such as a blocked
	// repository, or the form of the request
	Forbidden Kind = "forbidden"
	Other     Kind = "other" // other statuses from 400 on
)

// kindOf returns the kind of a response by its status and headers. exhausted reports that the
// headers contain a spent budget.
func kindOf(status int, h http.Header, exhausted bool) Kind {
	switch {
	case status < 400:
		return OK
	case status == http.StatusUnauthorized:
		return BadCredentials
	case isRefusal(status) && exhausted:
		return PrimaryLimit
	case status == http.StatusTooManyRequests, isRefusal(status) && h.Get("Retry-After") != "":
		return SecondaryLimit
	case status == http.StatusForbidden:
		return Forbidden
	}
	return Other
}

// isRefusal reports whether a status may mean a limit.
func isRefusal(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// classify records limits and rejected credentials from a response. The error is a
// [LimitError] or a [CredentialError]; it is nil for other responses.
func (c *Client) classify(resp *http.Response, resource string) (Kind, error) {
	now := c.opt.Now()
	if r := resp.Header.Get("X-RateLimit-Resource"); r != "" && len(r) < 40 {
		resource = r
	}
	reported := budgetIn(resp.Header, now)
	removeRates(resp.Header)
	kind := c.kind(resp, reported != nil && reported.remaining == 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	if isPlausible := len(c.budgets) <= 32 || c.budgets[resource] != nil; reported != nil && isPlausible {
		c.budgets[resource] = reported
	}
	after := RetryAfter(resp.Header, now)
	switch kind {
	case OK:
		if resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified {
			c.strikes = 0
			delete(c.refused, resource)
			c.quicken(resource, now)
		}
	case BadCredentials:
		if c.auth == "" || c.opt.Confirm {
			return Other, nil
		}
		return kind, c.refuse()
	case PrimaryLimit:
		until := after
		if reported != nil {
			until = reported.reset
		}
		if !until.After(now) {
			until = now.Add(time.Minute)
		}
		return kind, c.spend(resource, until, now)
	case SecondaryLimit:
		return kind, c.strike(after, now)
	}
	return kind, nil
}

// kind returns the kind of a response. The text of a refusal takes precedence over its status
// and headers. exhausted reports that the headers contain a spent budget.
func (c *Client) kind(resp *http.Response, exhausted bool) Kind {
	kind := kindOf(resp.StatusCode, resp.Header, exhausted)
	switch {
	case !isRefusal(resp.StatusCode):
	case c.opt.Strict:
		return SecondaryLimit
	case c.opt.Refusal != nil:
		return cmp.Or(c.opt.Refusal(resp.Header, peek(resp, 64<<10)), kind)
	}
	return kind
}

// NoteRejection records that the upstream rejects the credential: no more requests are sent.
func (c *Client) NoteRejection() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.refuse() // the next requests return it
}

// refuse records that the upstream rejects the credential. The caller holds c.mu.
func (c *Client) refuse() *CredentialError {
	c.problem = "bad credentials"
	c.opt.Log.Error("credential rejected: no more requests are sent with it",
		"upstream", c.opt.Upstream, "credential", c.credential, "variable", c.opt.Variable)
	return c.rejected()
}

func (c *Client) rejected() *CredentialError {
	return &CredentialError{c.opt.Upstream, c.credential, c.opt.Variable, c.problem}
}

// spend records that the budget of a resource is spent until a time. The caller holds
// c.mu.
func (c *Client) spend(resource string, until, now time.Time) *LimitError {
	b := c.budgets[resource]
	if b == nil {
		b = &budget{}
		c.budgets[resource] = b
	}
	b.remaining, b.reset, b.seen = 0, until, now
	c.opt.Log.Info("rate limit reached", "upstream", c.opt.Upstream, "resource", resource, "until",
		until.UTC())
	return c.limited(PrimaryLimit, resource, until)
}

// strike blocks the credential until the given time or, if that is zero, for [Options.Pause],
// doubled with each consecutive strike. The caller holds c.mu.
func (c *Client) strike(given, now time.Time) *LimitError {
	if !now.Before(c.blocked) { // concurrent requests count once
		c.strikes++
		c.slowDown(now)
	}
	until := given
	pause := now.Add(min(c.opt.MaxPause, c.opt.Pause<<min(max(c.strikes-1, 0), 5)))
	if given.IsZero() || c.opt.Strict && given.Before(pause) {
		until = pause
	}
	if until.After(c.blocked) {
		c.blocked = until
	}
	c.opt.Log.Warn("asked to slow down",
		"upstream", c.opt.Upstream, "credential", c.credential, "until", c.blocked.UTC())
	return c.limited(SecondaryLimit, "", c.blocked)
}

func (c *Client) limited(kind Kind, resource string, until time.Time) *LimitError {
	return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource,
		Kind: kind, Until: until}
}

// NoteLimit records a limit in the body of a response with status 200, as in GraphQL,
// and returns its error. The budget in the headers of that response has been recorded.
func (c *Client) NoteLimit(resource string, kind Kind) *LimitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.opt.Now()
	if kind == SecondaryLimit {
		return c.strike(time.Time{}, now)
	}
	until := now.Add(time.Minute)
	if b := c.budgets[resource]; b != nil && b.reset.After(now) {
		until = b.reset
	}
	return c.spend(resource, until, now)
}

// NotePause records that the upstream asked for a pause, in a form that [Client] does not
// recognize, until a time or, if that is zero, for [Options.Pause]. It returns its error.
func (c *Client) NotePause(until time.Time) *LimitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.strike(until, c.opt.Now())
}

// refusalsOfCaller is the number of consecutive refusals after which the caller, not the
// requested resource, is considered the cause.
const refusalsOfCaller = 8

// NoteRefusal counts a refusal for an unknown reason, such as a proxy, a firewall or a
// ban. It returns nil for the first few consecutive refusals of a resource, which may
// concern that resource only. After that the credential must wait as after a secondary
// limit.
func (c *Client) NoteRefusal(resource string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused[resource]++; c.refused[resource] < refusalsOfCaller {
		return nil
	}
	limit := c.strike(time.Time{}, c.opt.Now())
	limit.Kind = Forbidden
	return limit
}

// budgetIn returns the budget in the headers of a response, nil if there is none, as from
// gateways.
func budgetIn(h http.Header, now time.Time) *budget {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	epoch, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || limit <= 0 {
		return nil
	}
	return &budget{limit: min(limit, math.MaxInt32), remaining: min(max(remaining, 0), math.MaxInt32),
		reset: resetTime(h, epoch, now), seen: now}
}

// resetTime converts the upstream's epoch to a time of the local clock. It compares the
// clocks by the response's Date header if that results in a plausible wait, and adds one
// second for the fractions that both omit.
func resetTime(h http.Header, epoch int64, now time.Time) time.Time {
	reset := time.Unix(epoch, 0)
	const longest = 65 * time.Minute
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		if wait := reset.Sub(date); wait >= 0 && wait <= longest {
			return now.Add(wait + time.Second)
		}
	}
	if reset.Sub(now) > longest {
		return now.Add(longest)
	}
	return reset.Add(time.Second)
}

// removeRates removes the rate limit headers, so that client libraries do not
// apply their own rules to them.
func removeRates(h http.Header) {
	for _, name := range []string{"Limit", "Remaining", "Used", "Reset"} {
		h.Del("X-RateLimit-" + name)
	}
}

// RetryAfter returns the time in the header Retry-After, in either format, at most a day
// after now. It returns the zero time if there is none, and for zero and past times, which
// some upstreams send with limits of several minutes.
func RetryAfter(h http.Header, now time.Time) time.Time {
	const longest = 24 * time.Hour
	var wait time.Duration
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.Atoi(v); err == nil {
		wait = time.Duration(min(max(s, 0), int(longest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		wait = min(at.Sub(now), longest)
	}
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(wait)
}
