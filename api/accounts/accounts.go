// Package accounts serves accounts as JSON under /account/api, and sign-in with
// GitHub. It manages the sessions, which the account pages use too.
package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// Options configure an API.
type Options struct {
	Accounts *account.Accounts
	Sessions Sessions
	Keys     Keys
	Plans    Plans
	Records  Records       // nil: exports lack them
	Limiter  httpd.Limiter // of requests below Prefix; nil: unlimited

	BaseURL string // "https://census.example"
	// Failed renders errors of pages, including the redirects to and from
	// GitHub. Nil: problems.
	Failed func(c *gin.Context, err error)
	Now    func() time.Time // nil: time.Now
}

// HourlyLimit is the limit of a client's requests below Prefix per UTC hour.
const HourlyLimit = 300

// An API handles requests about accounts.
type API struct {
	Options
	docs     string // URL of the page that documents error codes
	sessions *scs.SessionManager
	origins  *httpd.Origins
	plain    bool // BaseURL is plain HTTP to this machine
}

// Prefix is the path of accounts: their pages and their JSON.
const Prefix = "/account"

// New returns an API. It fails if BaseURL is not a URL.
func New(o Options) (*API, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Keys = notifyingKeys{o.Keys, o.Accounts}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	origins, err := httpd.NewOrigins(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	a := &API{Options: o, docs: o.BaseURL + "/docs/errors", origins: origins,
		plain: base.Scheme == "http" && httpd.LoopbackHost(base.Host)}
	if a.Failed == nil {
		a.Failed = a.problem
	}
	a.sessions = newSessions(o.Sessions, o.Now)
	return a, nil
}

// allowance counts the requests of a client separately from those to /api.
func allowance(c *gin.Context) httpd.Allowance {
	client := httpd.ClientOf(c).Subject().ID
	return httpd.Allowance{Subject: quota.Subject{Of: quota.VisitorHour, ID: client}, Limit: HourlyLimit}
}

// overLimit refuses a request from an address over its limit. If the sender is signed
// in, or has signed in with this browser, the request counts for the account instead, so
// that others at the same address cannot lock the owner out.
func (a *API) overLimit(c *gin.Context, err error) {
	if errors.Is(err, registry.ErrLimited) {
		id, ownerErr := a.owner(c)
		if ownerErr != nil {
			a.refuse(c, ownerErr)
			return
		}
		if id != 0 {
			due := httpd.Allowance{Subject: quota.Subject{Of: quota.OwnerHour, ID: uint64(id)}, Limit: HourlyLimit}
			if err := httpd.ApplyLimit(c, a.Limiter, due); err != nil {
				a.refuse(c, err)
			}
			return
		}
	}
	a.refuse(c, err)
}

// owner returns the account of a request's session or browser, 0 for none.
func (a *API) owner(c *gin.Context) (int64, error) {
	ctx, err := a.Open(c)
	if err != nil {
		return 0, err
	}
	l, err := a.SignedIn(ctx)
	if !errors.Is(err, registry.ErrUnauthorized) {
		return l.ID, err
	}
	return a.Accounts.OwnerOf(ctx, account.VisitorOf(ctx).Device)
}

// Register adds the routes to r. It must be called before pages below [Prefix]
// are added: they get the same limit and the same protection from other
// origins.
func (a *API) Register(r gin.IRouter) {
	if a.Limiter != nil {
		r.Use(httpd.Under(Prefix, httpd.LimitShown(a.Limiter, a.overLimit, allowance)))
	}
	r.Use(httpd.Under(Prefix, a.protect))
	for _, route := range a.routes() {
		r.Handle(route.method, Prefix+"/api"+route.path, a.handle(route))
		if route.method == http.MethodGet {
			r.HEAD(Prefix+"/api"+route.path, a.handle(route))
		}
	}
	r.GET(Prefix+"/github", a.redirect(a.toGitHub))
	r.GET(CallbackPath, a.redirect(a.fromGitHub))
	r.GET(OIDCPath, a.redirect(a.toOIDC))
	r.GET(OIDCCallback, a.redirect(a.fromOIDC))
}

// A route is an endpoint below /account/api. A response with status 204 has no body.
type route struct {
	method, path string
	status       int
	do           action
}

// routes returns all routes.
func (a *API) routes() []route {
	return slices.Concat([]route{
		{"GET", "", 200, as(a.SignedIn, a.show)},
		{"DELETE", "", 204, asWithBody(a.SignedIn, a.deleteAccount)},
		{"GET", "/audit", 200, as(a.role(account.RoleAdmin), a.getAudit)},
		{"GET", "/export", 200, as(a.SignedIn, a.getExport)},
		{"POST", "/sign-up", 202, withBody(a.postSignUp)},
		{"POST", "/sign-in", 200, withBody(a.postSignIn)},
		{"POST", "/sign-in-by-mail", 202, withBody(a.postSignInByMail)},
		{"POST", "/sign-in-link", 200, withBody(a.postSignInLink)},
		{"POST", "/sign-out", 204, withBody(a.postSignOut)},
		{"POST", "/password", 204, withBody(a.postPassword)},
		{"POST", "/email", 202, withBody(a.postEmail)},
		{"POST", "/usage-alerts", 204, asWithBody(a.role(account.RoleAdmin), a.postUsageAlerts)},
		{"POST", "/confirm", 200, withBody(a.postConfirm)},
		{"POST", "/reset-request", 202, withBody(a.postResetRequest)},
		{"POST", "/reset", 204, withBody(a.postReset)},
		{"POST", "/github", 200, withBody(a.postGitHub)},
		{"DELETE", "/github", 200, withBody(a.deleteGitHub)},
	}, a.keyRoutes(), a.planRoutes(), a.factorRoutes(), a.passkeyRoutes(), a.sessionRoutes(),
		a.memberRoutes())
}

// An action handles a request and returns the body of the response. ctx has the
// session, which is saved before the response is written.
type action func(ctx context.Context, c *gin.Context) (any, error)

// as returns an action with the acting person or account.
func as[W any](
	who func(context.Context) (W, error), do func(context.Context, *gin.Context, W) (any, error),
) action {
	return func(ctx context.Context, c *gin.Context) (any, error) {
		w, err := who(ctx)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, w)
	}
}

