package api

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/yuin/goldmark"

	"mcpcensus/internal/httpd"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.css
var docsCSS []byte

//go:embed docs.js
var docsJS []byte

// A Frame makes a whole page, at path, of what is special to it: elements for
// its head and the content of its main element. It returns the page and the
// headers that it is sent with, besides those about its type and age.
type Frame func(title, description, path string, head, main template.HTML) (page []byte, header map[string]string, err error)

// plainFrame makes pages that have no look of their own.
func plainFrame(title, _, _ string, head, main template.HTML) ([]byte, map[string]string, error) {
	page := fmt.Appendf(nil, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n%s\n</head>\n<body>\n<main id=\"main\">%s</main>\n</body>\n</html>\n",
		template.HTMLEscapeString(title), head, main)
	return page, map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	}, nil
}

// A readyPage is a page that never changes while the program runs.
type readyPage struct {
	ready
	header map[string]string
}

// page makes the page of the templates name and name-head.
func (o Options) page(name, title, description, path string, data any) (p readyPage, err error) {
	t, err := template.New("docs").Parse(docsHTML)
	if err != nil {
		return p, err
	}
	var parts [2]template.HTML
	for n, part := range []string{name + "-head", name} {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, part, data); err != nil {
			return p, err
		}
		parts[n] = template.HTML(b.String())
	}
	frame := o.Frame
	if frame == nil {
		frame = plainFrame
	}
	body, header, err := frame(title, description, path, parts[0], parts[1])
	return readyPage{newReady(body), header}, err
}

// docsPage is the document as a page.
func (o Options) docsPage(d *document) (readyPage, error) {
	v, err := d.view()
	if err != nil {
		return readyPage{}, err
	}
	v.Program = o.Version
	return o.page("docs", "API", "Every address of the API, with its parameters, answers and errors, and forms to try it.", "/docs", v)
}

// errorsPage explains the codes of errors.
func (o Options) errorsPage(title string) (readyPage, error) {
	return o.page("errors", "Codes of errors", "What each code of an error of the "+title+" API means.", "/docs/errors", errorsView{errorTexts})
}

// document is what the page shows of the OpenAPI document.
type document struct {
	text []byte // of the document, as YAML
	Info struct{ Title, Version, Summary, Description string }
	Tags []struct {
		Name, Description string
		Shown             string `json:"x-displayName"`
	}
	Paths map[string]struct{ Get, Post, Put, Patch, Delete *operation }

	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
		Examples   map[string]example
		Schemas    map[string]any
	}
}

type operation struct {
	Tags                 []string
	Summary, Description string
	Parameters           []parameter
	RequestBody          *response
	Responses            map[string]response
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Example     any
	Content     map[string]any
	Schema      struct {
		Ref              string `json:"$ref"`
		Type             any
		Enum             []any
		Default          any
		Minimum, Maximum *float64
	}
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]struct {
		Example  any
		Examples map[string]example
	}
}

type example struct {
	Ref     string `json:"$ref"`
	Summary string
	Value   any
}

// The page, in the order in which it is read.
type (
	docsView struct {
		Title, Version, Program, Summary string
		Text                             template.HTML
		Groups                           []groupView
		Schemas                          []schemaView
	}
	groupView struct {
		Anchor, Name string
		Text         template.HTML
		Operations   []operationView
	}
	operationView struct {
		Method, Path, Anchor, Summary string
		Text                          template.HTML
		Parameters                    []parameterView
		Body                          []exampleView
		Answers                       []responseView // those that are no errors
		Errors                        []responseView
		// Try says that the page has a form for it, Keyed that the form asks for
		// a key, NeedsScript that it does nothing without script.
		Try, Keyed, NeedsScript bool
	}
	parameterView struct {
		Name, In, Type string
		Text           template.HTML
		Value          string // what a form begins with
		Required       bool
	}
	responseView struct {
		Status   string
		Text     template.HTML
		Examples []exampleView
	}
	exampleView struct{ Summary, Body string }
	schemaView  struct{ Name, Body string }
)

// place is where in the document a path stands: they are written in the order
// in which they are read.
func (d *document) place(path string) int { return bytes.Index(d.text, []byte("\n  "+path+":")) }

