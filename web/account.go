package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// registerAccounts adds the pages of accounts to r. Those under their prefix
// have the limit and the protection that [accounts.API.Register] gives them.
func (s *Site) registerAccounts(r gin.IRouter) {
	if s.People == nil {
		return
	}
	for _, route := range []struct {
		path      string
		get, post action
	}{
		{"", s.accountHome, nil},
		{"/sign-up", s.signUpForm, s.signUp},
		{"/sign-in", s.signInForm, s.signIn},
		{"/sign-out", nil, s.signOut},
		{"/confirm", s.confirmForm, s.confirm},
		{"/reset-request", s.resetRequestForm, s.resetRequest},
		{"/reset", s.resetForm, s.reset},
		{"/keys", nil, s.makeKey},
		{"/keys/:id", s.keyPage, s.renameKey},
		{"/keys/:id/rotate", nil, s.rotateKey},
		{"/keys/:id/revoke", s.revokeKeyForm, s.revokeKey},
		{"/plan", s.planPage, s.choosePlan},
		{"/plan/portal", nil, s.openPortal},
		{"/settings", s.settings, nil},
		{"/email", s.emailForm, s.changeEmail},
		{"/password", s.passwordForm, s.changePassword},
		{"/link", s.linkForm, s.link},
		{"/unlink", s.unlinkForm, s.unlink},
		{"/sign-out-elsewhere", nil, s.signOutElsewhere},
		{"/activity", s.activity, nil},
		{"/delete", s.deleteForm, s.deleteAccount},
	} {
		if route.get != nil {
			httpd.Get(r, accounts.Prefix+route.path, httpd.Handle(s.guard(s.visit(route.get)), s.Error))
		}
		if route.get == nil { // a form leads here; who types the address, or comes back to it, means the page of the form
			httpd.Get(r, accounts.Prefix+route.path, func(c *gin.Context) {
				c.Header("Cache-Control", "no-store")
				c.Redirect(http.StatusSeeOther, path.Dir(c.Request.URL.Path))
			})
		}
		if route.post != nil {
			r.POST(accounts.Prefix+route.path, httpd.Handle(s.guard(s.visit(route.post)), s.Error))
		}
	}
}

// An action answers a request of an account page by what it leaves in the
// visit. ctx holds the session.
type action func(ctx context.Context, v *visit) error

// A visit is one request of an account page.
type visit struct {
	*Site
	c    *gin.Context
	form url.Values // of a POST; nothing else
	who  *account.Login

	// What is answered: a page, or another address.
	status int
	page   string
	data   any
	to     string
}

// visit makes a handler of an action: it opens the session, reads the form,
// saves the session, and only then writes the answer.
func (s *Site) visit(do action) httpd.Handler {
	return func(_ context.Context, c *gin.Context) error {
		h := c.Writer.Header()
		h.Set("Cache-Control", "no-store")
		ctx, err := s.People.Open(c)
		if err != nil {
			return err
		}
		v := &visit{Site: s, c: c}
		if c.Request.Method == http.MethodPost {
			if v.form, err = readForm(c); err != nil {
				return err
			}
		}
		if err = do(ctx, v); errors.Is(err, registry.ErrUnauthorized) && v.page == "" && v.to == "" {
			err = v.toSignIn(ctx)
		}
		if saveErr := s.People.Save(ctx, c); err == nil {
			err = saveErr
		}
		switch {
		case err != nil:
			return err
		case v.to != "":
			c.Redirect(http.StatusSeeOther, v.to)
			return nil
		}
		if err := s.show(c, v.status, v.page, "", v.data); err != nil {
			return err
		}
		return nil
	}
}

// toSignIn sends whoever is not signed in to do that, and back to the page
// that was asked for. What a form was to do is not done.
func (v *visit) toSignIn(ctx context.Context) error {
	if v.c.Request.Method == http.MethodPost {
		v.who = nil
		p := v.signPage(ctx, "Sign in")
		p.lead(v.before())
		p.Problem = "You are not signed in any more, and nothing was done. Sign in, and repeat it."
		return v.send(http.StatusUnauthorized, "account-sign-in", p)
	}
	v.to = toSignIn("")
	if v.c.Request.URL.Path != accounts.Prefix {
		v.to = toSignIn(v.c.Request.URL.RequestURI())
	}
	return nil
}

// before is the page of ours that a form was sent from, "" if the browser does
// not say.
func (v *visit) before() string {
	from, err := url.Parse(v.c.Request.Referer())
	if err != nil || from.Host != v.c.Request.Host || from.Path == accounts.Prefix {
		return ""
	}
	_, value := wanted(from.RequestURI())
	return value
}

// maxForm is the size of the largest form that is read.
const maxForm = 64 << 10

