package httpd

import (
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// A Limiter counts requests.
type Limiter interface {
	// Take counts one request of a client if it is within the limit, and
	// returns the limit, how many requests are left, when the window ends,
	// and whether this one may pass.
	Take(client Client) (limit, remaining int, reset time.Time, ok bool)
	// Left returns the same as Take without counting anything.
	Left(client Client) (limit, remaining int, reset time.Time)
}

// Limit refuses requests beyond what l allows and says on every answer what is
// left. Preflight requests are told, but neither counted nor refused.
func Limit(l Limiter, docs string) gin.HandlerFunc {
	var resets atomic.Pointer[resetLine]
	return func(c *gin.Context) {
		var limit, remaining int
		var reset time.Time
		ok := true
		if c.Request.Method == "OPTIONS" {
			limit, remaining, reset = l.Left(ClientOf(c))
		} else {
			limit, remaining, reset, ok = l.Take(ClientOf(c))
		}
		h := c.Writer.Header()
		h["X-Ratelimit-Limit"] = decimal(limit)
		h["X-Ratelimit-Remaining"] = decimal(remaining)
		at := resets.Load()
		if at == nil || !at.reset.Equal(reset) {
			at = &resetLine{reset, []string{strconv.FormatInt(reset.Unix(), 10)}}
			resets.Store(at)
		}
		h["X-Ratelimit-Reset"] = at.line
		if !ok {
			WriteProblem(c, docs, &registry.Error{
				Kind: registry.ErrLimited, RetryAfter: max(time.Second, time.Until(reset)),
				Msg: "This address has used its " + strconv.Itoa(limit) + " requests of this hour. The next hour starts at " +
					reset.UTC().Format("15:04") + " UTC.",
			})
		}
	}
}

// resetLine is the header of the current window.
type resetLine struct {
	reset time.Time
	line  []string
}

var decimals = func() (d [101][]string) {
	for i := range d {
		d[i] = []string{strconv.Itoa(i)}
	}
	return d
}()

func decimal(n int) []string {
	if n >= 0 && n < len(decimals) {
		return decimals[n]
	}
	return []string{strconv.Itoa(n)}
}

// Hourly is a limiter with a fixed window of one UTC hour, exact within one
// process.
type Hourly struct {
	limit  int
	now    func() time.Time
	shards [64]struct {
		mu     sync.Mutex
		hour   int64
		counts map[netip.Addr]uint32
		_      [32]byte // no two on one cache line
	}
}

// NewHourly returns a limiter of limit requests an hour for each client. now
// is the clock, nil for the real one.
func NewHourly(limit int, now func() time.Time) *Hourly {
	if now == nil {
		now = time.Now
	}
	return &Hourly{limit: limit, now: now}
}

// maxClients bounds what one shard remembers: one million clients in all.
// Past that, new clients are counted together by network, so that nobody makes
// room for himself by coming from many addresses.
const maxClients = 1 << 14

// Take counts one request of client.
func (l *Hourly) Take(client Client) (limit, remaining int, reset time.Time, ok bool) {
	return l.count(client, 1)
}

// Left says what client has left.
func (l *Hourly) Left(client Client) (limit, remaining int, reset time.Time) {
	limit, remaining, reset, _ = l.count(client, 0)
	return limit, remaining, reset
}

// count adds n requests, one or none, to those of client if one more is within
// the limit.
func (l *Hourly) count(client Client, requests uint32) (limit, remaining int, reset time.Time, ok bool) {
	now := l.now().Unix()
	hour := now / 3600
	a := client.Addr
	b := a.As16()
	h := uint32(2166136261)
	for _, x := range b[:8] {
		h = (h ^ uint32(x)) * 16777619
	}
	for _, x := range b[12:] {
		h = (h ^ uint32(x)) * 16777619
	}
	s := &l.shards[(h>>16^h)%64]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hour != hour || s.counts == nil {
		s.hour, s.counts = hour, make(map[netip.Addr]uint32)
	}
	n, seen := s.counts[a]
	if !seen && len(s.counts) >= maxClients {
		a = network(a)
		n = s.counts[a]
	}
	reset = time.Unix((hour+1)*3600, 0)
	if int(n) >= l.limit {
		return l.limit, 0, reset, false
	}
	if requests > 0 {
		s.counts[a] = n + requests
	}
	return l.limit, l.limit - int(n+requests), reset, true
}

// network returns the /16 of an IPv4 and the /32 of an IPv6 address.
func network(a netip.Addr) netip.Addr {
	bits := 32
	if a.Is4() {
		bits = 16
	}
	if p, err := a.Prefix(bits); err == nil {
		return p.Addr()
	}
	return a
}
