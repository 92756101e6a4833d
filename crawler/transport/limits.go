package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A Kind is what an answer means, whatever its status.
type Kind string

// The kinds of answers.
const (
	OK             Kind = "ok"
	NoAnswer       Kind = "no answer"
	NotFound       Kind = "not found"
	PrimaryLimit   Kind = "primary limit"   // the budget of the hour or minute is spent
	SecondaryLimit Kind = "secondary limit" // too much at once; the whole credential must wait
	BadCredentials Kind = "bad credentials"
	NeedsLogin     Kind = "needs login"    // 401 to an anonymous request
	BlockedTOS     Kind = "blocked"        // withheld by the host's staff; do not ask again
	BlockedLegal   Kind = "blocked, legal" // 451
	AllowList      Kind = "ip allow list"  // refused for the address that a credential comes from
	SAML           Kind = "saml"           // refused for the credential's missing single sign-on
	Forbidden      Kind = "forbidden"      // 403 of another kind, such as a history too large to list
	ServerError    Kind = "server error"   // 5xx
	ClientError    Kind = "client error"   // other 4xx
)

// A LimitError says that the upstream wants to be left alone until a time. No
// request was sent, or the one that was sent did not count.
type LimitError struct {
	Upstream   string
	Credential string
	Resource   string // "" if all of the credential must wait
	Kind       Kind   // PrimaryLimit, SecondaryLimit, or Forbidden after refusals in a row
	Floor      bool   // a reserve for others was reached, not the end of the budget
	Until      time.Time
}

func (e *LimitError) Error() string {
	what := "budget is spent"
	switch {
	case e.Kind == SecondaryLimit:
		what = "asks to slow down"
	case e.Kind == Forbidden:
		what = "refuses all requests, so it is left alone"
	case e.Floor:
		what = "budget is down to its reserve"
	}
	if e.Resource != "" && e.Kind == PrimaryLimit {
		what = e.Resource + " " + what
	}
	return fmt.Sprintf("%s: %s until %s", e.Upstream, what, e.Until.UTC().Format(time.RFC3339))
}

// Unwrap makes a LimitError a [registry.ErrUnavailable].
func (e *LimitError) Unwrap() error { return registry.ErrUnavailable }

// A CredentialError says that the upstream refuses the credential. Nothing
// more is sent with it.
type CredentialError struct {
	Upstream   string
	Credential string // its short hash
	Problem    string
}

func (e *CredentialError) Error() string {
	return fmt.Sprintf("%s refuses the credential %s (%s); give it a valid one and start again", e.Upstream, e.Credential, e.Problem)
}

// Unwrap makes a CredentialError a [registry.ErrUnavailable].
func (e *CredentialError) Unwrap() error { return registry.ErrUnavailable }

// Accounts are what is known of each credential at each upstream. The zero
// value knows nothing yet.
type Accounts struct {
	mu  sync.Mutex
	all map[[2]string]*account // by upstream and credential
}

func (a *Accounts) of(upstream, credential string) *account {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := [2]string{upstream, credential}
	if a.all[key] == nil {
		if a.all == nil {
			a.all = map[[2]string]*account{}
		}
		a.all[key] = &account{budgets: map[string]*budget{}, sent: map[string][]time.Time{}, refused: map[string]int{}}
	}
	return a.all[key]
}

// An account is how one credential stands with its upstream.
type account struct {
	mu      sync.Mutex
	budgets map[string]*budget
	blocked time.Time      // no request of this credential before then
	strikes int            // secondary limits in a row
	refused map[string]int // refusals in a row, by resource
	problem string         // why the credential is not used any more
	sent    map[string][]time.Time
}

type budget struct {
	limit, remaining int
	reset, seen      time.Time
	known            bool
}

type patienceKey struct{}

// WithPatience lets requests of this context wait up to d for a limit instead
// of [Options.MaxWait].
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

