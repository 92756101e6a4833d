// Package subregistry serves the API of the official MCP registry, version 0.1, for all
// listed servers that clients can start or reach, and for named parts of them: views. It
// only reads and needs no key.
package subregistry

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/entry"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// A Store has what the read model lacks; postgres.DB describes the methods.
type Store interface {
	Readme(ctx context.Context, slug string) (registry.Readme, error)
	Departed(ctx context.Context, since time.Time) ([]registry.Departed, error)
	SaveMembers(ctx context.Context, view string, members map[string]string, now, since time.Time,
	) ([]registry.Departed, error)
	EarlierListings(ctx context.Context, name string) ([]registry.Listing, error)
}

// Options configure an API.
type Options struct {
	API     *api.API
	Store   Store
	Saved   SavedViews
	Version string // of the program
}

// An API handles requests under /v0.1 and /r.
type API struct {
	Options
	encoder  entry.Encoder
	records  *cache.Bytes[recordKey, []byte]
	found    *cache.Cache[[]*catalog.Item]
	departed *cache.Cache[[]departed]
	// recentlyStored are the views whose names were stored within a minute.
	recentlyStored *cache.Cache[struct{}]
	parts          *cache.Cache[catalog.Entries]
	saved          *cache.Cache[*view]
}

const (
	// PerMinute is how many requests a client may send in a minute.
	PerMinute = 600

	responseCache = "public, max-age=60, stale-while-revalidate=600"
	recordsSize   = 64 << 20 // bytes of encoded entries
)

func New(o Options) *API {
	return &API{
		Options: o, encoder: entry.Encoder{Namespace: o.API.Namespace, BaseURL: o.API.BaseURL},
		records: cache.NewBytes(recordsSize, func(k recordKey, b []byte) int64 {
			return int64(len(k.name) + len(k.tag) + len(b))
		}),
		found:    cache.New[[]*catalog.Item](64),
		departed: cache.New[[]departed](64), recentlyStored: cache.New[struct{}](1024),
		parts: cache.New[catalog.Entries](64),
		saved: cache.New[*view](1024),
	}
}

// Register adds the API's routes to r. It must be called before routes of other packages
// are added, so that limits and CORS apply to unknown URLs too.
func (a *API) Register(r gin.IRouter) {
	limit := httpd.LimitPerMinute(PerMinute, a.API.Problem)
	for _, root := range []string{"/v0", "/v0.1", "/r"} {
		for _, m := range []gin.HandlerFunc{
			httpd.AllowAnyOrigin, httpd.PreflightOf("GET, HEAD, POST, OPTIONS"), a.clean, limit,
		} {
			r.Use(httpd.Under(root, m))
		}
	}
	for _, root := range []string{"/v0.1", "/r"} {
		r.Use(httpd.Under(root, a.refuseWrites))
	}
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, httpd.Handle(h, a.API.Problem)) }
	for _, base := range []string{"/v0.1", viewPath + "/v0.1"} {
		get(base+"/servers", a.API.Cached(a.servers))
		get(base+"/servers/:name/versions", a.versions)
		get(base+"/servers/:name/versions/:version", a.version)
	}
	get("/v0.1/ping", constant(map[string]bool{"pong": true}))
	get("/v0.1/health", constant(map[string]string{"status": "ok"}))
	get("/v0.1/version", constant(map[string]string{
		"version": a.Version, "git_commit": "", "build_time": "",
	}))
	a.registerViews(get)
}

// refuseWrites refuses requests of the official registry's API that publish or change
// servers.
func (a *API) refuseWrites(c *gin.Context) {
	path := c.Request.URL.Path
	if rest, ok := strings.CutPrefix(path, "/r/"); ok { // of a view
		_, rest, _ = strings.Cut(rest, "/")
		path = "/" + rest
	}
	switch c.Request.Method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
	case http.MethodPost:
		if path != "/v0.1/publish" && !strings.HasPrefix(path, "/v0.1/auth/") {
			return
		}
	default:
		return
	}
	a.API.Problem(c, registry.Errorf(registry.ErrNotOffered,
		"This registry is read-only. Publish to the official registry with mcp-publisher: its entries "+
			"appear here within an hour. To have a repository listed, submit it at %s/add.", a.API.BaseURL))
}

// clean refuses NUL characters, and redirects URLs that end in a slash to those without.
func (a *API) clean(c *gin.Context) {
	u := c.Request.URL
	if strings.Contains(u.Path, "\x00") || strings.Contains(u.RawQuery, "\x00") ||
		strings.Contains(u.EscapedPath(), "%00") || strings.Contains(u.RawQuery, "%00") {
		a.API.Problem(c, registry.Errorf(registry.ErrInvalid, "The URL must not contain NUL characters (%%00)."))
		return
	}
	path := u.EscapedPath()
	if !strings.HasSuffix(path, "/") {
		return
	}
	to := "/" + strings.Trim(path, "/")
	if u.RawQuery != "" {
		to += "?" + u.RawQuery
	}
	c.Header("Location", to)
	c.AbortWithStatus(http.StatusPermanentRedirect)
}

func constant(v any) httpd.Handler {
	return func(_ context.Context, c *gin.Context) error {
		return api.Send(c, v)
	}
}

// respond sends v and caches the response under key.
func (a *API) respond(c *gin.Context, key api.Key, v func() (any, error)) error {
	return a.API.Respond(c, key, func() (*api.Response, error) { return responseOf(v) })
}

func responseOf(v func() (any, error)) (*api.Response, error) {
	body, err := v()
	if err != nil {
		return nil, err
	}
	r, err := api.NewResponse(body, "")
	if err == nil {
		r.Cache = responseCache
	}
	return r, err
}

// errNoServer is the error for names and versions without a server.
var errNoServer = &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found", Msg: "Server not found"}
