package httpd

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A Limiter counts requests.
type Limiter interface {
	// Take counts one request of s in the window that is now, and says
	// whether it may pass. If that cannot be known, the error is of kind
	// registry.ErrUnavailable, and what is returned has Limit and Reset only.
	Take(ctx context.Context, s quota.Subject, limit int) (quota.Left, error)
	// Peek returns the same as Take without counting anything.
	Peek(ctx context.Context, s quota.Subject, limit int) (quota.Left, error)
}

// A Due says whom a request is counted for.
type Due struct {
	Subject quota.Subject
	Limit   int    // of the subject in its window; 0: there is none
	Plan    string // whose limit it is; "": nobody's plan
}

// PerHour counts requests with a key for the account, as often in an hour as
// its plan says, and others for the client.
func PerHour(clients int) func(c *gin.Context) Due {
	return func(c *gin.Context) Due {
		if a, ok := AccessOf(c); ok {
			return Due{quota.Subject{Of: quota.AccountHour, ID: uint64(a.Account)}, a.Plan.Hourly, a.Plan.ID}
		}
		return Due{Subject: ClientOf(c).Subject(), Limit: clients}
	}
}

// PerDay is like [PerHour] with the plan's limit of a day. Requests without a
// key, which are refused for that or are not counted, are the client's.
func PerDay(clients int) func(c *gin.Context) Due {
	return func(c *gin.Context) Due {
		if a, ok := AccessOf(c); ok {
			return Due{quota.Subject{Of: quota.AccountDay, ID: uint64(a.Account)}, a.Plan.Daily, a.Plan.ID}
		}
		return Due{Subject: ClientOf(c).Subject(), Limit: clients}
	}
}

// Limit refuses requests beyond what is due and says on every answer what is
// left. Preflight requests are told, but neither counted nor refused.
func Limit(l Limiter, docs string, due func(c *gin.Context) Due) gin.HandlerFunc {
	return LimitShown(l, func(c *gin.Context, err error) { WriteProblem(c, docs, err) }, due)
}

// LimitShown is like [Limit], with refusals shown by show.
func LimitShown(l Limiter, show func(c *gin.Context, err error), due func(c *gin.Context) Due) gin.HandlerFunc {
	var resets resets
	return func(c *gin.Context) {
		d := due(c)
		if d.Plan != "" {
			SetHeader(c, "X-Ratelimit-Plan", d.Plan)
		}
		if d.Limit == 0 {
			return
		}
		if err := resets.take(c, l, d, c.Request.Method != http.MethodOptions); err != nil {
			show(c, err)
		}
	}
}

// LimitKeyless makes requests that are refused for their key count for their
// client: guessing has the same limit as requests without a key. It must stand
// before [NeedKey] or [TakeKey].
func LimitKeyless(l Limiter, clients int) gin.HandlerFunc {
	var resets resets
	keyless := func(c *gin.Context, why error) error {
		fault := errors.Is(why, registry.ErrUnauthorized) // and not ours
		if err := resets.take(c, l, Due{Subject: ClientOf(c).Subject(), Limit: clients}, fault); err != nil {
			return err
		}
		return why
	}
	return func(c *gin.Context) { requestOf(c).keyless = keyless }
}

// resets keeps the header line of the current window.
type resets struct{ line atomic.Pointer[resetLine] }

type resetLine struct {
	reset time.Time
	line  string
}

// take says what is left. If count is true, it counts the request and returns
// an error if it may not pass.
func (r *resets) take(c *gin.Context, l Limiter, d Due, count bool) error {
	var left quota.Left
	var err error
	if count {
		left, err = l.Take(c.Request.Context(), d.Subject, d.Limit)
	} else {
		left, err = l.Peek(c.Request.Context(), d.Subject, d.Limit)
	}
	SetHeader(c, "X-Ratelimit-Limit", decimal(left.Limit))
	if err == nil { // else nobody knows
		SetHeader(c, "X-Ratelimit-Remaining", decimal(left.Remaining))
	}
	at := r.line.Load()
	if at == nil || !at.reset.Equal(left.Reset) {
		at = &resetLine{left.Reset, strconv.FormatInt(left.Reset.Unix(), 10)}
		r.line.Store(at)
	}
	SetHeader(c, "X-Ratelimit-Reset", at.line)
	switch {
	case !count:
		return nil
	case err != nil:
		return err
	case !left.Passed:
		return pastLimit(d, left)
	}
	return nil
}

// pastLimit says which limit was reached and when requests pass again.
func pastLimit(d Due, left quota.Left) error {
	who := "address"
	switch d.Subject.Of {
	case quota.AccountHour, quota.AccountDay, quota.OwnerHour:
		who = "account"
	}
	msg := "This " + who + " has none left of the " + strconv.Itoa(left.Limit) + " requests of this "
	at := left.Reset.UTC().Format("15:04")
	if d.Subject.Of == quota.AccountDay {
		msg += "day. The next day starts at " + at + " UTC."
	} else {
		msg += "hour. The next hour starts at " + at + " UTC."
	}
	return &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(time.Second, left.Wait), Msg: msg}
}

// Subject is the client as limits count it.
func (c Client) Subject() quota.Subject {
	s := quota.Subject{Of: quota.ClientHour}
	switch a := c.Addr; {
	case a.Is4():
		b := a.As4()
		s.ID = 0xffff<<48 | uint64(binary.BigEndian.Uint32(b[:])) // no client's IPv6 address begins so
	case a.Is6():
		b := a.As16()
		s.ID = binary.BigEndian.Uint64(b[:8])
	}
	return s
}

var decimals = func() (d [1001]string) {
	for i := range d {
		d[i] = strconv.Itoa(i)
	}
	return d
}()

func decimal(n int) string {
	if n >= 0 && n < len(decimals) {
		return decimals[n]
	}
	return strconv.Itoa(n)
}
