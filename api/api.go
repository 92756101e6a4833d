// Package api serves the registry as JSON under /api, and its OpenAPI document
// and documentation. It only reads.
package api

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/brand"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A Searcher returns the servers that a text matches.
type Searcher interface {
	Match(ctx context.Context, text string) (query.Matches, error)
}

// A Checker checks repositories on demand.
type Checker interface {
	// Check returns the report of a repository, made now if there is no fresh
	// one. If that takes longer than about 8 seconds, the report is pending and
	// has an ID and a RetryAfter.
	Check(ctx context.Context, ref registry.RepoRef) (registry.CheckResult, error)
	// Checked returns the report with that ID, pending or not. For an unknown ID
	// the error is of kind registry.ErrNotFound.
	Checked(ctx context.Context, id string) (registry.CheckResult, error)
}

// A Meter counts the calls of accounts.
type Meter interface {
	// Call counts a call of an endpoint, named by its route, by any method.
	Call(account, key int64, endpoint string)
}

// Options configure an API.
type Options struct {
	Catalog *catalog.Catalog
	Search  Searcher // nil: searches with a text respond with 503
	Checker Checker
	Keys    httpd.Keyring // nil: keys are ignored
	Limiter httpd.Limiter // of requests under /api; nil: no limit
	Counter httpd.Counter // nil: nothing is counted
	Meter   Meter         // of calls with a key; nil: they are not counted
	Tools   ToolHistory
	Changes ChangeLog

	Dumps     string // folder of the dumps; "": none
	BaseURL   string // "https://census.example", without a slash at the end; "" makes links relative
	Namespace string // reverse DNS, for _meta keys: "io.census"
	Version   string // of the program, for the OpenAPI document
	Brand     brand.Brand
	Frame     Frame // around the pages about the API
	Install   Install
	// CursorKey makes cursors tamper-proof. All processes of a registry need the
	// same. Empty: a fixed one, which detects accidental changes only.
	CursorKey []byte
	// StaleAfter is the age of a listed server's last crawl at which its health
	// is called stale; 0 means seven days.
	StaleAfter time.Duration
	Now        func() time.Time // nil: time.Now
}

// An API handles requests under /api and for the documentation.
type API struct {
	Options
	Sealer    *page.Sealer // of cursors
	docs      string       // URL of the explanation of error codes
	encoder   *Encoder
	responses *cache.Bytes[responseKey, *Response]
	spec      func() (spec, error) // made when it is first requested
}

func New(o Options) *API {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Counter = cmp.Or(o.Counter, httpd.Uncounted)
	o.Namespace = cmp.Or(o.Namespace, "io.mcpcensus")
	o.StaleAfter = cmp.Or(o.StaleAfter, 7*24*time.Hour)
	if len(o.CursorKey) == 0 {
		o.CursorKey = []byte("census cursors " + o.Namespace)
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	return &API{
		Options: o, Sealer: page.NewSealer(o.CursorKey), docs: o.BaseURL + "/docs/errors",
		encoder: NewEncoder(o.Namespace, o.Install).WithAvatars(o.BaseURL),
		responses: cache.NewBytes(responseCacheSize, func(key responseKey, r *Response) int64 {
			return int64(len(key.version) + len(key.request) + len(r.Body))
		}),
		spec: sync.OnceValues(func() (spec, error) { return newSpec(o) }),
	}
}

// Encoder returns the encoder of the API's documents.
func (a *API) Encoder() *Encoder { return a.encoder }

// Register adds the API's routes to r. It must be called before routes of
// other packages are added, so that limits and CORS apply to unknown URLs under
// /api too.
func (a *API) Register(r gin.IRouter) {
	for _, root := range []string{"/api", "/dumps", "/openapi.json", "/openapi.yaml"} {
		r.Use(httpd.Under(root, httpd.AllowAnyOrigin))
	}
	r.Use(httpd.Under("/dumps", httpd.Preflight))
	if a.Keys != nil {
		if a.Limiter != nil {
			r.Use(httpd.Under("/api", httpd.LimitKeyless(a.Limiter, quota.ClientsHourly)))
		}
		r.Use(httpd.Under("/api", httpd.TakeKey(a.Keys, a.docs)))
	}
	if a.Limiter != nil {
		r.Use(httpd.Under("/api", httpd.Limit(a.Limiter, a.docs, httpd.PerHour(quota.ClientsHourly))))
	}
	r.Use(httpd.Under("/api", httpd.Preflight))
	if a.Meter != nil {
		r.Use(httpd.Under("/api", func(c *gin.Context) { CountCall(c, a.Meter, "/api") }))
	}
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, httpd.Handle(h, a.Problem)) }
	get(discoverPath, a.Cached(a.discover))
	get(serversPath, a.Cached(a.servers))
	get(serversPath+"/:id", a.server)
	get(toolChangesPath, a.toolChanges)
	get("/api/categories", a.Cached(a.categories))
	get(changesPath, a.changes)
	get("/api/health", a.checkHealth)
	get("/api/checks/:id", a.checkStatus)
	get("/dumps", a.dumps)
	get("/dumps/:file", a.dumpFile)
	get("/openapi.json", a.finished(func(s spec) ready { return s.json }))
	get("/openapi.yaml", a.finished(func(s spec) ready { return s.yaml }))
	get("/docs", a.finished(func(s spec) ready { return s.docs }))
	get("/docs/errors", a.finished(func(s spec) ready { return s.errors }))
	get("/docs/openapi.css", a.finished(func(s spec) ready { return s.style }))
	get("/docs/openapi.js", a.finished(func(s spec) ready { return s.script }))
}

// CountCall counts a request with a key that has passed the limit, whatever its
// response. URLs without an endpoint count as that of root.
func CountCall(c *gin.Context, m Meter, root string) {
	if who, ok := httpd.AccessOf(c); ok {
		m.Call(who.Account, who.Key, cmp.Or(c.FullPath(), root))
	}
}

func (a *API) Problem(c *gin.Context, err error) { httpd.WriteProblem(c, a.docs, err) }

// View returns the current version of the data, or an error of kind
// registry.ErrUnavailable while there is none.
func (a *API) View() (*catalog.View, error) {
	if !a.Catalog.Ready() {
		return nil, &registry.Error{
			Kind: registry.ErrUnavailable, RetryAfter: 2 * time.Second,
			Msg: "The registry is starting up. Please try again in a moment.",
		}
	}
	return a.Catalog.View(), nil
}
