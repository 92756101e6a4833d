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
	for _, route := range []struct {
		path      string
		get, post action
	}{
		{"", showing("account-home", (*request).home), nil},
		{"/sign-in", (*request).signInForm, (*request).requestSignIn},
		{"/sign-in/link", showing("account-sign-in-link", (*request).signInLink), (*request).signIn},
		{"/sign-in/code", nil, (*request).signIn},
		{"/sessions", showing("account-sessions", (*request).sessions), (*request).endSession},
		{"/sign-out", nil, (*request).signOut},
		{"/confirm", showing("account-confirm", (*request).confirmForm), (*request).confirm},
		{"/keys", nil, (*request).createKey},
		{"/keys/:id", showing("account-key", key("Key")), (*request).saveKey},
		{"/keys/:id/rotate", nil, (*request).rotateKey},
		{"/keys/:id/revoke", showing("account-revoke", key("Revoke a key")), (*request).revokeKey},
		{"/webhooks", showing("account-webhooks", (*request).webhooks), (*request).createWebhook},
		{"/webhooks/:id", showing("account-webhook", endpointLoader("Webhook endpoint")),
			(*request).saveWebhook},
		{"/webhooks/:id/rotate", nil, (*request).rotateWebhook},
		{"/webhooks/:id/test", nil, (*request).testWebhook},
		{"/webhooks/:id/resend", nil, (*request).resendWebhook},
		{"/webhooks/:id/delete",
			showing("account-webhook-delete", endpointLoader("Delete a webhook endpoint")),
			(*request).deleteWebhook},
		{"/views", showing("account-views", (*request).views), (*request).createView},
		{"/members", showing("account-members", (*request).members), (*request).inviteMember},
		{"/members/:id", nil, (*request).changeMember},
		{"/invitations/:id", nil, (*request).revokeInvitation},
		{"/invitation", showing("account-invitation", (*request).invitation),
			(*request).acceptInvitation},
		{"/switch", nil, (*request).switchAccount},
		{"/plan", showing("account-plan", (*request).planPage), (*request).choosePlan},
		{"/plan/portal", nil, (*request).openPortal},
		{"/settings", showing("account-settings", settings("Settings")), nil},
		{"/email", showing("account-email", settings("Change your address")), (*request).changeEmail},
		{"/link", showing("account-link", settings("Link GitHub")), (*request).link},
		{"/unlink", showing("account-unlink", settings("Unlink GitHub")), (*request).unlink},
		{"/usage-alerts", nil, (*request).setUsageAlerts},
		{"/sign-out-elsewhere", nil, (*request).signOutElsewhere},
		{"/activity", showing("account-activity", (*request).activity), nil},
		{"/delete", showing("account-delete", (*request).deletion), (*request).deleteAccount},
	} {
		at := Prefix + route.path
		if route.get != nil {
			p.Get(r, at, p.handler(route.get))
		} else {
			p.Get(r, at, toForm)
		}
		if route.post != nil {
			p.Post(r, at, p.handler(route.post))
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
	in   *account.Acting // nil: in their own account

	// The response: a page, or a redirect.
	status   int
	page     string
	data     any
	redirect string
}

// handler returns the handler of an action. It opens the session, reads the
// form, saves the session, and then writes the response.
func (p *Pages) handler(do action) httpd.Handler {
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
		if err = do(v, ctx); errors.Is(err, registry.ErrUnauthorized) && v.page == "" &&
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

// signedIn returns the signed-in account. Without one, it returns an error that makes handler
// show the sign-in.
func (v *request) signedIn(ctx context.Context) (account.Login, error) {
	l, err := v.People.SignedIn(ctx)
	if err == nil {
		v.who = &l
	}
	return l, err
}

// acting returns who is signed in, in the account that they act in, like
// [People.Act].
func (v *request) acting(ctx context.Context, least account.Role) (account.Acting, error) {
	acting, err := v.People.Act(ctx, least)
	if err == nil {
		v.who = &acting.Person
		if acting.ID != acting.Person.ID {
			v.in = &acting
		}
	}
	return acting, err
}

// show responds with a page.
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