func (d *document) view() (docsView, error) {
	v := docsView{Title: d.Info.Title, Version: d.Info.Version, Summary: d.Info.Summary, Text: prose(d.Info.Description)}
	groups := map[string]int{}
	for n, t := range d.Tags {
		v.Groups = append(v.Groups, groupView{Anchor: "group-" + t.Name, Name: t.Shown, Text: prose(t.Description)})
		groups[t.Name] = n
	}
	paths := slices.SortedFunc(maps.Keys(d.Paths), func(a, b string) int { return d.place(a) - d.place(b) })
	for _, path := range paths {
		at := d.Paths[path]
		for _, m := range []struct {
			name string
			o    *operation
		}{{"GET", at.Get}, {"POST", at.Post}, {"PUT", at.Put}, {"PATCH", at.Patch}, {"DELETE", at.Delete}} {
			if m.o == nil {
				continue
			}
			n, ok := 0, len(m.o.Tags) == 1
			if ok {
				n, ok = groups[m.o.Tags[0]]
			}
			if !ok {
				return v, fmt.Errorf("openapi.yaml: %s %s needs one of the tags", m.name, path)
			}
			v.Groups[n].Operations = append(v.Groups[n].Operations, d.operation(m.name, path, m.o))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		v.Schemas = append(v.Schemas, schemaView{name, pretty(d.Components.Schemas[name])})
	}
	return v, nil
}

// operation is what the page shows of one operation.
func (d *document) operation(method, path string, o *operation) operationView {
	v := operationView{Method: method, Path: path, Anchor: anchor(path), Summary: o.Summary, Text: prose(o.Description)}
	v.Keyed = strings.HasPrefix(path, "/v1/")
	v.Try = method == "GET" && (v.Keyed || strings.HasPrefix(path, "/api/"))
	v.NeedsScript = v.Keyed || strings.Contains(path, "{")
	if method != "GET" {
		v.Anchor += "-" + strings.ToLower(method)
	}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[last(p.Ref)]
		}
		value := ""
		if text, ok := p.Example.(string); ok && p.Required {
			value = text
		}
		v.Parameters = append(v.Parameters, parameterView{p.Name, p.In, typeOf(p), prose(p.Description), value, p.Required})
	}
	if o.RequestBody != nil {
		v.Body = d.examples(*o.RequestBody)
	}
	for _, code := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[code]
		if r.Ref != "" {
			r = d.Components.Responses[last(r.Ref)]
		}
		rv := responseView{Status: code, Text: prose(r.Description), Examples: d.examples(r)}
		if code < "400" {
			v.Answers = append(v.Answers, rv)
		} else {
			v.Errors = append(v.Errors, rv)
		}
	}
	return v
}

// examples are those of a body.
func (d *document) examples(r response) (all []exampleView) {
	for _, content := range r.Content {
		if content.Example != nil {
			all = append(all, exampleView{"Example", pretty(content.Example)})
		}
		for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
			e := content.Examples[name]
			if e.Ref != "" {
				e = d.Components.Examples[last(e.Ref)]
			}
			all = append(all, exampleView{e.Summary, pretty(e.Value)})
		}
	}
	return all
}

func typeOf(p parameter) string {
	s := p.Schema
	if len(p.Content) > 0 {
		return "JSON"
	}
	if s.Ref != "" {
		return last(s.Ref)
	}
	t := fmt.Sprint(s.Type)
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
		}
		t = strings.Join(words, " | ")
	}
	if s.Minimum != nil && s.Maximum != nil {
		t += ", " + plain(*s.Minimum) + " to " + plain(*s.Maximum)
	} else if s.Minimum != nil {
		t += ", from " + plain(*s.Minimum)
	}
	if s.Default != nil {
		t += fmt.Sprintf(", default %v", s.Default)
	}
	return t
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func anchor(path string) string {
	return strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(path), "-")
}

// prose renders a text of the document, which is Markdown. HTML in it is left
// out.
func prose(s string) template.HTML {
	var b bytes.Buffer
	if err := goldmark.Convert([]byte(s), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(s))
	}
	return template.HTML(strings.TrimSpace(b.String()))
}

