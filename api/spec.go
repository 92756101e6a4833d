package api

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

//go:embed openapi.yaml
var openapiYAML []byte

//go:embed docs.html
var docsHTML string

//go:embed docs.css
var docsCSS []byte

// OpenAPI returns the API's OpenAPI 3.1 document as YAML, with example
// addresses in it.
func OpenAPI() []byte { return bytes.Clone(openapiYAML) }

//go:embed docs.js
var docsJS []byte

// A spec is the OpenAPI document and the pages made of it, ready to be sent.
type spec struct{ json, yaml, docs, errors, css, js ready }

// ready is an answer that never changes while the program runs.
type ready struct {
	body, zipped []byte
	tag          string
}

func newReady(b []byte) ready { return ready{b, httpd.Zip(b), tagOf(b)} }

// exampleMeta is the member of _meta in the examples, which every registry has
// under its own namespace.
const exampleMeta = "org.mcpcensus/server:"

func newSpec(base, namespace, version string, brand registry.Brand) (s spec, err error) {
	text := openapiYAML
	if base != "" {
		text = bytes.ReplaceAll(text, []byte("https://census.example"), []byte(base))
	} else {
		text = bytes.Replace(text, []byte("- url: https://census.example"), []byte("- url: /"), 1)
	}
	if !bytes.Contains(text, []byte(exampleMeta)) {
		return s, fmt.Errorf("openapi.yaml: no %q to put the namespace in its place", exampleMeta)
	}
	text = bytes.ReplaceAll(text, []byte(exampleMeta), []byte(namespace+"/server:"))
	if brand.Own() {
		for _, r := range [][2]string{
			{"  title: Census\n", "  title: " + string(JSON(brand.Name())) + "\n"},
			{"  summary: The open registry of MCP servers.\n", "  summary: A registry of MCP servers.\n"},
			{"    Census lists servers", "    " + brand.Name() + " lists servers"},
			{"    name: This registry\n", "    name: " + string(JSON(brand.Name())) + "\n"},
		} {
			if !bytes.Contains(text, []byte(r[0])) {
				return s, fmt.Errorf("openapi.yaml: no %q to put the brand in its place", r[0])
			}
			text = bytes.Replace(text, []byte(r[0]), []byte(r[1]), 1)
		}
	}
	if brand.Logo != "" {
		text = bytes.Replace(text, []byte("  version: "), []byte("  x-logo: {url: "+string(JSON(brand.Logo))+"}\n  version: "), 1)
	}
	doc, err := yaml.YAMLToJSON(text)
	if err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	var d document
	if err := json.Unmarshal(doc, &d); err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	d.Program, d.Brand = version, brand
	t, err := template.New("docs").Funcs(template.FuncMap{"pretty": pretty, "anchor": anchor}).Parse(docsHTML)
	if err != nil {
		return s, err
	}
	page := func(name string, data any) (ready, error) {
		var b bytes.Buffer
		err := t.ExecuteTemplate(&b, name, data)
		return newReady(b.Bytes()), err
	}
	if s.docs, err = page("docs", d.view()); err != nil {
		return s, err
	}
	if s.errors, err = page("errors", errorsView{d.Info.Title, brand, errorTexts}); err != nil {
		return s, err
	}
	s.js = newReady(docsJS)
	s.json, s.yaml, s.css = newReady(bytes.TrimSpace(doc)), newReady(text), newReady(append(bytes.Clone(docsCSS), brandStyle(brand)...))
	return s, nil
}

// document is what the page shows of the OpenAPI document.
type document struct {
	Program string         `json:"-"`
	Brand   registry.Brand `json:"-"`
	Info    struct{ Title, Version, Summary, Description string }
	Paths   map[string]struct{ Get, Post, Put, Patch, Delete *operation }

	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
		Examples   map[string]example
		Schemas    map[string]any
	}
}

type operation struct {
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
		Brand                            registry.Brand
		Text                             []string
		Operations                       []operationView
		Schemas                          []schemaView
	}
	operationView struct {
		Method, Path, Anchor, Summary string
		Text                          []string
		Parameters                    []parameterView
		Body                          []exampleView
		Responses                     []responseView
		// Try says that the page has a form for it, Keyed that the form asks for
		// a key, NeedsScript that it does nothing without script.
		Try, Keyed, NeedsScript bool
	}
	parameterView struct {
		Name, In, Type, Text string
		Value                string // what a form begins with
		Required             bool
	}
	responseView struct {
		Status, Text string
		Examples     []exampleView
	}
	exampleView struct{ Summary, Body string }
	schemaView  struct{ Name, Body string }
)

