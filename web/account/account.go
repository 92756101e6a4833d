// Package account serves the pages of accounts, and manages their sessions.
package account

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/site"
)

// Pages are the pages of accounts. It is safe for concurrent use.
type Pages struct {
	*site.Site
	People  *People
	Contact string // address or URL of the operator, "" if unknown
}

// Register adds the pages to r. The limits of [People.Register] hold for
// everything under its prefix.
func (p *Pages) Register(r gin.IRoutes) {
	member, admin, owner := as(account.RoleMember), as(account.RoleAdmin), as(account.RoleOwner)
	person := (*request).person
	for _, route := range []struct {
		path      string
		need      action // nil: anybody
		get, post action
	}{
		{"", member, showing("account-home", (*request).home), nil},
		{"/sign-in", nil, (*request).signInForm, (*request).requestSignIn},
		{"/sign-in/link", nil, showing("account-sign-in-link", (*request).signInLink),
			(*request).signIn},
		{"/sign-in/code", nil, nil, (*request).signIn},
		{"/sessions", person, showing("account-sessions", (*request).sessions), (*request).endSession},
		{"/sign-out", nil, nil, (*request).signOut},
		{"/confirm", nil, showing("account-confirm", (*request).confirmForm), (*request).confirm},
		{"/keys", member, nil, (*request).createKey},
		{"/keys/:id", member, showing("account-key", key("Key")), (*request).saveKey},
		{"/keys/:id/rotate", member, nil, (*request).rotateKey},
		{"/keys/:id/revoke", member, showing("account-revoke", key("Revoke a key")),
			(*request).revokeKey},
		{"/webhooks", admin, showing("account-webhooks", (*request).webhooks),
			(*request).createWebhook},
		{"/webhooks/:id", admin, showing("account-webhook", endpointLoader("Webhook endpoint")),
			(*request).saveWebhook},
		{"/webhooks/:id/rotate", admin, nil, (*request).rotateWebhook},
		{"/webhooks/:id/test", admin, nil, (*request).testWebhook},
		{"/webhooks/:id/resend", admin, nil, (*request).resendWebhook},
		{"/webhooks/:id/delete", admin,
			showing("account-webhook-delete", endpointLoader("Delete a webhook endpoint")),
			(*request).deleteWebhook},
		{"/views", admin, showing("account-views", (*request).views), (*request).createView},
		{"/members", member, showing("account-members", (*request).members), (*request).inviteMember},
		{"/members/:id", member, nil, (*request).changeMember},
		{"/invitations/:id", member, nil, (*request).revokeInvitation},
		{"/invitation", nil, showing("account-invitation", (*request).invitation),
			(*request).acceptInvitation},
		{"/switch", member, nil, (*request).switchAccount},
		{"/plan", owner, showing("account-plan", (*request).planPage), (*request).choosePlan},
		{"/plan/portal", owner, nil, (*request).openPortal},
		{"/settings", person, showing("account-settings", settings("Settings")), nil},
		{"/email", person, showing("account-email", settings("Change your address")),
			(*request).changeEmail},
		{"/link", person, showing("account-link", settings("Link GitHub")), (*request).link},
		{"/unlink", person, showing("account-unlink", settings("Unlink GitHub")), (*request).unlink},
		{"/usage-alerts", person, nil, (*request).setUsageAlerts},
		{"/sign-out-elsewhere", nil, nil, (*request).signOutElsewhere},
		{"/activity", admin, showing("account-activity", (*request).activity), nil},
		{"/delete", person, showing("account-delete", (*request).deletion), (*request).deleteAccount},
	} {
		at := Prefix + route.path
		if route.get != nil {
			p.Get(r, at, p.handler(route.need, route.get))
		} else {
			p.Get(r, at, toForm)
		}
		if route.post != nil {
			p.Post(r, at, p.handler(route.need, route.post))
		}
	}
	p.Get(r, Prefix+"/export", p.export)
}

// toForm redirects from the address of a form to its page.
func toForm(_ context.Context, c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	c.Redirect(http.StatusSeeOther, path.Dir(c.Request.URL.Path))
	return nil
}

// An action handles a request by setting the response of the request. ctx holds
// the session.
type action func(v *request, ctx context.Context) error

