package httpd

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"mcpcensus/internal/registry"
)

// maxClients is the maximum number of clients that [LimitPerMinute] tracks.
const maxClients = 100_000

// LimitPerMinute refuses requests of a client beyond n per minute, with bursts of n. It
// counts in this process only and sets no headers: it protects the process and is not part
// of a plan. It does not count preflight requests.
func LimitPerMinute(n int, render func(c *gin.Context, err error)) gin.HandlerFunc {
	msg := "Rate limit reached: " + strconv.Itoa(n) + " requests per minute for this address."
	return limitCost(n, msg, func(*gin.Context) int { return 1 }, render)
}

// LimitCost is like [LimitPerMinute] for requests that count as cost returns, at most n.
// Requests that cost nothing always pass.
func LimitCost(n int, cost func(c *gin.Context) int, render func(c *gin.Context, err error)) gin.HandlerFunc {
	return limitCost(n, "Too many requests from this address. Please try again in a moment.", cost, render)
}

func limitCost(n int, msg string, cost func(c *gin.Context) int,
	render func(c *gin.Context, err error)) gin.HandlerFunc {
	clients, err := lru.New[Client, *rate.Limiter](maxClients)
	if err != nil {
		panic(err) // the size is a constant
	}
	perSecond := float64(n) / 60
	return func(c *gin.Context) {
		due := 0
		if c.Request.Method != http.MethodOptions {
			due = cost(c)
		}
		if due <= 0 {
			return
		}
		client := ClientOf(c)
		l, ok := clients.Get(client)
		if !ok {
			l = rate.NewLimiter(rate.Limit(perSecond), n)
			if earlier, ok, _ := clients.PeekOrAdd(client, l); ok {
				l = earlier
			}
		}
		if !l.AllowN(time.Now(), due) {
			wait := time.Duration((float64(due) - l.Tokens()) / perSecond * float64(time.Second))
			render(c, &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(wait, time.Second), Msg: msg})
		}
	}
}
