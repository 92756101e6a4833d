package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// maxTyped is the maximum number of characters of a field that are shown again.
const maxTyped = 500

// A form holds the data of every account page.
type form struct {
	site.Frame
	Token     string           // CSRF token of its forms
	Who       *account.Account // the signed-in account, or nil
	In        *account.Acting  // the account that they act in, if it is not their own
	Part      string           // the section of the account pages
	Done      string           // what was just done
	Problem   string           // with the submitted form
	Contact   string           // of the operator, "" if unknown
	GitHub    bool             // sign-in with GitHub is available
	Again     bool             // the owner has to sign in again first, at AgainLink
	AgainLink string
	problems  map[string]string // by field
	values    map[string]string // what was typed
}

func (f *form) base() *form { return f }

// showing returns the action that shows the page that load returns, with the status that load
// sets or 200.
func showing[P any](name string, load func(*request, context.Context) (P, error)) action {
	return func(v *request, ctx context.Context) error {
		p, err := load(v, ctx)
		if err != nil {
			return err
		}
		return v.show(cmp.Or(v.status, http.StatusOK), name, p)
	}
}

// submit handles a form: it calls do unless the form is refused. It shows errors on the page
// that load returns, beside the fields, with the input of the fields keep.
func submit[P any, F interface {
	*P
	base() *form
}](
	v *request, ctx context.Context, name string, load func(*request, context.Context) (P, error),
	do func() error, keep ...string,
) error {
	err := v.checkToken(ctx)
	if err == nil {
		err = do()
	}
	if err == nil {
		return nil
	}
	p, loadErr := load(v, ctx)
	if loadErr != nil {
		return loadErr
	}
	status, err := v.setProblem(F(&p).base(), err, keep...)
	if err != nil {
		return err
	}
	return v.show(status, name, &p)
}

// checkNewest returns an error with a message unless the form was shown when newest was the
// ID of the newest thing of its kind: it may have been sent twice.
func (v *request) checkNewest(newest int64, message string) error {
	switch after := v.form.Get("after"); after {
	case strconv.FormatInt(newest, 10):
		return nil
	case "":
		message = incomplete
	}
	return &registry.Error{Kind: registry.ErrConflict, Code: "form_sent", Msg: message}
}

// incomplete is the message about a form without its hidden fields.
const incomplete = "The form was incomplete. Load the page again and submit the form there."

// newForm returns the frame of an account page. It removes the session's note.
func (v *request) newForm(ctx context.Context, title, part string) form {
	f := form{Frame: v.NewFrame(title, "account"), Part: part,
		Done: v.People.TakeNote(ctx), Contact: v.Contact, GitHub: v.People.Accounts.GitHub != nil}
	f.NoIndex = true
	if v.form != nil || !v.asksToSignIn(ctx) {
		f.Token = v.People.FormToken(ctx)
	}
	if v.acc.ID != v.acc.Person.ID {
		f.In = &v.acc
	}
	if v.who != nil {
		f.Who = &v.who.Account
	}
	return f
}

// asksToSignIn reports whether a request is for the form that asks for a mail, by a browser without
// a session. This form needs no token, so that showing it stores nothing: the request must have this
// origin, and does nothing that its sender could not do without the browser.
func (v *request) asksToSignIn(ctx context.Context) bool {
	return v.c.FullPath() == Prefix+"/sign-in" && v.People.browser(ctx) == ""
}

// checkToken returns an error unless the form comes from a page of the session.
func (v *request) checkToken(ctx context.Context) error {
	if v.asksToSignIn(ctx) {
		return v.People.renew(ctx) // links are bound to a session
	}
	return v.People.CheckForm(ctx, v.form.Get("csrf"))
}

// setProblem adds an error to a form and returns the status of the response. It returns
// errors that are not about the form.
func (v *request) setProblem(f *form, err error, keep ...string) (int, error) {
	e, ok := errors.AsType[*registry.Error](err)
	if !ok || e.Code == "not_signed_in" {
		return 0, err
	}
	if e.Code == "sign_in_again" {
		f.Again, f.AgainLink = true,
			signInAddress(v.c.Request.URL.Path)+"&again=1"
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
		f.values[name] = format.Clip(v.form.Get(name), maxTyped)
	}
	if x.RetryAfter > 0 {
		v.c.Writer.Header().Set("Retry-After",
			strconv.Itoa(int((x.RetryAfter+time.Second-1)/time.Second)))
	}
	return x.Status, nil
}

// A field is a field of a form with its input and problem.
type field struct {
	Name, Label, Type, Auto, Hint string
	What                          string // beginning of error messages
	Max                           int

	Value, Problem string
	Focus          bool
}

// A nameChoice is a box of a form.
type nameChoice struct {
	Name   string
	Chosen bool
}

func choicesOf(names, chosen []string) (all []nameChoice) {
	for _, name := range names {
		all = append(all, nameChoice{name, slices.Contains(chosen, name)})
	}
	return all
}

// fields are the fields of the account pages, by name.
var fields = map[string]field{
	"email": {Label: "Email address", What: "The address", Type: "email", Auto: "username",
		Max: 254},
	"code": {Label: "Code", What: "The code", Type: "text", Auto: "one-time-code", Max: 10,
		Hint: "Six digits, from the email."},
	"name": {Label: "Name", What: "The name", Type: "text", Auto: "off", Max: 60},
	"addresses": {Label: "Addresses", What: "The addresses", Type: "text", Auto: "off", Max: 2000,
		Hint: "Only clients with these may use the key: addresses or networks such as " +
			"192.0.2.0/24, separated by spaces. Empty: all."},
	"expiresAt": {Label: "Expires", What: "The day", Type: "date", Auto: "off"},
	"scopes":    {Label: "Scopes", What: "The scopes"},
	"url":       {Label: "URL", What: "The URL", Type: "url", Auto: "off", Max: 2000},
	"description": {Label: "Description", What: "The description", Type: "text", Auto: "off",
		Max: 200},
	"servers": {Label: "Servers", What: "The servers",
		Hint: "Only events of these: up to 100 IDs, as in the addresses of their pages."},
	"plan": {Label: "Plan", What: "The plan"},
}

// Field returns a field for the template "field". changes are pairs of a
// property and its value on this page: "label", "hint", "auto", "value", or
// "focus" with any value.
func (f form) Field(name string, changes ...string) field {
	d := fields[name]
	d.Name, d.Value, d.Problem = name, f.values[name], f.problems[name]
	for i := 0; i+1 < len(changes); i += 2 {
		value := changes[i+1]
		switch changes[i] {
		case "label":
			d.Label = value
		case "hint":
			d.Hint = value
		case "auto":
			d.Auto = value
		case "value":
			if f.values == nil {
				d.Value = value
			}
		case "focus":
			d.Focus = len(f.problems) == 0
		default:
			panic(fmt.Sprintf("field %s: %s", name, changes[i]))
		}
	}
	if d.Problem != "" {
		d.Focus = true
	}
	return d
}
