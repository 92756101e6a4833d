// Package v1 serves the keyed directory API under /v1: lists, records, search,
// several records at once, analytics, saved searches with an address of their
// own, and what an account has used. It answers from the same read model and
// the same index as /api, in envelopes of its own.
package v1

import (
	"context"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A Searcher finds listed servers by words and filters.
type Searcher interface {
	Search(ctx context.Context, q query.Query) (query.Results, error)
}

// Figures are what analytics are made of. Days are UTC, both ends included,
// oldest first; a day that nothing was measured on is absent.
type Figures interface {
	// History returns the daily snapshots of a server.
	History(ctx context.Context, slug string, from, to time.Time) ([]registry.DayStats, error)
	// DayDownloads returns how often a server's packages were downloaded on
	// single days.
	DayDownloads(ctx context.Context, slug string, from, to time.Time) ([]registry.DayDownloads, error)
	// Events returns what was counted of a server.
	Events(ctx context.Context, slug string, from, to time.Time) ([]meter.DayEvents, error)
}

// Calls are what accounts have called.
type Calls interface {
	// Calls returns the calls of an account on UTC days, both ends included.
	Calls(ctx context.Context, account int64, from, to time.Time) ([]meter.DayCalls, error)
}

// Accounts knows whose a key is.
type Accounts interface {
	// Account returns an account by its ID.
	Account(ctx context.Context, id int64) (account.Login, error)
	// Keys returns the keys of an account, those that ended too.
	Keys(ctx context.Context, account int64) ([]account.Key, error)
}

// Options are what an API is made of.
type Options struct {
	API    *api.API
	Search Searcher // nil: queries that need the index are answered 503

	Keys    httpd.Keyring // who may ask
	Limiter httpd.Limiter // of requests per account and UTC day; nil: there is no limit
	Meter   api.Meter     // nil: calls are not counted

	Figures  Figures     // nil: analytics are answered 503
	Calls    Calls       // nil: usage is answered 503
	Accounts Accounts    // nil: answers leave out what only it knows
	Customs  CustomStore // nil: saved searches are answered 503
	Now      func() time.Time
}

// An API answers requests under /v1.
type API struct {
	Options
	docs    string
	customs customs
}

// New returns an API.
func New(o Options) *API {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &API{Options: o, docs: o.API.BaseURL + "/docs/errors"}
	a.customs = customs{store: o.Customs, now: o.Now}
	return a
}

// Register adds the API's routes to r. It must be called before routes of
// packages that are not below /v1 are added, so that unknown addresses under
// /v1 need a key too.
func (a *API) Register(r gin.IRouter) {
	use := func(m gin.HandlerFunc) { r.Use(httpd.Under("/v1", m)) }
	use(vary)
	if a.Limiter != nil { // what is refused for its key counts for its client
		use(httpd.LimitKeyless(a.Limiter, quota.ClientsHourly))
	}
	use(httpd.NeedKey(a.Keys, a.docs))
	if a.Limiter != nil {
		use(httpd.Limit(a.Limiter, a.docs, httpd.PerDay(quota.ClientsHourly)))
	}
	if a.Meter != nil {
		use(func(c *gin.Context) { api.CountCall(c, a.Meter, "/v1") })
	}
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, a.handle(h)) }
	get("/v1/servers", a.servers)
	get("/v1/servers/:id", a.server)
	get("/v1/servers/:id/analytics", a.analytics)
	r.POST("/v1/servers/bulk", a.handleBody(maxBulkBody, a.bulk))
	// Without these, they are for a server of the name.
	only := func(_ context.Context, c *gin.Context) error { return httpd.WrongMethod(c, "POST, OPTIONS") }
	get("/v1/servers/bulk", only)
	r.OPTIONS("/v1/servers/bulk", a.handle(only))
	get("/v1/search", a.search)
	r.POST("/v1/search", a.handleBody(maxSearchBody, a.searchBody))
	get("/v1/account", a.account)
	get("/v1/usage", a.usage)
	get("/v1/plans", a.plans)
	get("/v1/custom", a.listCustoms)
	get("/v1/custom/:name", a.runCustom)
	get("/v1/custom/:name/definition", a.getCustom)
	r.PUT("/v1/custom/:name/definition", a.handleBody(maxCustomBody, a.putCustom))
	r.DELETE("/v1/custom/:name/definition", a.handle(a.deleteCustom))
}

func (a *API) handle(h httpd.Handler) gin.HandlerFunc { return httpd.Handle(h, a.API.Problem) }

func (a *API) handleBody(most int64, h httpd.Handler) gin.HandlerFunc {
	return httpd.HandleBody(most, h, a.API.Problem)
}

// vary says that answers are for one key.
func vary(c *gin.Context) { c.Header("Vary", "Authorization, Accept-Encoding") }

// access returns what the request's key gives.
func access(c *gin.Context) (account.Access, error) {
	a, ok := httpd.AccessOf(c)
	if !ok {
		return a, &registry.Error{Kind: registry.ErrUnauthorized, Msg: "This address needs an API key: send Authorization: Bearer and the key."}
	}
	return a, nil
}

// need refuses requests of accounts whose plan does not have something.
func need(c *gin.Context, what string, has func(*account.Plan) bool) (account.Access, error) {
	a, err := access(c)
	if err != nil || has(a.Plan) {
		return a, err
	}
	ids := account.PlansWith(has)
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = account.PlanNamed(id).Name
	}
	return a, &registry.Error{Kind: registry.ErrForbidden, Code: "plan_upgrade_required", Plans: ids,
		Msg: what + " the " + strings.Join(names, " or ") + " plan. Yours is " + a.Plan.Name + "."}
}

func analyticsPlan(p *account.Plan) bool { return p.Analytics }
func bulkPlan(p *account.Plan) bool      { return p.Bulk }
func customPlan(p *account.Plan) bool    { return p.Custom }

// noSearch is the answer while there is no index.
func noSearch() error {
	return registry.Errorf(registry.ErrUnavailable, "Search is not available at the moment. Listings without search are.")
}

// faults collects what is wrong with a request.
type faults []registry.FieldError

func (f *faults) add(field, msg string) {
	if len(*f) < 20 {
		*f = append(*f, registry.FieldError{Field: field, Message: msg})
	}
}

// take adds what err says is wrong, and returns err if it is about something
// else.
func (f *faults) take(err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*registry.Error)
	if !ok || e.Kind != registry.ErrInvalid || len(e.Fields) == 0 || e.Code != "" {
		return err
	}
	for _, x := range e.Fields {
		f.add(x.Field, x.Message)
	}
	return nil
}

func (f faults) err() error { return api.InvalidFields(f) }
