// Package apitest compares responses with the OpenAPI document, for tests.
package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Document is an OpenAPI 3.1 document. It compiles each schema once; kin-openapi's own
// check of responses does so for each response, which takes most of the time of such tests.
// Its methods are safe for concurrent use.
type Document struct {
	*openapi3.T

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[*openapi3.Schema]*jsonschema.Schema
}

// Load parses a document in YAML or JSON. It does not check whether the document is valid.
func Load(text []byte) (*Document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	d := &Document{T: doc, compiler: jsonschema.NewCompiler(),
		schemas: map[*openapi3.Schema]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	b, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return d, d.add(resource, b)
}

// resource is the URL of the document, to which references from schemas are resolved.
const resource = "https://apitest.example/openapi.json"

func (d *Document) add(url string, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return d.compiler.AddResource(url, v)
}

// LoadFile is Load for a file.
func LoadFile(name string) (*Document, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Load(text)
}

// Check returns an error if the document does not describe the response to an operation.
// Redirects and 304 need no description. The introduction describes the statuses that any
// endpoint may return.
func (d *Document) Check(o *openapi3.Operation, status int, h http.Header, body []byte) error {
	switch status {
	case http.StatusNotModified, http.StatusMovedPermanently, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect, http.StatusExpectationFailed,
		http.StatusRequestHeaderFieldsTooLarge:
		return nil
	case http.StatusMethodNotAllowed, http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong:
		return d.checkProblem(h, body)
	}
	described := o.Responses.Status(status)
	described = cmp.Or(described, o.Responses.Default())
	if described == nil {
		return fmt.Errorf("no response with status %d", status)
	}
	for name, header := range described.Value.Headers {
		if err := d.checkHeader(header.Value, h.Values(name)); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	return d.checkBody(described.Value.Content, h.Get("Content-Type"), body)
}

// checkProblem returns an error if a response is not a problem of the document.
func (d *Document) checkProblem(h http.Header, body []byte) error {
	problem := d.Components.Schemas["Problem"]
	if problem == nil {
		return fmt.Errorf("no schema Problem")
	}
	content := openapi3.NewContentWithSchemaRef(problem, []string{"application/problem+json"})
	return d.checkBody(content, h.Get("Content-Type"), body)
}

func (d *Document) checkBody(described openapi3.Content, kind string, body []byte) error {
	if len(described) == 0 {
		return nil
	}
	content := described.Get(kind)
	if content == nil {
		return fmt.Errorf("no content of type %q", kind)
	}
	if content.Schema == nil {
		return nil
	}
	var v any = string(body)
	if isJSON(kind) {
		var err error
		if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return err
		}
	}
	return d.validate(content.Schema, v)
}

func isJSON(kind string) bool {
	name, _, _ := mime.ParseMediaType(kind)
	return name == "application/json" || strings.HasSuffix(name, "+json")
}

func (d *Document) checkHeader(h *openapi3.Header, values []string) error {
	if len(values) == 0 {
		if h.Required {
			return fmt.Errorf("missing")
		}
		return nil
	}
	if h.Schema == nil {
		return nil
	}
	var v any = values[0]
	if !h.Schema.Value.Type.Permits("string") {
		var err error
		if v, err = jsonschema.UnmarshalJSON(strings.NewReader(values[0])); err != nil {
			return err
		}
	}
	return d.validate(h.Schema, v)
}

// Undocumented returns the headers of a response that clients rely on but the
// document does not list.
func Undocumented(o *openapi3.Operation, status int, h http.Header) []string {
	described := o.Responses.Status(status)
	if described == nil {
		return nil
	}
	return slices.DeleteFunc([]string{
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Plan",
		"X-Request-Id", "X-Total-Count", "ETag", "Link", "Location", "Allow", "Retry-After",
		"WWW-Authenticate",
	}, func(name string) bool {
		return h.Get(name) == "" || described.Value.Headers[name] != nil
	})
}

func (d *Document) validate(ref *openapi3.SchemaRef, v any) error {
	s, err := d.compiled(ref)
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func (d *Document) compiled(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[ref.Value]; s != nil {
		return s, nil
	}
	text, err := json.Marshal(ref)
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("https://apitest.example/%d.json", len(d.schemas))
	absolute := bytes.ReplaceAll(text, []byte(`"$ref":"#/`), []byte(`"$ref":"`+resource+`#/`))
	if err := d.add(url, absolute); err != nil {
		return nil, err
	}
	s, err := d.compiler.Compile(url)
	if err != nil {
		return nil, err
	}
	d.schemas[ref.Value] = s
	return s, nil
}