// waitTurn returns when a request may be sent, or the error that says why it
// may not.
func (c *Client) waitTurn(ctx context.Context, resource string) error {
	patience := c.opt.MaxWait
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		patience = d
	}
	deadline := c.opt.Now().Add(patience)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		until, err := c.turn(resource)
		if err != nil {
			limit, ok := err.(*LimitError)
			if !ok || limit.Until.After(deadline) {
				return err
			}
			until = limit.Until
		}
		if until.IsZero() {
			return nil
		}
		wait := max(0, until.Sub(c.opt.Now()))
		if until.After(deadline) {
			return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource, Kind: PrimaryLimit, Until: until}
		}
		if err := c.opt.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// turn takes a place among the requests of this minute. It returns a later
// time if there is none yet, and an error if a limit stands.
func (c *Client) turn(resource string) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.standing(resource); err != nil {
		return time.Time{}, err
	}
	n := c.opt.PerMinute[resource]
	if n <= 0 {
		return time.Time{}, nil
	}
	now := c.opt.Now()
	sent := c.sent[resource]
	for len(sent) > 0 && now.Sub(sent[0]) >= time.Minute {
		sent = sent[1:]
	}
	if len(sent) >= n {
		c.sent[resource] = sent
		return sent[0].Add(time.Minute), nil
	}
	c.sent[resource] = append(sent, now)
	return time.Time{}, nil
}

// standing returns the limit or the problem that forbids a request now.
func (c *Client) standing(resource string) error {
	now := c.opt.Now()
	if c.problem != "" {
		return &CredentialError{c.opt.Upstream, c.credential, c.problem}
	}
	if now.Before(c.blocked) {
		return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Kind: SecondaryLimit, Until: c.blocked}
	}
	b := c.budgets[resource]
	if b == nil || !b.known || !now.Before(b.reset) {
		return nil
	}
	floor := c.opt.Floor[resource]
	if b.remaining <= floor {
		return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource, Kind: PrimaryLimit, Floor: b.remaining > 0, Until: b.reset}
	}
	return nil
}

// Ready returns nil if a request that falls under the resource may be sent
// now, and otherwise the [LimitError] or [CredentialError] that it would get.
func (c *Client) Ready(resource string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standing(resource)
}

// Remaining returns how many requests or points a resource has left before
// its floor, and false if the upstream has not said so yet or its window has
// ended.
func (c *Client) Remaining(resource string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.budgets[resource]
	if b == nil || !b.known || !c.opt.Now().Before(b.reset) {
		return 0, false
	}
	return max(0, b.remaining-c.opt.Floor[resource]), true
}

// Free reports whether the pace of a resource leaves room for a request right
// now, without waiting.
func (c *Client) Free(resource string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.standing(resource) != nil {
		return false
	}
	n := c.opt.PerMinute[resource]
	sent := c.sent[resource]
	return n <= 0 || len(sent) < n || c.opt.Now().Sub(sent[len(sent)-n]) >= time.Minute
}

// toldToWait begins the problem of a credential that must wait; the time until
// which it must follows.
const toldToWait = "told to wait until "

// WaitUntil returns the time until which a credential must wait, and false if
// that is not the problem of a budget.
func WaitUntil(problem string) (time.Time, bool) {
	at, ok := strings.CutPrefix(problem, toldToWait)
	if !ok {
		return time.Time{}, false
	}
	until, err := time.Parse(time.RFC3339, at)
	return until, err == nil
}

// Budgets returns what is known of each limit of the credential, by resource.
// A problem is observed at the time of the call, since it holds then.
func (c *Client) Budgets() []registry.Budget {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, problem := c.opt.Now(), c.problem
	if problem == "" && now.Before(c.blocked) {
		problem = toldToWait + c.blocked.UTC().Format(time.RFC3339)
	}
	var list []registry.Budget
	for resource, b := range c.budgets {
		seen := b.seen
		if problem != "" {
			seen = now
		}
		list = append(list, registry.Budget{
			Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource,
			Limit: b.limit, Remaining: b.remaining, ResetAt: b.reset, ObservedAt: seen, Problem: problem,
		})
	}
	if len(list) == 0 && problem != "" {
		list = append(list, registry.Budget{Upstream: c.opt.Upstream, Credential: c.credential, ObservedAt: now, Problem: problem})
	}
	slices.SortFunc(list, func(a, b registry.Budget) int { return strings.Compare(a.Resource, b.Resource) })
	return list
}

