package web

import "github.com/gin-gonic/gin"

// PerMinute is how many points a client may spend on pages in a minute, in each process.
// It allows ten pages of servers or four searches a second.
const PerMinute = 1200

// Points that a page costs. Other pages, assets, badges, avatars and site maps cost nothing:
// they are small or cached.
const (
	listCost   = 1 // lists without conditions, and their further pages
	filterCost = 3
	serverCost = 2 // its README is rendered
	feedCost   = 2
	searchCost = 5
	heavyCost  = 5 // pictures, comparisons, checks and the linter
)

// cost returns the points that a request costs.
func cost(c *gin.Context) int {
	q := c.Request.URL.Query()
	switch c.FullPath() {
	case "/servers", "/categories/:category", "/tags/:tag", "/owners/:owner":
		q.Del("page")
		switch {
		case q.Get("q") != "":
			return searchCost
		case len(q) > 0:
			return filterCost
		}
		return listCost
	case "/servers/:slug", "/servers/:slug/tools", "/servers/:slug/health", "/servers/:slug/versions",
		"/servers/:slug/readme", "/servers/:slug/pictures/:picture":
		return serverCost
	case "/feed.atom", "/categories/:category/feed.atom", "/owners/:owner/feed.atom":
		return feedCost
	case "/compare", "/check", "/lint":
		if len(q) > 0 || c.Request.Method == "POST" {
			return heavyCost
		}
		return listCost
	case "/social/:file", "/servers/:slug/check":
		return heavyCost
	}
	return 0
}
