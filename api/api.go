// Package api serves the registry as JSON: /api for anyone. It reads from the
// catalog and the search index, writes nothing, and describes itself in an
// OpenAPI document.
package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A Searcher finds listed servers by words.
type Searcher interface {
	Search(ctx context.Context, q query.Query) (query.Results, error)
}

// A Checker checks repositories that are asked for by address.
type Checker interface {
	// Check returns the report of a repository, made now if there is no fresh
	// one. It answers within about 8 seconds; after that the report is
	// pending and has an ID and a RetryAfter.
	Check(ctx context.Context, ref registry.RepoRef) (registry.CheckResult, error)
	// Checked returns the report with that ID, pending or not. An ID that
	// there is no check for is an error of kind registry.ErrNotFound.
	Checked(ctx context.Context, id string) (registry.CheckResult, error)
}

// A Meter counts the calls of accounts.
type Meter interface {
	// Call counts one call of an endpoint, as it stands in the routes, by
	// whatever method.
	Call(account, key int64, endpoint string)
}

// Options are what an API is made of.
type Options struct {
	Catalog *catalog.Catalog
	Search  Searcher      // nil: queries with words are answered 503
	Checker Checker       // nil: repositories that are not listed are answered 503
	Keys    httpd.Keyring // nil: keys are not looked at
	Limiter httpd.Limiter // of requests under /api; nil: there is no limit
	Hourly  int           // requests of a client without a key per UTC hour; 0: registry.ClientsHourly
	Counter httpd.Counter // nil: nothing is counted
	Meter   Meter         // of calls with a key; nil: they are not counted

	BaseURL   string // "https://census.example", without a slash at the end; "" makes links relative
	Namespace string // reverse DNS, for _meta keys: "io.census"
	Version   string // of the program, for the OpenAPI document
	Brand     brand.Brand
	Frame     Frame // around the pages about the API; nil: a plain one
	Install   Install
	// CursorKey makes cursors tamper-proof. All processes of one registry must
	// have the same. Empty: a fixed one, which catches accidents only.
	CursorKey []byte
	// StaleAfter is the age of a listed server's last crawl from which its
	// health is called stale; 0 means seven days.
	StaleAfter time.Duration
	Now        func() time.Time // nil: time.Now
}

// An API answers JSON requests.
type API struct {
	Options
	docs    string // address of the explanation of error codes
	encoder *encoder
	health  *catalog.Cache // health reports, compressed in two ways
	hot     *catalog.Cache // health reports that are asked for all the time
	spec    spec
}

// These bound the health reports that are kept, compressed and not.
const (
	healthCacheSize = 16 << 20
	hotCacheSize    = 4 << 20
)

// New returns an API. It fails only if the embedded OpenAPI document is broken.
func New(o Options) (*API, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hourly == 0 {
		o.Hourly = quota.ClientsHourly
	}
	if o.Counter == nil {
		o.Counter = httpd.Uncounted
	}
	if o.Namespace == "" {
		o.Namespace = "io.mcpcensus"
	}
	if o.StaleAfter == 0 {
		o.StaleAfter = 7 * 24 * time.Hour
	}
	if len(o.CursorKey) == 0 {
		o.CursorKey = []byte("census cursors " + o.Namespace)
	}
	key := sha256.Sum256(o.CursorKey)
	o.CursorKey = key[:]
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	a := &API{
		Options: o, docs: o.BaseURL + "/docs/errors", encoder: newEncoder(o.Namespace, o.Install),
		health: catalog.NewCache(healthCacheSize), hot: catalog.NewCache(hotCacheSize),
	}
	var err error
	a.spec, err = newSpec(o)
	return a, err
}