func (d *document) view() docsView {
	v := docsView{Title: d.Info.Title, Version: d.Info.Version, Program: d.Program, Brand: d.Brand, Summary: d.Info.Summary, Text: paragraphs(d.Info.Description)}
	paths := make([]string, 0, len(d.Paths))
	for p := range d.Paths {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(a, b string) int {
		x, y := !strings.HasPrefix(a, "/api"), !strings.HasPrefix(b, "/api")
		if x != y {
			if x {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths {
		at := d.Paths[path]
		for _, m := range []struct {
			name string
			o    *operation
		}{{"GET", at.Get}, {"POST", at.Post}, {"PUT", at.Put}, {"PATCH", at.Patch}, {"DELETE", at.Delete}} {
			if m.o != nil {
				v.Operations = append(v.Operations, d.operation(m.name, path, m.o))
			}
		}
	}
	names := make([]string, 0, len(d.Components.Schemas))
	for name := range d.Components.Schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		v.Schemas = append(v.Schemas, schemaView{name, pretty(d.Components.Schemas[name])})
	}
	return v
}

// operation is what the page shows of one operation.
func (d *document) operation(method, path string, o *operation) operationView {
	v := operationView{Method: method, Path: path, Anchor: anchor(path), Summary: o.Summary, Text: paragraphs(o.Description)}
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
		v.Parameters = append(v.Parameters, parameterView{p.Name, p.In, typeOf(p), p.Description, value, p.Required})
	}
	if o.RequestBody != nil {
		v.Body = d.examples(*o.RequestBody)
	}
	codes := make([]string, 0, len(o.Responses))
	for code := range o.Responses {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		r := o.Responses[code]
		if r.Ref != "" {
			r = d.Components.Responses[last(r.Ref)]
		}
		rv := responseView{Status: code, Text: strings.ReplaceAll(r.Description, "`", ""), Examples: d.examples(r)}
		v.Responses = append(v.Responses, rv)
	}
	return v
}

// examples are those of a body.
func (d *document) examples(r response) (all []exampleView) {
	for _, content := range r.Content {
		if content.Example != nil {
			all = append(all, exampleView{"Example", pretty(content.Example)})
		}
		names := make([]string, 0, len(content.Examples))
		for name := range content.Examples {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
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
		t += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	} else if s.Minimum != nil {
		t += fmt.Sprintf(", from %v", *s.Minimum)
	}
	if s.Default != nil {
		t += fmt.Sprintf(", default %v", s.Default)
	}
	return t
}

// brandStyle gives links the brand's colours.
func brandStyle(b registry.Brand) string {
	if b.Light == nil || b.Dark == nil {
		return ""
	}
	return fmt.Sprintf("a { color: %s; }\n@media (prefers-color-scheme: dark) { a { color: %s; } }\n", b.Light, b.Dark)
}

func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func anchor(path string) string {
	return strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(path), "-")
}

func paragraphs(s string) []string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "`", "")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n\n")
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
type errorsView struct {
	Title string
	Brand registry.Brand
	Codes []errorText
}

type errorText struct{ Code, Status, Text string }

// errorTexts explains the codes of errors, in the order of their statuses.
var errorTexts = []errorText{
	{"invalid_parameter", "400", "A parameter has a value that it cannot have. The member errors names each one and says what is allowed."},
	{"missing_parameter", "400", "A parameter that the endpoint needs is not there."},
	{"invalid_cursor", "400", "The cursor was changed on its way, or another registry gave it. Start again without it."},
	{"invalid_signature", "400", "The event of the payment provider is not signed, or too long ago."},
	{"invalid_link", "400", "The link was used already, or is too old, or is not whole."},
	{"invalid_header", "400", "A header has a value that it cannot have."},
	{"invalid_body", "400", "The body is no JSON object of the kind that is wanted, or ends early."},
	{"request_timeout", "408", "The request did not arrive in time."},
	{"invalid_request", "400", "What was sent is not an HTTP request that can be read. The connection is closed."},
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
	{"headers_too_large", "431", "The address and the headers are too large together. The connection is closed."},
	{"internal", "500", "A fault of the registry. Please try again; if it stays, report the requestId."},
	{"unavailable", "503", "The registry is starting, or something it needs does not answer. Retry-After says how long to wait."},
}

func writeReady(c *gin.Context, r ready, kind string) error {
	httpd.Write(c, httpd.Answer{Type: kind, Tag: r.tag, Cache: "public, max-age=300", Body: r.body, Zipped: r.zipped})
	return nil
}

// pagePolicy lets the pages load their style sheet and their script, which asks
// this API, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func writeHTML(c *gin.Context, r ready) error {
	c.Writer.Header().Set("Content-Security-Policy", pagePolicy)
	c.Writer.Header().Set("Referrer-Policy", "no-referrer")
	return writeReady(c, r, "text/html; charset=utf-8")
}

func (a *API) openapiJSON(_ context.Context, c *gin.Context) error {
	httpd.AllowAnyOrigin(c)
	return writeReady(c, a.spec.json, "application/json; charset=utf-8")
}

func (a *API) openapiYAML(_ context.Context, c *gin.Context) error {
	httpd.AllowAnyOrigin(c)
	return writeReady(c, a.spec.yaml, "application/yaml; charset=utf-8")
}

func (a *API) docsPage(_ context.Context, c *gin.Context) error   { return writeHTML(c, a.spec.docs) }
func (a *API) errorsPage(_ context.Context, c *gin.Context) error { return writeHTML(c, a.spec.errors) }

func (a *API) docsScript(_ context.Context, c *gin.Context) error {
	return writeReady(c, a.spec.js, "text/javascript; charset=utf-8")
}

func (a *API) docsStyle(_ context.Context, c *gin.Context) error {
	return writeReady(c, a.spec.css, "text/css; charset=utf-8")
}