// readForm reads the body of a request as a browser sends a form. Texts are
// valid UTF-8 without NUL.
func readForm(c *gin.Context) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if c.Request.Body == nil || kind == "" && c.Request.ContentLength <= 0 {
		return url.Values{}, nil
	}
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, registry.Errorf(registry.ErrMediaType, "A form is sent as application/x-www-form-urlencoded.")
	}
	b, err := io.ReadAll(io.LimitReader(c.Request.Body, maxForm+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxForm {
		return nil, registry.Errorf(registry.ErrTooLarge, "The form is larger than %d bytes.", maxForm)
	}
	form, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid, "The form cannot be read. Load the page again and repeat what you did.")
	}
	for _, values := range form {
		for i, v := range values {
			values[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return form, nil
}

// A form is what every account page has.
type form struct {
	frame
	Token    string            // that its forms send back
	Who      *account.Account  // who is signed in; nil: nobody
	Part     string            // of the account
	Done     string            // what was just done
	Problem  string            // what is wrong with what was sent
	problems map[string]string // the same by field
	values   map[string]string // what was typed, to show it again: never a password
}

// newForm returns the frame of an account page. It takes the session's note.
func (v *visit) newForm(ctx context.Context, title, part string) form {
	f := form{frame: v.frame(title, "account"), Token: v.People.FormToken(ctx), Part: part, Done: v.People.TakeNote(ctx)}
	f.NoIndex = true
	if v.who != nil {
		f.Who = &v.who.Account
	}
	return f
}

// owner returns who is signed in. Nobody is an error that leads to the page
// where one signs in.
func (v *visit) owner(ctx context.Context) (account.Login, error) {
	l, err := v.People.SignedIn(ctx)
	if err == nil {
		v.who = &l
	}
	return l, err
}

// send makes a page the answer.
func (v *visit) send(status int, page string, data any) error {
	v.status, v.page, v.data = status, page, data
	return nil
}

// goOn makes an address the answer, with a sentence that its page shows.
func (v *visit) goOn(ctx context.Context, to, note string) error {
	if note != "" {
		v.People.Note(ctx, note)
	}
	v.to = to
	return nil
}

// posted refuses a form that does not come from a page of the session.
func (v *visit) posted(ctx context.Context) error { return v.People.CheckForm(ctx, v.form.Get("csrf")) }

// wrong puts an error on the page of the form that it is about, beside the
// fields at fault, with what was typed into keep. It returns the status to
// answer with, or the error again if it is none to show there.
func (v *visit) wrong(f *form, err error, keep ...string) (int, error) {
	e, ok := errors.AsType[*registry.Error](err)
	if !ok || e.Code == "not_signed_in" {
		return 0, err
	}
	x := httpd.Explain(err)
	f.problems, f.values = map[string]string{}, map[string]string{}
	for _, at := range e.Fields {
		if d, ok := fields[at.Field]; ok {
			f.problems[at.Field] = d.What + " " + at.Message + "."
		} else {
			f.Problem = x.Detail
		}
	}
	if len(e.Fields) == 0 {
		f.Problem = x.Detail
	}
	for _, name := range keep {
		f.values[name] = clipped(v.form.Get(name), 500)
	}
	if x.RetryAfter > 0 {
		v.c.Writer.Header().Set("Retry-After", strconv.Itoa(int((x.RetryAfter+time.Second-1)/time.Second)))
	}
	return x.Status, nil
}

func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// A field is a field of a form with what was typed into it and what is wrong.
type field struct {
	Name, Label, What, Type, Auto, Hint string
	Max                                 int

	Value, Problem string
	Focus          bool
}

// fields are those of the account pages. What stands at the beginning of the
// sentence that says what is wrong.
var fields = map[string]field{
	"email":       {Label: "E-mail address", What: "The address", Type: "email", Auto: "username", Max: 254},
	"password":    {Label: "Password", What: "The password", Type: "password", Auto: "current-password", Max: 1024},
	"newPassword": {Label: "New password", What: "The new password", Type: "password", Auto: "new-password", Max: 1024, Hint: "At least 10 characters. Four words that have nothing to do with each other make a good one."},
	"name":        {Label: "Name", What: "The name", Type: "text", Auto: "off", Max: 60},
	"plan":        {Label: "Plan", What: "The plan"},
}

// Field returns the field of that name for the template field. More is what is
// different about it here: a label, a hint, what autocomplete is.
func (f form) Field(name string, more ...string) field {
	d := fields[name]
	d.Name, d.Value, d.Problem = name, f.values[name], f.problems[name]
	for i := 0; i+1 < len(more); i += 2 {
		switch more[i] {
		case "label":
			d.Label = more[i+1]
		case "hint":
			d.Hint = more[i+1]
		case "auto":
			d.Auto = more[i+1]
		case "value":
			if f.values == nil {
				d.Value = more[i+1]
			}
		case "focus":
			d.Focus = len(f.problems) == 0
		default:
			panic(fmt.Sprintf("field %s: %s", name, more[i]))
		}
	}
	if d.Problem != "" {
		d.Focus = true
	}
	if d.Type == "password" {
		d.Value = ""
	}
	return d
}

// GitHub reports whether one can sign in with GitHub.
func (f form) GitHub() bool { return f.Site.People.Accounts.GitHub != nil }

// next returns where to go after a sign-in, and what to write into the form or
// the link for it: "" for the account's own page.
func (v *visit) next() (to, value string) {
	if given := v.form.Get("next"); given != "" {
		return wanted(given)
	}
	return wanted(v.c.Query("next"))
}

// wanted is [visit.next] of an address. Those of other sites, and pages that
// lead to the sign-in again, are none.
func wanted(address string) (to, value string) {
	to, err := accounts.OwnPath([]string{address})
	if address == "" || err != nil || strings.HasPrefix(to, accounts.Prefix+"/api") || strings.HasPrefix(to, accounts.Prefix+"/github") || strings.HasPrefix(to, accounts.Prefix+"/sign-") {
		return accounts.Prefix, ""
	}
	return to, to
}
