package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"

	"mcpcensus/internal/text"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.css
var docsCSS []byte

//go:embed docs.js
var docsJS []byte

// A Frame returns a page, and its headers besides Content-Type and caching. head
// has elements for the head of the page at path, main the content of its main
// element.
type Frame func(
	title, description, path string, head, main template.HTML,
) (page []byte, header map[string]string, err error)

// page renders the templates name and name-head as a page.
func (o Options) page(name, title, description, path string, data any) (p ready, err error) {
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
	body, header, err := o.Frame(title, description, path, parts[0], parts[1])
	p = newReady(body, "text/html", sharedCache)
	p.header = header
	return p, err
}

func (o Options) docsPage(d *document) (ready, error) {
	v, err := d.view()
	if err != nil {
		return ready{}, err
	}
	v.Program = o.Version
	const description = "Every endpoint of the API, with its parameters, responses and errors, " +
		"and forms to try it."
	return o.page("docs", "API", description, "/docs", v)
}

func (o Options) errorsPage(title string) (ready, error) {
	description := "The error codes of the " + title + " API and what they mean."
	return o.page("errors", "Error codes", description, "/docs/errors", errorsView{errorTexts})
}

// document is the part of the OpenAPI document that the page shows.
type document struct {
	text []byte // of the document, as YAML
	Info struct{ Title, Version, Summary, Description string }
	Tags []struct {
		Name, Description string
		Shown             string `json:"x-displayName"`
	}
	Paths map[string]map[string]operation // by path and method

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
	Samples              []struct{ Label, Source string } `json:"x-codeSamples"`
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Example     any
	Schema      struct {
		Ref              string `json:"$ref"`
		Type             any
		Enum             []any
		Default          any
		Minimum, Maximum *float64
		ContentMediaType string // of a text that holds a document
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

// The data of the page, in the order of the page.
type (
	docsView struct {
		Title, Version, Program, Summary string
		Text                             template.HTML
		Groups                           []groupView
		Shared                           []responseView // that several operations have
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
		Samples                       []exampleView  // calls of the SDKs
		Answers                       []responseView // all but Shared
		Shared                        []sharedLink   // errors and 304
		// Try says that the page has a form to try it, Keyed that the form has a
		// field for a key, NeedsScript that it requires JavaScript.
		Try, Keyed, NeedsScript bool
	}
	parameterView struct {
		Name, In, Type string
		Text           template.HTML
		Value          string // initial value in the form
		Required       bool
	}
	responseView struct {
		Status   string // "400", or several
		Anchor   string // of a shared response
		Text     template.HTML
		Examples []exampleView
	}
	sharedLink  struct{ Status, Anchor string }
	exampleView struct {
		Summary string
		Body    template.HTML
	}
	schemaView struct {
		Name string
		Body template.HTML
	}
)

// place returns the offset of a path in the document, which determines the order
// of the page.
func (d *document) place(path string) int { return bytes.Index(d.text, []byte("\n  "+path+":")) }

// view returns the data of the page.
func (d *document) view() (docsView, error) {
	v := docsView{
		Title: d.Info.Title, Version: d.Info.Version, Summary: d.Info.Summary,
		Text: prose(d.Info.Description),
	}
	groups := map[string]int{}
	shared := map[string][]string{} // statuses by component
	for n, t := range d.Tags {
		v.Groups = append(v.Groups, groupView{
			Anchor: "group-" + t.Name, Name: t.Shown, Text: prose(t.Description),
		})
		groups[t.Name] = n
	}
	paths := slices.SortedFunc(maps.Keys(d.Paths), func(a, b string) int {
		return d.place(a) - d.place(b)
	})
	for _, path := range paths {
		for _, method := range []string{"get", "post", "put", "delete"} {
			o, ok := d.Paths[path][method]
			if !ok {
				continue
			}
			n, ok := groups[strings.Join(o.Tags, "+")]
			if !ok {
				return v, fmt.Errorf("openapi.yaml: %s %s must have one of the tags", method, path)
			}
			v.Groups[n].Operations = append(v.Groups[n].Operations,
				d.operation(strings.ToUpper(method), path, &o, shared))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		statuses := slices.Compact(slices.Sorted(slices.Values(shared[name])))
		r := d.Components.Responses[name]
		v.Shared = append(v.Shared, responseView{strings.Join(statuses, ", "), "response-" + name,
			prose(r.Description), d.examples(r)})
	}
	slices.SortStableFunc(v.Shared, func(a, b responseView) int {
		return strings.Compare(a.Status, b.Status)
	})
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		v.Schemas = append(v.Schemas, schemaView{name, pretty(d.Components.Schemas[name])})
	}
	return v, nil
}

// operation returns the data of one operation, and adds the statuses of its shared responses.
func (d *document) operation(
	method, path string, o *operation, shared map[string][]string,
) operationView {
	v := operationView{
		Method: method, Path: path, Anchor: anchor(path), Summary: o.Summary, Text: prose(o.Description),
	}
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
		v.Parameters = append(v.Parameters, parameterView{
			Name: p.Name, In: p.In, Type: typeOf(p), Text: prose(p.Description),
			Value: value, Required: p.Required,
		})
	}
	for _, s := range o.Samples {
		v.Samples = append(v.Samples, exampleView{s.Label, escaped(s.Source)})
	}
	if o.RequestBody != nil {
		v.Body = d.examples(*o.RequestBody)
	}
	for _, code := range slices.Sorted(maps.Keys(o.Responses)) {
		r, name := o.Responses[code], ""
		if r.Ref != "" {
			name = last(r.Ref)
			r = d.Components.Responses[name]
		}
		if code >= "300" && name != "" {
			shared[name] = append(shared[name], code)
			v.Shared = append(v.Shared, sharedLink{code, "response-" + name})
			continue
		}
		v.Answers = append(v.Answers, responseView{code, "", prose(r.Description), d.examples(r)})
	}
	return v
}

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
	if s.ContentMediaType == "application/json" {
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

// prose renders a Markdown text of the document, without HTML in it.
func prose(s string) template.HTML {
	var b bytes.Buffer
	if err := goldmark.Convert([]byte(s), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(s))
	}
	return template.HTML(strings.TrimSpace(b.String()))
}

// maxLine is the maximum length of a line of an example or schema, if it can be broken.
const maxLine = 96

// escaped returns s as the text of an element. Quotation marks, which examples are full of, stay.
func escaped(s string) template.HTML {
	return template.HTML(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s))
}

