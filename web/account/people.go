package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// PeopleOptions configure People.
type PeopleOptions struct {
	Accounts *account.Accounts
	Store    *people.Store
	Keys     *keyring.Ring
	Plans    Plans
	Webhooks *webhook.Service
	Limiter  httpd.Limiter // of requests below Prefix; nil: unlimited

	BaseURL string // "https://census.example"
	Demo    bool   // commands need --demo
	// Failed renders errors. Nil: as problems.
	Failed func(c *gin.Context, err error)
	Now    func() time.Time // nil: time.Now
}

// HourlyLimit is the limit of a client's requests below Prefix per UTC hour.
const HourlyLimit = 300

// People are the accounts of a registry with their sessions.
type People struct {
	PeopleOptions
	docs     string // URL of the page that documents error codes
	sessions *scs.SessionManager
	origins  *httpd.Origins
	plain    bool // BaseURL is plain HTTP to this machine
}

// Prefix is the path of the pages of accounts.
const Prefix = "/account"

// NewPeople returns People. It fails if BaseURL is not a URL.
func NewPeople(o PeopleOptions) (*People, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	origins, err := httpd.NewOrigins(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	a := &People{PeopleOptions: o, docs: o.BaseURL + "/docs/errors", origins: origins,
		plain: base.Scheme == "http" && httpd.LoopbackHost(base.Host)}
	if a.Failed == nil {
		a.Failed = a.problem
	}
	a.sessions = newSessions(o.Store, o.Now)
	return a, nil
}

// allowance counts the requests of a client separately from those to /api.
func allowance(c *gin.Context) httpd.Allowance {
	client := httpd.ClientOf(c).Subject().ID
	return httpd.Allowance{Subject: quota.Subject{Of: quota.VisitorHour, ID: client}, Limit: HourlyLimit}
}

// isPlainForm reports whether the request is for the form of the sign-in by a visitor without a session,
// which reads and writes nothing.
func (a *People) isPlainForm(c *gin.Context) bool {
	return c.FullPath() == Prefix+"/sign-in" && c.Request.Method != http.MethodPost &&
		c.Request.URL.RawQuery == "" && a.cookie(c, sessionCookie) == ""
}

// overLimit refuses a request from an address over its limit. If the sender is signed in, the
// request counts for the account instead, so that others at the same address cannot lock the
// owner out.
func (a *People) overLimit(c *gin.Context, err error) {
	if errors.Is(err, registry.ErrLimited) {
		id, ownerErr := a.owner(c)
		if ownerErr != nil {
			a.Failed(c, ownerErr)
			return
		}
		if id != 0 {
			due := httpd.Allowance{Subject: quota.Subject{Of: quota.OwnerHour, ID: uint64(id)}, Limit: HourlyLimit}
			if err := httpd.ApplyLimit(c, a.Limiter, due); err != nil {
				a.Failed(c, err)
			}
			return
		}
	}
	a.Failed(c, err)
}

// owner returns the account of a request's session, 0 for none.
func (a *People) owner(c *gin.Context) (int64, error) {
	ctx, err := a.Open(c)
	if err != nil {
		return 0, err
	}
	l, err := a.SignedIn(ctx)
	if errors.Is(err, registry.ErrUnauthorized) {
		err = nil
	}
	return l.ID, err
}

// Register adds the routes to r. It must be called before pages below [Prefix]
// are added: they get the same limit and the same protection from other
// origins.
func (a *People) Register(r gin.IRouter) {
	if a.Limiter != nil {
		limit := httpd.LimitShown(a.Limiter, a.overLimit, allowance)
		r.Use(httpd.Under(Prefix, func(c *gin.Context) {
			if !a.isPlainForm(c) {
				limit(c)
			}
		}))
	}
	r.Use(httpd.Under(Prefix, a.protect))
	r.GET(Prefix+"/github", a.redirect(a.toGitHub))
	r.GET(CallbackPath, a.redirect(a.fromGitHub))
	r.GET(OIDCPath, a.redirect(a.toOIDC))
	r.GET(OIDCCallback, a.redirect(a.fromOIDC))
}

func (a *People) problem(c *gin.Context, err error) { httpd.WriteProblem(c, a.docs, err) }

// protect refuses requests that pages of other origins make a browser send.
func (a *People) protect(c *gin.Context) {
	if a.origins.Foreign(c.Request) {
		a.Failed(c, &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
			Msg: "This request comes from another site. Use the pages of this registry, or a program."})
	}
}

// Act returns the signed-in person in the account that they act in. The error is of kind
// [registry.ErrForbidden] if their role there lacks the powers of least, or if they no
// longer belong to it; from the next request on, they then act in their own account.
func (a *People) Act(ctx context.Context, least account.Role) (account.Acting, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return account.Acting{}, err
	}
	acting := account.Own(l)
	if in := a.sessions.GetString(ctx, keyActing); in != "" {
		id, _ := strconv.ParseInt(in, 10, 64)
		acting, err = a.Store.Acting(ctx, id, l.ID)
		if errors.Is(err, registry.ErrNotFound) {
			a.sessions.Remove(ctx, keyActing)
			return acting, &registry.Error{Kind: registry.ErrForbidden, Code: "not_a_member",
				Msg: "You no longer belong to this account. You are back in your own account."}
		}
		if err != nil {
			return acting, err
		}
	}
	return acting, acting.Need(least)
}

// Switch makes the signed-in person act in another account that they belong to.
func (a *People) Switch(ctx context.Context, id int64) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if id == l.ID {
		a.sessions.Remove(ctx, keyActing)
		return nil
	}
	if _, err := a.Store.Acting(ctx, id, l.ID); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyActing, strconv.FormatInt(id, 10))
	return nil
}