// A request is one request for an account page.
type request struct {
	*Pages
	c    *gin.Context
	form url.Values // of a POST request
	who  *account.Login
	acc  account.Acting // if the route needs a role

	// The response: a page, or a redirect.
	status   int
	page     string
	data     any
	redirect string
}

// handler returns the handler of an action for which need returns no error. It opens the session,
// reads the form, saves the session, and then writes the response.
func (p *Pages) handler(need, do action) httpd.Handler {
	return func(_ context.Context, c *gin.Context) error {
		c.Writer.Header().Set("Cache-Control", "no-store")
		ctx, err := p.People.Open(c)
		if err != nil {
			return err
		}
		v := &request{Pages: p, c: c}
		if c.Request.Method == http.MethodPost {
			if v.form, err = readForm(c); err != nil {
				return err
			}
		}
		if need != nil {
			err = need(v, ctx)
		}
		if err == nil {
			err = do(v, ctx)
		}
		if errors.Is(err, registry.ErrUnauthorized) && v.page == "" &&
			v.redirect == "" {
			err = v.askToSignIn(ctx)
		}
		if saveErr := p.People.Save(ctx, c); err == nil {
			err = saveErr
		}
		switch {
		case err != nil:
			return err
		case v.redirect != "":
			c.Redirect(http.StatusSeeOther, v.redirect)
			return nil
		}
		return p.Show(c, v.status, v.page, "", v.data)
	}
}

// readForm reads a form, whose texts must be valid: what is stored is what was typed.
func readForm(c *gin.Context) (url.Values, error) {
	form, err := site.ReadForm(c)
	for name, values := range form {
		for _, v := range values {
			if v != text.Valid(v) {
				return nil, registry.Invalid(name, "must be UTF-8 without NUL")
			}
		}
	}
	return form, err
}

// askToSignIn responds with the sign-in, which returns to the page. Form actions are not
// executed.
func (v *request) askToSignIn(ctx context.Context) error {
	if v.c.Request.Method == http.MethodPost {
		v.who = nil
		p := v.signPage(ctx, "Sign in")
		p.leadTo(v.previousPage())
		p.Problem = "Your session has ended and nothing was changed. Sign in and try again."
		return v.show(http.StatusUnauthorized, "account-sign-in", p)
	}
	v.redirect = signInAddress("")
	if v.c.Request.URL.Path != Prefix {
		v.redirect = signInAddress(v.c.Request.URL.RequestURI())
	}
	return nil
}

// previousPage returns the page that a form was sent from, "" if the browser
// does not name a page of this site.
func (v *request) previousPage() string {
	from, err := url.Parse(v.c.Request.Referer())
	if err != nil || from.Host != v.c.Request.Host || from.Path == Prefix {
		return ""
	}
	_, value := destination(from.RequestURI())
	return value
}

// person is the need of actions that any signed-in account may take. Without one, it returns an
// error that makes handler show the sign-in.
func (v *request) person(ctx context.Context) error {
	l, err := v.People.SignedIn(ctx)
	if err == nil {
		v.who = &l
	}
	return err
}

// as returns the need of actions in the account in which people act, like [People.Act].
func as(least account.Role) action {
	return func(v *request, ctx context.Context) (err error) {
		if v.acc, err = v.People.Act(ctx, least); err == nil {
			v.who = &v.acc.Person
		}
		return err
	}
}

func (v *request) show(status int, page string, data any) error {
	v.status, v.page, v.data = status, page, data
	return nil
}

// done responds with a redirect to a page that shows note, unless err is not nil, which it
// returns.
func (v *request) done(ctx context.Context, err error, to, note string) error {
	if err != nil {
		return err
	}
	if note != "" {
		v.People.Note(ctx, note)
	}
	v.redirect = to
	return nil
}

// next returns where to go after signing in, and the value that carries it in
// forms and links: "" for the account's overview.
func (v *request) next() (to, value string) {
	if given := v.form.Get("next"); given != "" {
		return destination(given)
	}
	return destination(v.c.Query("next"))
}

// destination is [request.next] for an address. Addresses of other sites, and
// those that lead to the sign-in again, lead to the overview.
func destination(address string) (to, value string) {
	to, err := OwnPath([]string{address})
	if address == "" || err != nil {
		return Prefix, ""
	}
	for _, loop := range []string{"/github", "/sign-"} {
		if strings.HasPrefix(to, Prefix+loop) {
			return Prefix, ""
		}
	}
	return to, to
}
