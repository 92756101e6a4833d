package fakegithub

import (
	"strings"
	"time"
)

// limits are GitHub's primary rate limits: a budget for each caller and
// resource in a window that begins with the first request.
type limits struct {
	token   map[string]int     // per window, with a token
	anon    map[string]int     // without a token
	budgets map[string]*budget // by caller and resource
}

type budget struct {
	limit, remaining int
	reset            int64 // Unix seconds
}

// addressPrefix begins the names of callers without a token.
const addressPrefix = "address "

func newLimits() limits {
	return limits{
		token:   map[string]int{"core": 5000, "graphql": 5000, "search": 30},
		anon:    map[string]int{"core": 60, "graphql": 0, "search": 10},
		budgets: map[string]*budget{},
	}
}

// SetLimit sets the requests (or points) in a window for callers with a token, and starts
// new windows. resource is "core", "graphql"
// or "search".
func (w *Server) SetLimit(resource string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits.token[resource] = n
	clear(w.limits.budgets)
}

// SetClock sets the clock of the rate limits. The default is time.Now.
func (w *Server) SetClock(now func() time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = now
}

func (l *limits) budget(user, resource string, now time.Time) *budget {
	key := user + "\x00" + resource
	b := l.budgets[key]
	if b == nil || now.Unix() >= b.reset {
		n := l.token[resource]
		if strings.HasPrefix(user, addressPrefix) {
			n = l.anon[resource]
		}
		window := time.Hour
		if resource == "search" {
			window = time.Minute
		}
		b = &budget{limit: n, remaining: n, reset: now.Add(window).Unix()}
		l.budgets[key] = b
	}
	return b
}

// take spends n of a budget. It reports false if nothing is left.
func (l *limits) take(user, resource string, n int, now time.Time) bool {
	b := l.budget(user, resource, now)
	if b.remaining <= 0 {
		return false
	}
	b.remaining = max(0, b.remaining-n)
	return true
}
