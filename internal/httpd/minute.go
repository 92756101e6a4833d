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

// maxClients is how many clients [LimitPerMinute] remembers.
const maxClients = 100_000

// LimitPerMinute refuses requests of a client beyond n in a minute, of which all may come
// at once. It counts in this process only and sets no headers, for routes where a limit
// protects the process and is not part of a plan. Preflight requests are not counted.
func LimitPerMinute(n int, render func(c *gin.Context, err error)) gin.HandlerFunc {
	clients, err := lru.New[Client, *rate.Limiter](maxClients)
	if err != nil {
		panic(err) // the size is a constant
	}
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return
		}
		client := ClientOf(c)
		l, ok := clients.Get(client)
		if !ok {
			l = rate.NewLimiter(rate.Limit(n)/60, n)
			if earlier, ok, _ := clients.PeekOrAdd(client, l); ok {
				l = earlier
			}
		}
		if !l.Allow() {
			wait := time.Minute / time.Duration(n)
			render(c, &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(wait, time.Second),
				Msg: "Rate limit reached: " + strconv.Itoa(n) + " requests per minute for this address."})
		}
	}
}