// Register adds the API's routes to r. It must be called before routes of
// other packages are added, so that unknown addresses under /api are limited
// and readable from every origin too.
func (a *API) Register(r gin.IRouter) {
	r.Use(httpd.Under("/api", httpd.AllowAnyOrigin))
	if a.Keys != nil {
		if a.Limiter != nil {
			r.Use(httpd.Under("/api", httpd.LimitKeyless(a.Limiter, a.Hourly)))
		}
		r.Use(httpd.Under("/api", httpd.TakeKey(a.Keys, a.docs)))
	}
	if a.Limiter != nil {
		r.Use(httpd.Under("/api", httpd.Limit(a.Limiter, a.docs, httpd.PerHour(a.Hourly))))
	}
	r.Use(httpd.Under("/api", httpd.Preflight))
	if a.Meter != nil {
		r.Use(httpd.Under("/api", func(c *gin.Context) { CountCall(c, a.Meter, "/api") }))
	}
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, httpd.Handle(h, a.problem)) }
	get("/api/discover", a.discover)
	get("/api/servers", a.servers)
	get("/api/categories", a.categories)
	get("/api/health", a.checkHealth)
	get("/api/checks/:id", a.checkStatus)
	get("/openapi.json", a.openapiJSON)
	get("/openapi.yaml", a.openapiYAML)
	get("/docs", a.docsPage)
	get("/docs/errors", a.errorsPage)
	get("/docs/openapi.css", a.docsStyle)
	get("/docs/openapi.js", a.docsScript)
}

// CountCall counts a request with a key that has passed the limit, whatever its
// answer. What is no endpoint counts as that of root.
func CountCall(c *gin.Context, m Meter, root string) {
	if who, ok := httpd.AccessOf(c); ok {
		m.Call(who.Account, who.Key, cmp.Or(c.FullPath(), root))
	}
}

func (a *API) problem(c *gin.Context, err error) { httpd.WriteProblem(c, a.docs, err) }

// view returns the current version of the data, once there is one.
func (a *API) view() (*catalog.View, error) {
	if !a.Catalog.Ready() {
		return nil, &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 2 * time.Second,
			Msg: "The registry is still being read. Please try again in a moment."}
	}
	return a.Catalog.View(), nil
}

// dataCache is the Cache-Control of data: it may be kept, and must be asked
// for again, which costs a 304.
const dataCache = "public, no-cache"

// An answer is a body that can be made in several forms. What its functions
// return is not used after write returns.
type answer struct {
	tag  string
	body func() []byte
	// zipped, if not nil, makes the body compressed, quickly but not small.
	zipped func() []byte
	// The body is kept in cache under key when it is asked for again; "": it is
	// one of a kind, or quick to make.
	cache *catalog.Cache
	key   string
	plain bool // the plain body is worth keeping too
	// control is the Cache-Control; "": dataCache.
	control string
}

// write answers c. A body with a key is compressed once for a version of the
// data: the first time, or the second if it can be zipped quickly.
func (w *answer) write(c *gin.Context) {
	if w.control == "" {
		w.control = dataCache
	}
	if httpd.NotModified(c, w.tag, w.control) {
		return
	}
	a := httpd.Answer{Tag: w.tag, Cache: w.control}
	if httpd.TakesGzip(c.Request) {
		a.Zipped = w.compressed(&a)
	} else {
		a.Body = w.uncompressed()
	}
	httpd.Write(c, a)
}

// compressed returns the body compressed, or nil if it is too small, and then
// puts the plain one into a.
func (w *answer) compressed(a *httpd.Answer) []byte {
	asked := false
	if w.key != "" {
		var z []byte
		if z, asked = w.cache.Get("z " + w.key); z != nil {
			return z
		}
	}
	if w.zipped != nil && !asked {
		if w.key != "" {
			w.cache.Put("z "+w.key, nil)
		}
		return w.zipped()
	}
	a.Body = w.body()
	z := httpd.Zip(a.Body)
	if z != nil && w.key != "" {
		w.cache.Put("z "+w.key, z)
	}
	return z
}

func (w *answer) uncompressed() []byte {
	if !w.plain || w.key == "" {
		return w.body()
	}
	b, asked := w.cache.Get("p " + w.key)
	if b != nil {
		return b
	}
	b = w.body()
	if asked {
		b = bytes.Clone(b)
		w.cache.Put("p "+w.key, b)
	} else {
		w.cache.Put("p "+w.key, nil)
	}
	return b
}
