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
	"mcpcensus/internal/text"
)

//go:embed openapi.yaml
var openapiYAML []byte

// samplesJSON has examples of operations in the languages of the SDKs, by operationId.
//
//go:embed samples.json
var samplesJSON []byte

// withSamples adds the examples of operations to the document, as x-codeSamples.
func withSamples(text []byte) ([]byte, error) {
	var samples map[string]json.RawMessage
	if err := json.Unmarshal(samplesJSON, &samples); err != nil {
		return nil, fmt.Errorf("samples.json: %w", err)
	}
	for id, list := range samples {
		line := []byte("      operationId: " + id + "\n")
		if bytes.Count(text, line) != 1 {
			return nil, fmt.Errorf("samples.json: openapi.yaml must have one operation %s", id)
		}
		var b bytes.Buffer
		b.Write(line)
		b.WriteString("      x-codeSamples: ")
		if err := json.Compact(&b, list); err != nil { // JSON is YAML too
			return nil, fmt.Errorf("samples.json: %w", err)
		}
		b.WriteByte('\n')
		text = bytes.Replace(text, line, b.Bytes(), 1)
	}
	return text, nil
}

// A spec is the OpenAPI document and its pages, finished, with their script and style.
type spec struct{ json, yaml, docs, errors, script, style ready }

// ready is a finished response.
type ready struct {
	httpd.Response
	header map[string]string // more headers
}

func newReady(b []byte, kind, cache string) ready {
	return ready{Response: httpd.Response{Type: kind + "; charset=utf-8", Tag: httpd.TagOf(b),
		Cache: cache, Body: b, Zipped: httpd.Zip(b)}}
}

func (r ready) send(c *gin.Context) {
	for name, value := range r.header {
		c.Header(name, value)
	}
	httpd.Write(c, r.Response)
}

// exampleMeta is the member of _meta in the examples. It is replaced by the
// registry's own namespace.
const exampleMeta = "org.mcpcensus/server:"

var markdownText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `<`, `\<`, `&`, `\&`,
)

func newSpec(o Options) (s spec, err error) {
	base, brand := o.BaseURL, o.Brand
	text, err := withSamples(openapiYAML)
	if err != nil {
		return s, err
	}
	if base != "" {
		text = bytes.ReplaceAll(text, []byte("https://census.example"), []byte(base))
	} else {
		text = bytes.Replace(text, []byte("- url: https://census.example"), []byte("- url: /"), 1)
	}
	if !bytes.Contains(text, []byte(exampleMeta)) {
		return s, fmt.Errorf("openapi.yaml: no %q to replace by the namespace", exampleMeta)
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
				return s, fmt.Errorf("openapi.yaml: no %q to replace by the brand", r[0])
			}
			text = bytes.Replace(text, []byte(r[0]), []byte(r[1]), 1)
		}
	}
	if brand.Logo != "" {
		logo := "  x-logo: {url: " + quoted(brand.Logo) + "}\n  version: "
		text = bytes.Replace(text, []byte("  version: "), []byte(logo), 1)
	}
	doc, err := yaml.YAMLToJSON(text)
	if err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	d := document{text: text}
	if err := json.Unmarshal(doc, &d); err != nil {
		return s, fmt.Errorf("openapi.yaml: %w", err)
	}
	s.json = newReady(bytes.TrimSpace(doc), "application/json", specCache)
	s.yaml = newReady(text, "application/yaml", specCache)
	s.script = newReady(docsJS, "text/javascript", sharedCache)
	s.style = newReady(docsCSS, "text/css", sharedCache)
	if s.docs, err = o.docsPage(&d); err == nil {
		s.errors, err = o.errorsPage(d.Info.Title)
	}
	return s, err
}

// PartOfDocument returns the OpenAPI document as YAML with the GET operations below a path
// only, for a server at base that has nothing else, under a title.
func (a *API) PartOfDocument(under, base, title string) ([]byte, error) {
	s, err := a.spec()
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(s.json.Body, &doc); err != nil {
		return nil, err
	}
	paths := map[string]any{}
	all, _ := doc["paths"].(map[string]any)
	for path, item := range all {
		if get, ok := item.(map[string]any)["get"]; ok && strings.HasPrefix(path, under) {
			paths[path] = map[string]any{"get": get}
		}
	}
	info, _ := doc["info"].(map[string]any)
	info["title"] = title
	doc["paths"], doc["servers"] = paths, []any{map[string]any{"url": base}}
	components, _ := doc["components"].(map[string]any)
	used := map[string]any{}
	addComponents(used, components, paths)
	doc["components"] = used
	delete(doc, "tags")
	b, err := text.JSON(doc)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(b)
}

// addComponents adds the components that v refers to, and those that they refer to.
func addComponents(to, from map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			addComponents(to, from, x)
		}
	case map[string]any:
		for _, x := range v {
			addComponents(to, from, x)
		}
		ref, _ := v["$ref"].(string)
		kind, name, ok := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		all, _ := from[kind].(map[string]any)
		if !ok || all[name] == nil {
			return
		}
		of, _ := to[kind].(map[string]any)
		if of == nil {
			of = map[string]any{}
			to[kind] = of
		}
		if of[name] == nil {
			of[name] = all[name]
			addComponents(to, from, all[name])
		}
	}
}

// quoted returns s as a JSON string, which is valid YAML too.
func quoted(s string) string {
	b, err := text.JSON(s)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}

// specCache is the Cache-Control of the OpenAPI document.
const specCache = "public, max-age=300"

// finished returns a handler that sends a part of the document.
func (a *API) finished(part func(spec) ready) httpd.Handler {
	return func(_ context.Context, c *gin.Context) error {
		s, err := a.spec()
		if err != nil {
			return err
		}
		part(s).send(c)
		return nil
	}
}