// asWithBody is [as] for an action with a request body.
func asWithBody[W, B any](
	who func(context.Context) (W, error), do func(context.Context, W, B) (any, error),
) action {
	return as(who, func(ctx context.Context, c *gin.Context, w W) (any, error) {
		var b B
		if err := readBody(c, &b); err != nil {
			return nil, err
		}
		return do(ctx, w, b)
	})
}

// role returns [API.Act] for a role.
func (a *API) role(least account.Role) func(context.Context) (account.Acting, error) {
	return func(ctx context.Context) (account.Acting, error) { return a.Act(ctx, least) }
}

// handle adapts the action of a route: it opens and saves the session, and writes
// the response or the error.
func (a *API) handle(r route) gin.HandlerFunc {
	return httpd.Handle(func(_ context.Context, c *gin.Context) error {
		c.Header("Cache-Control", "no-store")
		ctx, err := a.Open(c)
		if err != nil {
			return err
		}
		v, err := r.do(ctx, c)
		if saveErr := a.Save(ctx, c); err == nil {
			err = saveErr
		}
		if err != nil {
			return err
		}
		if r.status == http.StatusNoContent {
			c.Status(r.status)
			c.Writer.WriteHeaderNow()
			return nil
		}
		body, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode a response: %w", err)
		}
		httpd.Write(c, httpd.Response{Status: r.status, Cache: "no-store", Body: append(body, '\n')})
		return nil
	}, a.problem)
}

func (a *API) problem(c *gin.Context, err error) { httpd.WriteProblem(c, a.docs, err) }

// refuse renders an error as a problem below /account/api, and as a page
// elsewhere.
func (a *API) refuse(c *gin.Context, err error) {
	if p := c.Request.URL.Path; p == Prefix+"/api" || strings.HasPrefix(p, Prefix+"/api/") {
		a.problem(c, err)
		return
	}
	a.Failed(c, err)
}

// protect refuses requests that pages of other origins make a browser send.
func (a *API) protect(c *gin.Context) {
	if a.origins.Foreign(c.Request) {
		a.refuse(c, &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
			Msg: "This request comes from another site. Use the pages of this registry, or a program."})
	}
}

// accountBody is the JSON of an account.
type accountBody struct {
	Email       string     `json:"email"`
	Confirmed   bool       `json:"confirmed"`
	HasPassword bool       `json:"hasPassword"`
	GitHub      *string    `json:"github"` // login of the linked user
	Plan        string     `json:"plan"`
	PlanUntil   *time.Time `json:"planUntil"`
	PlanNext    *string    `json:"planNext"`
	CreatedAt   time.Time  `json:"createdAt"`
	UsageAlerts bool       `json:"usageAlerts"`
}

// ownAccount returns the JSON of the account of a login.
func (a *API) ownAccount(l account.Login, err error) (any, error) { return a.shown(l.Account), err }

func (a *API) shown(acc account.Account) accountBody {
	now := a.Now()
	s := accountBody{
		Email: acc.Email, Confirmed: acc.ConfirmedAt != nil, HasPassword: acc.HasPassword,
		Plan: acc.At(now).ID, CreatedAt: acc.CreatedAt,
		UsageAlerts: acc.UsageAlerts,
	}
	if acc.GitHubID != 0 {
		s.GitHub = &acc.GitHubLogin
	}
	if acc.Until != nil && now.Before(*acc.Until) {
		next := acc.At(*acc.Until).ID
		s.PlanUntil, s.PlanNext = acc.Until, &next
	}
	return s
}

func (a *API) show(_ context.Context, _ *gin.Context, l account.Login) (any, error) {
	return a.shown(l.Account), nil
}

// A flag is a required boolean.
type flag struct{ value *bool }

// UnmarshalJSON parses a flag.
func (f *flag) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &f.value); err != nil || f.value == nil {
		return errors.New("must be true or false")
	}
	return nil
}

func (a *API) postUsageAlerts(ctx context.Context, acting account.Acting, b struct {
	Enabled flag `query:"enabled"`
}) (any, error) {
	if b.Enabled.value == nil {
		return nil, account.Missing("enabled")
	}
	return nil, a.Accounts.SetUsageAlerts(ctx, acting.ID, *b.Enabled.value)
}
