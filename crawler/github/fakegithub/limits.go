package fakegithub

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// limits are GitHub's primary rate limits: a budget for each caller and
// resource in a window that begins with the first request.
type limits struct {
	status  int            // of a used-up limit: 403 or 429
	known   map[string]int // per window, with a token
	anon    map[string]int
	budgets map[string]*budget // by caller and resource
}

type budget struct {
	Limit     int   `json:"limit"`
	Remaining int   `json:"remaining"`
	Used      int   `json:"used"`
	Reset     int64 `json:"reset"` // Unix seconds
}

func newLimits() limits {
	return limits{
		status:  http.StatusForbidden,
		known:   map[string]int{"core": 5000, "graphql": 5000, "search": 30},
		anon:    map[string]int{"core": 60, "graphql": 0, "search": 10},
		budgets: map[string]*budget{},
	}
}

// SetLimit sets how many requests (or points) a window has for callers with a
// token: resource is "core", "graphql" or "search". New windows begin.
func (w *Server) SetLimit(resource string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits.known[resource] = n
	clear(w.limits.budgets)
}

// SetLimitStatus sets the status of a used-up limit: 403, as at the start, or
// 429.
func (w *Server) SetLimitStatus(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits.status = status
}

// SetClock sets the clock of the limits, time.Now at the start.
func (w *Server) SetClock(now func() time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = now
}

func (l *limits) budget(user, resource string, now time.Time) *budget {
	key := user + "\x00" + resource
	b := l.budgets[key]
	if b == nil || now.Unix() >= b.Reset {
		window := time.Hour
		if resource == "search" {
			window = time.Minute
		}
		n := l.known[resource]
		if strings.HasPrefix(user, "address ") {
			n = l.anon[resource]
		}
		b = &budget{Limit: n, Remaining: n, Reset: now.Add(window).Unix()}
		l.budgets[key] = b
	}
	return b
}

// take spends n of a budget, or says that there is not enough.
func (l *limits) take(user, resource string, n int, now time.Time) bool {
	b := l.budget(user, resource, now)
	if b.Remaining <= 0 {
		return false
	}
	b.Remaining = max(0, b.Remaining-n)
	b.Used = b.Limit - b.Remaining
	return true
}

func (l *limits) give(user, resource string, n int) {
	if b := l.budgets[user+"\x00"+resource]; b != nil {
		b.Remaining = min(b.Limit, b.Remaining+n)
		b.Used = b.Limit - b.Remaining
	}
}

type bodyKey struct{}

func contextWithBody(ctx context.Context, body []byte) context.Context {
	return context.WithValue(ctx, bodyKey{}, body)
}

func bodyOf(ctx context.Context) []byte {
	b, _ := ctx.Value(bodyKey{}).([]byte)
	return b
}
