// Package v1 serves the directory API under /v1, which needs a key: lists,
// records, search, bulk requests, analytics, custom endpoints (saved searches),
// webhooks and the usage of an account. It reads the same catalog and index as package
// api, and its responses have their own envelopes.
package v1

import (
	"context"
	"mcpcensus/internal/cache"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// Figures are the data of analytics, see postgres.DB. Days are UTC, both ends included, oldest
// first; days without a measurement are absent.
type Figures interface {
	History(ctx context.Context, slug string, from, to time.Time) ([]registry.DayStats, error)
	DayDownloads(ctx context.Context, slug string, from, to time.Time) ([]registry.DayDownloads, error)
	Events(ctx context.Context, slug string, from, to time.Time) ([]meter.DayEvents, error)
}

// Accounts have the keys, calls and custom endpoints of accounts; people.Store describes the methods.
type Accounts interface {
	httpd.Calls
	Keys(ctx context.Context, account int64) ([]account.Key, error)
	Customs(ctx context.Context, account int64) ([]account.Custom, error)
	PutCustom(
		ctx context.Context, account int64, c account.Custom, most int,
	) (stored account.Custom, created bool, err error)
	DeleteCustom(ctx context.Context, account int64, name string) error
	MakeCustomToken(ctx context.Context, account int64, name string) (string, error)
	CustomByToken(ctx context.Context, token string) (account.Custom, account.Subscription, error)
}

// Options configure an API.
type Options struct {
	API      *api.API // its catalog, index, keys, limits and clock are those of this one
	Figures  Figures
	Accounts Accounts
	Webhooks *webhook.Service
	Offer    account.Offer
}

// An API handles requests under /v1.
type API struct {
	Options
	docs    string // URL of the explanation of error codes
	customs customs
}

func New(o Options) *API {
	a := &API{Options: o, docs: o.API.BaseURL + "/docs/errors"}
	a.customs = customs{o.Accounts, o.API.Now, cache.New[[]account.Custom](maxCached)}
	return a
}

// Register adds the API's routes to r. It must be called before routes outside
// /v1 are added, so that unknown URLs under /v1 need a key too.
func (a *API) Register(r gin.IRouter) {
	use := func(m gin.HandlerFunc) { r.Use(httpd.Under("/v1", m)) }
	use(vary)
	if a.API.Limiter != nil { // requests without a valid key count for the client
		use(httpd.LimitKeyless(a.API.Limiter, quota.ClientsHourly))
	}
	use(httpd.NeedKey(a.API.Keys, a.docs))
	if a.API.Limiter != nil {
		use(httpd.Limit(a.API.Limiter, a.docs, httpd.PerDay(quota.ClientsHourly)))
	}
	if a.API.Meter != nil {
		use(func(c *gin.Context) { api.CountCall(c, a.API.Meter, "/v1") })
	}
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, a.handle(h)) }
	get("/v1/servers", a.API.Cached(a.servers))
	get("/v1/servers/:id", a.server)
	get("/v1/servers/:id/analytics", of(analytics, a.analytics))
	get("/v1/servers/:id/tools/changes", a.toolChanges)
	r.POST("/v1/servers/bulk", a.handleBody(maxBulkBody, of(bulk, a.bulk)))
	// Without these routes, "bulk" would be the name of a server.
	only := func(_ context.Context, c *gin.Context) error { return httpd.WrongMethod(c, "POST, OPTIONS") }
	get("/v1/servers/bulk", only)
	r.OPTIONS("/v1/servers/bulk", a.handle(only))
	get("/v1/search", a.search)
	r.POST("/v1/search", a.handleBody(maxSearchBody, a.searchByBody))
	get("/v1/changes", of(changes, a.changes))
	get("/v1/account", of(anyPlan, plainly(a.account)))
	get("/v1/usage", of(anyPlan, a.usage))
	get("/v1/plans", of(anyPlan, plainly(a.plans)))
	get("/v1/custom", of(custom, plainly(a.listCustoms)))
	get("/v1/custom/:name", of(custom, onCustom(a.runCustom)))
	const definitionPath = "/v1/custom/:name/definition"
	get(definitionPath, of(custom, onCustom(a.getCustom)))
	r.PUT(definitionPath, a.handleBody(maxCustomBody, of(custom, onCustom(a.putCustom))))
	r.DELETE(definitionPath, a.handle(of(custom, onCustom(a.deleteCustom))))
	r.POST("/v1/custom/:name/view", a.handle(of(custom, onCustom(a.createView))))
	get(webhooksPath, of(anyPlan, plainly(a.listWebhooks)))
	r.POST(webhooksPath, a.handleBody(maxWebhookBody, of(anyPlan, a.createWebhook)))
	const webhookPath = webhooksPath + "/:id"
	get(webhookPath, onBareWebhook(a.getWebhook))
	r.PUT(webhookPath, a.handleBody(maxWebhookBody, onWebhook(a.putWebhook)))
	r.DELETE(webhookPath, a.handle(onBareWebhook(a.deleteWebhook)))
	r.POST(webhookPath+"/rotate", a.handle(onBareWebhook(a.rotateWebhook)))
	r.POST(webhookPath+"/test", a.handle(onBareWebhook(a.testWebhook)))
	get(webhookPath+"/deliveries", onWebhook(a.deliveries))
	r.POST(webhookPath+"/deliveries/:delivery/resend", a.handle(onBareWebhook(a.resend)))
}

func (a *API) handle(h httpd.Handler) gin.HandlerFunc { return httpd.Handle(h, a.API.Problem) }

func (a *API) handleBody(most int64, h httpd.Handler) gin.HandlerFunc {
	return httpd.HandleBody(most, h, a.API.Problem)
}

// vary marks responses as dependent on the key.
func vary(c *gin.Context) { c.Header("Vary", "Authorization, Accept-Encoding") }

// A handler handles a request with a key.
type handler func(ctx context.Context, c *gin.Context, who account.Access) error

// A feature is what the plan of an account must include. what begins the error.
type feature struct {
	what string
	has  func(*account.Plan) bool
}

var (
	anyPlan   = feature{has: func(*account.Plan) bool { return true }}
	analytics = feature{"Analytics require", func(p *account.Plan) bool { return p.Analytics }}
	bulk      = feature{"Bulk requests require", func(p *account.Plan) bool { return p.Bulk }}
	changes   = feature{"The change feed with full records requires",
		func(p *account.Plan) bool { return p.Changes }}
	custom = feature{"Custom endpoints require", func(p *account.Plan) bool { return p.Custom }}
)

// of returns the handler of requests by accounts with a feature.
func of(f feature, h handler) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) error {
		a, ok := httpd.AccessOf(c)
		if !ok {
			return registry.Errorf(registry.ErrUnauthorized,
				"This endpoint requires an API key. Send it in the header Authorization: Bearer <key>.")
		}
		if f.has(a.Plan) {
			return h(ctx, c, a)
		}
		ids := account.PlansWith(f.has)
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = account.PlanNamed(id).Name
		}
		return &registry.Error{
			Kind: registry.ErrForbidden, Code: "plan_upgrade_required", Plans: ids,
			Msg: f.what + " the " + strings.Join(names, " or ") + " plan. Your plan is " + a.Plan.Name + ".",
		}
	}
}

// plainly returns a handler of requests without parameters.
func plainly(h handler) handler {
	return func(ctx context.Context, c *gin.Context, who account.Access) error {
		if err := page.NoParams(c.Request); err != nil {
			return err
		}
		return h(ctx, c, who)
	}
}