// Restore takes over what earlier and other processes saw, as far as it is of
// this credential: until when it must wait, and the budgets that are newer
// than the client's own and whose windows have not ended.
func (c *Client) Restore(list []registry.Budget) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.auth == "" && len(c.budgets) > 0 {
		return // unknown callers are told apart by their address, and others may have another
	}
	for _, b := range list {
		if b.Upstream != c.opt.Upstream || b.Credential != c.credential {
			continue
		}
		if until, ok := WaitUntil(b.Problem); ok && until.After(c.blocked) {
			c.blocked = until
		}
		if own := c.budgets[b.Resource]; b.Limit <= 0 || !c.opt.Now().Before(b.ResetAt) || own != nil && !b.ObservedAt.After(own.seen) {
			continue
		}
		c.budgets[b.Resource] = &budget{limit: b.Limit, remaining: b.Remaining, reset: b.ResetAt, seen: b.ObservedAt, known: true}
	}
}

// classify notes what an answer says about limits and credentials. The error
// is a [LimitError] or a [CredentialError]; other answers go to the caller.
func (c *Client) classify(resp *http.Response, resource string) (Kind, error) {
	now := c.opt.Now()
	if r := resp.Header.Get("X-RateLimit-Resource"); r != "" && len(r) < 40 {
		resource = r
	}
	rateKnown, remaining, reset := c.note(resp.Header, resource, now)
	hideRates(resp.Header)
	status := resp.StatusCode
	var body []byte
	if status == 401 || status == 403 || status == 429 {
		body = peek(resp, 64<<10)
	}
	kind := Classify(status, resp.Header, body, rateKnown && remaining == 0)

	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind {
	case BadCredentials:
		if c.auth == "" {
			return NeedsLogin, nil
		}
		c.problem = "bad credentials"
		c.opt.Log.Error("credential refused: no more requests are sent with it", "upstream", c.opt.Upstream, "credential", c.credential)
		return kind, &CredentialError{c.opt.Upstream, c.credential, c.problem}
	case PrimaryLimit:
		until := reset
		if !rateKnown || !until.After(now) {
			until = now.Add(time.Minute)
		}
		if after, ok := retryAfter(resp.Header, now); ok && !rateKnown {
			until = after
		}
		b := c.budgets[resource]
		if b == nil {
			b = &budget{}
			c.budgets[resource] = b
		}
		b.remaining, b.reset, b.seen, b.known = 0, until, now, true
		c.opt.Log.Info("budget spent", "upstream", c.opt.Upstream, "resource", resource, "until", until.UTC())
		return kind, &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource, Kind: kind, Until: until}
	case SecondaryLimit:
		after, given := retryAfter(resp.Header, now)
		return kind, c.strike(after, given, now)
	}
	if status < 300 || status == http.StatusNotModified {
		c.strikes = 0
		delete(c.refused, resource)
	}
	return kind, nil
}

// strike blocks the whole credential: until the given time, or for 60 s × 2^n
// where the upstream gave none, at most 30 minutes.
func (c *Client) strike(after time.Time, given bool, now time.Time) *LimitError {
	if !given {
		after = now.Add(min(30*time.Minute, time.Minute<<min(c.strikes, 5)))
	}
	c.strikes++
	if after.After(c.blocked) {
		c.blocked = after
	}
	c.opt.Log.Warn("told to slow down", "upstream", c.opt.Upstream, "credential", c.credential, "until", c.blocked.UTC())
	return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Kind: SecondaryLimit, Until: c.blocked}
}

// NoteLimit records a limit that stood in the body of an answer with status
// 200, as GraphQL has them, and returns the error for it. The budget that the
// headers of that answer told is known already.
func (c *Client) NoteLimit(resource string, kind Kind) *LimitError {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.opt.Now()
	if kind == SecondaryLimit {
		return c.strike(time.Time{}, false, now)
	}
	b := c.budgets[resource]
	if b == nil {
		b = &budget{}
		c.budgets[resource] = b
	}
	if !b.known || !b.reset.After(now) {
		b.reset = now.Add(time.Minute)
	}
	b.remaining, b.known, b.seen = 0, true, now
	return &LimitError{Upstream: c.opt.Upstream, Credential: c.credential, Resource: resource, Kind: PrimaryLimit, Until: b.reset}
}

