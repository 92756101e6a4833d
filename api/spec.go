package api

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"

	"mcpcensus/internal/httpd"
)

//go:embed openapi.yaml
var openapiYAML []byte

// OpenAPI returns the API's OpenAPI 3.1 document as YAML, with example
// addresses in it.
func OpenAPI() []byte { return bytes.Clone(openapiYAML) }

// A spec is the OpenAPI document and the pages made of it, ready to be sent.
type spec struct {
	json, yaml, css, js ready
	docs, errors        readyPage
}

// ready is an answer that never changes while the program runs.
type ready struct {
	body, zipped []byte
	tag          string
}

func newReady(b []byte) ready { return ready{b, httpd.Zip(b), TagOf(b)} }

// exampleMeta is the member of _meta in the examples, which every registry has
// under its own namespace.
const exampleMeta = "org.mcpcensus/server:"

// markdownText keeps a text what it is where Markdown is read.
var markdownText = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `<`, `\<`, `&`, `\&`)

func newSpec(o Options) (s spec, err error) {
	text, base, brand := openapiYAML, o.BaseURL, o.Brand
	if base != "" {
		text = bytes.ReplaceAll(text, []byte("https://census.example"), []byte(base))
	} else {
		text = bytes.Replace(text, []byte("- url: https://census.example"), []byte("- url: /"), 1)
	}
	if !bytes.Contains(text, []byte(exampleMeta)) {
		return s, fmt.Errorf("openapi.yaml: no %q to put the namespace in its place", exampleMeta)
	}
	text = bytes.ReplaceAll(text, []byte(exampleMeta), []byte(o.Namespace+"/server:"))
	if brand.Own() {
		for _, r := range [][2]string{
			{"  title: Census\n", "  title: " + quoted(brand.Name()) + "\n"},
			{"  summary: The open registry of MCP servers.\n", "  summary: A registry of MCP servers.\n"},
			{"    Census lists servers", "    " + markdownText.Replace(brand.Name()) + " lists servers"},
			{"    name: This registry\n", "    name: " + quoted(brand.Name()) + "\n"},
		} {
			if !bytes.Contains(text, []byte(r[0])) {
				return s, fmt.Errorf("openapi.yaml: no %q to put the brand in its place", r[0])
			}
			text = bytes.Replace(text, []byte(r[0]), []byte(r[1]), 1)
		}
	}
	if brand.Logo != "" {
		text = bytes.Replace(text, []byte("  version: "), []byte("  x-logo: {url: "+quoted(brand.Logo)+"}\n  version: "), 1)
	}
	doc, err := yaml.YAMLToJSON(text)
	if err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	d := document{text: text}
	if err := json.Unmarshal(doc, &d); err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	s.json, s.yaml = newReady(bytes.TrimSpace(doc)), newReady(text)
	s.css, s.js = newReady(docsCSS), newReady(docsJS)
	if s.docs, err = o.docsPage(&d); err == nil {
		s.errors, err = o.errorsPage(d.Info.Title)
	}
	return s, err
}

// quoted returns s as a JSON string, which is valid YAML too.
func quoted(s string) string {
	b, err := JSON(s)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}

func writeReady(c *gin.Context, r ready, kind string) error {
	httpd.Write(c, httpd.Answer{Type: kind, Tag: r.tag, Cache: "public, max-age=300", Body: r.body, Zipped: r.zipped})
	return nil
}

func (a *API) openapiJSON(_ context.Context, c *gin.Context) error {
	httpd.AllowAnyOrigin(c)
	return writeReady(c, a.spec.json, "application/json; charset=utf-8")
}

func (a *API) openapiYAML(_ context.Context, c *gin.Context) error {
	httpd.AllowAnyOrigin(c)
	return writeReady(c, a.spec.yaml, "application/yaml; charset=utf-8")
}
