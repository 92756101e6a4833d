// Package api serves the registry as JSON: /api for anyone. It reads from the
// catalog and the search index, writes nothing, and describes itself in an
// OpenAPI document.
package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// A Searcher finds listed servers by words.
type Searcher interface {
	Search(ctx context.Context, q registry.Query) (registry.Results, error)
}

// A Checker checks repositories that are asked for by address.
type Checker interface {
	// Check returns the report of a repository, made now if there is no fresh
	// one. It answers within about 8 seconds; after that the report is
	// pending and has an ID and a RetryAfter.
	Check(ctx context.Context, ref registry.RepoRef) (registry.Report, error)
	// Checked returns the report with that ID, pending or not. An ID that
	// there is no check for is an error of kind registry.ErrNotFound.
	Checked(ctx context.Context, id string) (registry.Report, error)
}

// Options are what an API is made of.
type Options struct {
	Catalog *catalog.Catalog
	Search  Searcher      // nil: queries with words are answered 503
	Checker Checker       // nil: repositories that are not listed are answered 503
	Limiter httpd.Limiter // nil: 100 requests an hour, counted in this process

	BaseURL   string // "https://census.example", without a slash at the end; "" makes links relative
	Namespace string // reverse DNS, for _meta keys: "io.census"
	Version   string // of the program, for the OpenAPI document
	Install   Install
	// CursorKey makes cursors tamper-proof. All processes of one registry must
	// have the same. Empty: a fixed one, which catches accidents only.
	CursorKey []byte
	// StaleAfter is the age of a listed server's last crawl from which its
	// health is called stale; 0 means seven days.
	StaleAfter time.Duration
	Now        func() time.Time // nil: time.Now
}

// HourlyLimit is how many requests a client without a key has per UTC hour.
const HourlyLimit = 100

// An API answers JSON requests.
type API struct {
	Options
	docs    string // address of the explanation of error codes
	encoder *encoder
	health  *catalog.Cache // compressed health reports
	spec    spec
}

// healthCacheSize bounds the compressed health reports that are kept.
const healthCacheSize = 24 << 20

// New returns an API. It fails only if the embedded OpenAPI document is broken.
func New(o Options) (*API, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limiter == nil {
		o.Limiter = httpd.NewHourly(HourlyLimit, o.Now)
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
		health: catalog.NewCache(healthCacheSize),
	}
	var err error
	a.spec, err = newSpec(o.BaseURL, o.Version)
	return a, err
}

// Register adds the API's routes to r. It must be called before routes of
// other packages are added, so that unknown addresses under /api are limited
// and readable from every origin too.
func (a *API) Register(r gin.IRouter) {
	r.Use(httpd.Under("/api", httpd.AllowAnyOrigin), httpd.Under("/api", httpd.Limit(a.Limiter, a.docs)))
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

// write answers c with body. An answer that is asked for again is kept in cache
// under key: compressed from the first time on, so that it is compressed once
// for a version of the data; plain from the second time on, since putting one
// together costs little more than keeping it. An empty key means that the
// answer is one of a kind. The bytes that body returns are not used after write
// returns.
func write(c *gin.Context, cache *catalog.Cache, key, tag string, body func() []byte) {
	if httpd.NotModified(c, tag, dataCache) {
		return
	}
	a := httpd.Answer{Tag: tag, Cache: dataCache}
	zip := c.Request.Method != http.MethodHead && httpd.TakesGzip(c.Request)
	switch {
	case key == "":
		a.Body = body()
		if zip {
			a.Zipped = httpd.Zip(a.Body)
		}
	case zip:
		z, ok := cache.Get("z " + key)
		if !ok {
			a.Body = body()
			if z = httpd.Zip(a.Body); z != nil {
				cache.Put("z "+key, z)
			}
		}
		a.Zipped = z
	default:
		b, asked := cache.Get("p " + key)
		if b == nil {
			b = body()
			if asked {
				b = bytes.Clone(b)
				cache.Put("p "+key, b)
			} else {
				cache.Put("p "+key, nil)
			}
		}
		a.Body = b
	}
	httpd.Write(c, a)
}
