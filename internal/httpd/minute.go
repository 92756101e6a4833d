package httpd

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// maxClients is the maximum number of clients and sites that [LimitPerMinute] tracks.
const maxClients = 100_000

// LimitPerMinute refuses requests of a client beyond n per minute, with bursts of n, and of a site
// beyond [quota.SiteFactor] times that. It counts in this process only and sets no headers: it protects
// the process and is not part of a plan. It does not count preflight requests.
func LimitPerMinute(n int, render func(c *gin.Context, err error)) gin.HandlerFunc {
	limiters, err := lru.New[netip.Prefix, *rate.Limiter](maxClients)
	if err != nil {
		panic(err) // the size is a constant
	}
	limiterOf := func(network netip.Prefix, n int) *rate.Limiter {
		l, ok := limiters.Get(network)
		if !ok {
			l = rate.NewLimiter(rate.Limit(float64(n)/60), n)
			if earlier, ok, _ := limiters.PeekOrAdd(network, l); ok {
				l = earlier
			}
		}
		return l
	}
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodOptions {
			return
		}
		client := ClientOf(c).Addr
		all := []*rate.Limiter{limiterOf(netip.PrefixFrom(client, client.BitLen()), n)}
		if client.IsValid() { // those that are unknown are one client
			all = append(all, limiterOf(siteOf(client), quota.SiteFactor*n))
		}
		for _, l := range all {
			if !l.AllowN(time.Now(), 1) {
				wait := time.Duration((1 - l.Tokens()) / float64(l.Limit()) * float64(time.Second))
				render(c, &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(wait, time.Second),
					Msg: "Rate limit reached: " + strconv.Itoa(n) + " requests per minute for this address."})
				return
			}
		}
	}
}