// pretty returns v as JSON in HTML. Objects and lists that fit are on one line.
func pretty(v any) template.HTML { return escaped(prettyAt(v, "", 0)) }

// prettyAt is pretty for a value below an indent, behind a name of the given length.
func prettyAt(v any, indent string, name int) string {
	line := oneLine(v)
	if len(indent)+name+len(line) <= maxLine {
		return line
	}
	var parts []string
	inner, open, end := indent+" ", "[", "]"
	switch v := v.(type) {
	case map[string]any:
		open, end = "{", "}"
		for _, k := range slices.Sorted(maps.Keys(v)) {
			key := oneLine(k) + ": "
			parts = append(parts, inner+key+prettyAt(v[k], inner, len(key)))
		}
	case []any:
		for _, e := range v {
			parts = append(parts, inner+prettyAt(e, inner, 0))
		}
	default:
		return line
	}
	return open + "\n" + strings.Join(parts, ",\n") + "\n" + indent + end
}

// oneLine returns v as JSON on one line, with spaces as in prose.
func oneLine(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, oneLine(k)+": "+oneLine(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, e := range v {
			parts = append(parts, oneLine(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	b, err := text.JSON(v)
	if err != nil {
		return ""
	}
	return string(b)
}

type errorsView struct{ Codes []errorText }

type errorText struct{ Code, Status, Text string }

//go:embed errorcodes.txt
var errorCodes string

// errorTexts explain the error codes, in the order of their statuses.
var errorTexts = parseErrorTexts(errorCodes)

// parseErrorTexts reads lines of a code, its status and its text.
func parseErrorTexts(lines string) (all []errorText) {
	for line := range strings.Lines(lines) {
		code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		status, text, _ := strings.Cut(rest, " ")
		all = append(all, errorText{code, status, text})
	}
	return all
}