// maxRefusals is how many refusals in a row are taken to be about what was
// asked.
const maxRefusals = 8

// NoteRefusal counts an answer that refuses a request for a reason that the
// caller does not know, as proxies, firewalls and bans do. It returns nil for
// the first few in a row of a resource, since they may be about what was
// asked; after that the whole credential must wait as after a secondary limit.
func (c *Client) NoteRefusal(resource string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused[resource]++; c.refused[resource] < maxRefusals {
		return nil
	}
	limit := c.strike(time.Time{}, false, c.opt.Now())
	limit.Kind = Forbidden
	return limit
}

// note keeps what the headers say of a budget. Answers without them, as
// gateways give, change nothing.
func (c *Client) note(h http.Header, resource string, now time.Time) (known bool, remaining int, reset time.Time) {
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
	c.budgets[resource] = &budget{limit: limit, remaining: remaining, reset: reset, seen: now, known: true}
	return true, remaining, reset
}

// resetTime turns the upstream's epoch into a time of our own clock. The two
// clocks are compared by the answer's Date where that gives a wait that can
// be; one second is added for the part of a second that both leave out.
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

// hideRates takes the limit headers off an answer, so that a library above
// does not keep books of its own by rules of its own.
func hideRates(h http.Header) {
	for _, name := range []string{"Limit", "Remaining", "Used", "Reset"} {
		h.Del("X-RateLimit-" + name)
	}
}

func retryAfter(h http.Header, now time.Time) (time.Time, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return time.Time{}, false
	}
	var wait time.Duration
	if s, err := strconv.Atoi(v); err == nil {
		wait = time.Duration(min(max(s, 0), 24*3600)) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		wait = min(at.Sub(now), 24*time.Hour)
	} else {
		return time.Time{}, false
	}
	if wait <= 0 {
		return time.Time{}, false // "0" has been seen together with a limit that stood for minutes
	}
	return now.Add(wait), true
}

// Classify says what an answer means by its status, its headers and the
// beginning of its body; exhausted says that its headers reported an empty
// budget.
func Classify(status int, h http.Header, body []byte, exhausted bool) Kind {
	var said struct {
		Message string `json:"message"`
		Doc     string `json:"documentation_url"`
		Block   *struct {
			Reason string `json:"reason"`
		} `json:"block"`
	}
	_ = json.Unmarshal(body, &said) // a body that is no JSON says nothing
	message := strings.ToLower(said.Message)
	switch {
	case status < 400:
		return OK
	case status == 401:
		return BadCredentials
	case status == 404 || status == 410:
		return NotFound
	case status == 451:
		return BlockedLegal
	case status == 403 || status == 429:
		switch {
		case strings.Contains(message, "secondary rate limit") || strings.Contains(message, "abuse detection") || strings.HasSuffix(said.Doc, "#about-secondary-rate-limits") || strings.HasSuffix(said.Doc, "#abuse-rate-limits"):
			return SecondaryLimit
		case strings.Contains(message, "list is too large") || strings.Contains(message, "contributor list too large") || strings.Contains(message, "blobs up to"):
			return Forbidden
		case said.Block != nil && said.Block.Reason == "dmca":
			return BlockedLegal
		case strings.Contains(message, "access blocked"):
			return BlockedTOS
		case strings.Contains(message, "ip allow list"):
			return AllowList
		case h.Get("X-GitHub-SSO") != "" || strings.Contains(message, "saml enforcement"):
			return SAML
		case strings.Contains(message, "rate limit exceeded") || exhausted:
			return PrimaryLimit
		case status == 429 || h.Get("Retry-After") != "":
			return SecondaryLimit
		}
		return Forbidden
	case status >= 500:
		return ServerError
	}
	return ClientError
}
