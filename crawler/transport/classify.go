package transport

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Kind is the meaning of a response, whatever its status.
type Kind string

// The kinds of responses.
const (
	OK           Kind = "ok"
	NoAnswer     Kind = "no answer"
	PrimaryLimit Kind = "primary limit" // the budget of the hour or minute is spent
	// too many requests at once; the whole credential must wait
	SecondaryLimit Kind = "secondary limit"
	BadCredentials Kind = "bad credentials"
	// 403 or 429 about what was requested, such as a repository that is withheld, or about
	// how: not a limit
	Forbidden Kind = "forbidden"
	Other     Kind = "other" // other statuses from 400 on
)

// kindOf returns the kind of a response by its status and its headers. exhausted
// reports whether its headers gave a spent budget.
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

// isRefusal reports whether a status may stand for a limit.
func isRefusal(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// classify records what a response says about limits and credentials. The
// error is a [LimitError] or a [CredentialError]; other responses go to the
// caller.
func (c *Client) classify(resp *http.Response, resource string) (Kind, error) {
	now := c.opt.Now()
	if r := resp.Header.Get("X-RateLimit-Resource"); r != "" && len(r) < 40 {
		resource = r
	}
	rateKnown, remaining, reset := c.note(resp.Header, resource, now)
	removeRates(resp.Header)
	kind := kindOf(resp.StatusCode, resp.Header, rateKnown && remaining == 0)
	switch {
	case !isRefusal(resp.StatusCode):
	case c.opt.Strict:
		kind = SecondaryLimit
	case c.opt.Refusal != nil:
		kind = cmp.Or(c.opt.Refusal(resp.Header, peek(resp, 64<<10)), kind)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	after := RetryAfter(resp.Header, now)
	switch kind {
	case OK:
		if resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified {
			c.strikes = 0
			delete(c.refused, resource)
		}
	case BadCredentials:
		if c.auth == "" {
			return Other, nil
		}
		return kind, c.refuse("bad credentials")
	case PrimaryLimit:
		if !rateKnown {
			reset = after
		}
		if !reset.After(now) {
			reset = now.Add(time.Minute)
		}
		return kind, c.spend(resource, reset, now)
	case SecondaryLimit:
		return kind, c.strike(after, now)
	}
	return kind, nil
}

// refuse records that the upstream refuses the credential. The state is
// locked.
func (c *Client) refuse(problem string) *CredentialError {
	c.problem = problem
	c.opt.Log.Error("credential refused: no more requests are sent with it",
		"upstream", c.opt.Upstream, "credential", c.credential)
	return &CredentialError{c.opt.Upstream, c.credential, problem}
}

// spend records that the budget of a resource is spent until a time. The
// state is locked.
func (c *Client) spend(resource string, until, now time.Time) *LimitError {
	b := c.budgets[resource]
	if b == nil {
		b = &budget{}
		c.budgets[resource] = b
	}
	b.remaining, b.reset, b.seen = 0, until, now
	c.opt.Log.Info("rate limit reached", "upstream", c.opt.Upstream, "resource", resource, "until",
		until.UTC())
	return &LimitError{
		Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource, Kind: PrimaryLimit,
		Until: until,
	}
}

// strike blocks the whole credential until the time that the upstream gave, or
// without one for [Options.Pause], doubled with each consecutive strike. The
// state is locked.
func (c *Client) strike(given, now time.Time) *LimitError {
	if !now.Before(c.blocked) { // requests under way at the same time count once
		c.strikes++
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
	return &LimitError{
		Upstream: c.opt.Upstream, Credential: c.credential, Kind: SecondaryLimit, Until: c.blocked,
	}
}

// NoteLimit records a limit that is in the body of a response with status 200,
// as in GraphQL, and returns the error for it. The budget that the headers of
// that response gave is known already.
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

// refusalsOfCaller is the number of consecutive refusals after which the cause is
// taken to be the caller and not the requested resource.
const refusalsOfCaller = 8

// NoteRefusal counts a refusal for an unknown reason, as proxies, firewalls and
// bans give. It returns nil for the first few consecutive refusals of a
// resource, because they may be about what was requested. After that the whole
// credential must wait as after a secondary limit.
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

// note records the budget in the headers of a response. Responses without one,
// as gateways give, change nothing.
func (c *Client) note(
	h http.Header, resource string, now time.Time,
) (known bool, remaining int, reset time.Time) {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	epoch, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || limit <= 0 {
		return false, 0, time.Time{}
	}
	limit, remaining = min(limit, math.MaxInt32), min(max(remaining, 0), math.MaxInt32)
	reset = resetTime(h, epoch, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.budgets) > 32 && c.budgets[resource] == nil {
		return true, remaining, reset // no upstream has that many
	}
	c.budgets[resource] = &budget{limit: limit, remaining: remaining, reset: reset, seen: now}
	return true, remaining, reset
}

// resetTime converts the upstream's epoch to a time of the local clock. The
// two clocks are compared by the response's Date header if that gives a
// plausible wait. One second is added for the fraction that both leave out.
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

// removeRates removes the rate limit headers, so that a client library above
// does not apply its own rules to them.
func removeRates(h http.Header) {
	for _, name := range []string{"Limit", "Remaining", "Used", "Reset"} {
		h.Del("X-RateLimit-" + name)
	}
}

// RetryAfter returns the time that the header Retry-After names in either of its forms, at
// most a day after now; a zero time if it names none. Zero and past times are ignored: they
// have been seen with limits that lasted minutes.
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