func pretty(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// An errorsView is the page of the codes of errors.
type errorsView struct{ Codes []errorText }

type errorText struct{ Code, Status, Text string }

// errorTexts explains the codes of errors, in the order of their statuses.
var errorTexts = []errorText{
	{"invalid_parameter", "400", "A parameter has a value that it cannot have. The member errors names each one and says what is allowed."},
	{"missing_parameter", "400", "A parameter that the endpoint needs is not there."},
	{"invalid_cursor", "400", "The cursor was changed on its way, or another registry gave it. Start again without it."},
	{"invalid_signature", "400", "The event of the payment provider is not signed, or too long ago."},
	{"invalid_link", "400", "The link was used already, or is too old, or is not whole."},
	{"invalid_body", "400", "The body is no JSON object of the kind that is wanted, or ends early."},
	{"request_timeout", "408", "The request did not arrive in time."},
	{"missing_api_key", "401", "The endpoint needs a key: send it as Authorization: Bearer."},
	{"invalid_api_key", "401", "There is no such key."},
	{"revoked_api_key", "401", "The key was revoked, or it was rotated and its overlap is over. Use the key that replaced it, or make a new one in the account settings."},
	{"not_signed_in", "401", "Nobody is signed in, or the session is over."},
	{"wrong_credentials", "401", "The address or the password is wrong, or the address is not confirmed yet: which of them is not told."},
	{"github_refused", "401", "GitHub does not vouch for the sign-in. Start again."},
	{"wrong_password", "403", "The password that is asked for again is wrong."},
	{"sign_in_again", "403", "The account has no password: sign in with GitHub again to show that it is you."},
	{"cross_origin", "403", "A page of another site made the browser send the request."},
	{"form_expired", "403", "The form is of another session. Load the page again."},
	{"github_state", "403", "The sign-in with GitHub was not begun in this browser, or took too long."},
	{"github_denied", "403", "The sign-in was not allowed at GitHub."},
	{"github_unverified", "403", "GitHub has no verified primary address of the user."},
	{"plan_upgrade_required", "403", "The plan of the account does not include the endpoint. requiredPlans says which do."},
	{"not_found", "404", "There is nothing at the address."},
	{"server_not_found", "404", "The registry lists no such server. candidates has slugs that may have been meant."},
	{"repository_not_found", "404", "The code host knows no such public repository."},
	{"check_not_found", "404", "There is no such check; results are kept for a while only."},
	{"key_not_found", "404", "The account has no such key."},
	{"account_not_found", "404", "There is no such account."},
	{"method_not_allowed", "405", "The address does not take this method. The header Allow says which it takes."},
	{"conflict", "409", "What is asked for does not go with what is there. The detail says what to do first."},
	{"too_many_keys", "409", "The account has as many keys as it may have. Revoke one that is not used any more."},
	{"too_many_custom_endpoints", "409", "The account has as many custom endpoints as it may have. Delete one that is not used any more."},
	{"plans_by_operator", "409", "Paid plans are not for sale here: the operator of the registry sets them."},
	{"payment_failed", "409", "The payment was declined, and nothing was changed."},
	{"unknown_price", "409", "The account pays for something that the registry does not know, and nothing was changed. The operator has to put it right."},
	{"nothing_paid", "409", "The account has not paid for anything, so there is nothing to manage."},
	{"sign_in_first", "409", "The address has an account. Sign in to it, and link GitHub then."},
	{"server_deleted", "410", "The server's repository was deleted from its code host."},
	{"payload_too_large", "413", "The body is too large."},
	{"uri_too_long", "414", "The address is too long."},
	{"unsupported_media_type", "415", "The body must be JSON."},
	{"unsupported_host", "422", "Only repositories on GitHub are supported; gists are not."},
	{"rate_limit_exceeded", "429", "The limit of this hour, or under /v1 of this day, is used up. Retry-After says how many seconds to wait."},
	{"too_many_attempts", "429", "Attempts to sign in are slowed down. Retry-After says how many seconds to wait."},
	{"internal", "500", "A fault of the registry. Please try again; if it stays, report the requestId."},
	{"unavailable", "503", "The registry is starting, or something it needs does not answer. Retry-After says how long to wait."},
}

// pageCache is the Cache-Control of the pages: they name files of this version
// of the program, so they are asked for again.
const pageCache = "public, no-cache"

func writePage(c *gin.Context, p readyPage) error {
	for k, v := range p.header {
		c.Writer.Header().Set(k, v)
	}
	httpd.Write(c, httpd.Answer{Type: "text/html; charset=utf-8", Tag: p.tag, Cache: pageCache, Body: p.body, Zipped: p.zipped})
	return nil
}

func (a *API) docsPage(_ context.Context, c *gin.Context) error   { return writePage(c, a.spec.docs) }
func (a *API) errorsPage(_ context.Context, c *gin.Context) error { return writePage(c, a.spec.errors) }

func (a *API) docsScript(_ context.Context, c *gin.Context) error {
	return writeAsset(c, a.spec.js, "text/javascript; charset=utf-8")
}

func (a *API) docsStyle(_ context.Context, c *gin.Context) error {
	return writeAsset(c, a.spec.css, "text/css; charset=utf-8")
}

// writeAsset answers with what pages name without a version.
func writeAsset(c *gin.Context, r ready, kind string) error {
	httpd.Write(c, httpd.Answer{Type: kind, Tag: r.tag, Cache: pageCache, Body: r.body, Zipped: r.zipped})
	return nil
}
