package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mcpcensus/internal/brand"
)

func TestBrand(t *testing.T) {
	brand, err := brand.Parse(`Größe: "A" & <B>`, "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://example.com/imprint?a=1&b=2")
	if err != nil {
		t.Fatal(err)
	}
	x := start(t, 3, func(o *Options) { o.Brand = brand })
	for _, target := range []string{"/openapi.json", "/openapi.yaml", "/docs", "/docs/errors"} {
		status, b := x.get(target)
		own := strings.NewReplacer("census.example", "", "mcpcensus", "").Replace(strings.ToLower(string(b))) // the operator's address and namespace
		if status != 200 || strings.Contains(own, "census") {
			t.Errorf("%s: %d, or it names Census", target, status)
		}
	}
	_, b := x.get("/docs")
	for _, want := range []string{"<h1>Größe: &#34;A&#34; &amp; &lt;B&gt; API", "<p>Größe: &quot;A&quot; &amp; &lt;B&gt; lists servers"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("/docs does not have %s", want)
		}
	}
	_, b = x.get("/openapi.json")
	var doc struct{ Info map[string]any }
	if err := json.Unmarshal(b, &doc); err != nil || doc.Info["title"] != brand.Name() || doc.Info["contact"].(map[string]any)["name"] != brand.Name() {
		t.Errorf("%v, %v", doc.Info, err)
	}
	if loaded, err := openapi3.NewLoader().LoadFromData(b); err != nil || loaded.Validate(t.Context(), openapi3.DisableExamplesValidation()) != nil {
		t.Errorf("the branded document is broken: %v", err)
	}
	if _, b = start(t, 3).get("/openapi.yaml"); !bytes.Contains(b, []byte("title: Census\n")) {
		t.Error("without a brand, it is not Census")
	}
}

func TestNamespace(t *testing.T) {
	x := start(t, 3, func(o *Options) { o.Namespace = "com.acme" })
	for _, target := range []string{"/openapi.json", "/openapi.yaml", "/docs"} {
		status, b := x.get(target)
		if status != 200 || bytes.Contains(b, []byte("org.mcpcensus")) || !bytes.Contains(b, []byte("com.acme/server")) {
			t.Errorf("%s: %d, or it has another namespace than entries of tools", target, status)
		}
	}
}

// What is refused before an endpoint sees it is in the document too.
func TestDocumentedStatuses(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	for path, at := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/account/api") {
			continue
		}
		for method, o := range at.Operations() {
			want := []int{405, 414, 417, 431}
			if o.RequestBody != nil {
				want = append(want, 408, 413)
			}
			for _, status := range want {
				if o.Responses.Status(status) == nil {
					t.Errorf("%s %s has no %d", method, path, status)
				}
			}
		}
	}
	text := string(OpenAPI())
	for _, e := range errorTexts {
		elsewhere := e.Code == "form_expired" || e.Code == "account_not_found" // on pages
		if !elsewhere && !strings.Contains(text, "`"+e.Code+"`") {
			t.Errorf("no response of the document names %s", e.Code)
		}
	}
}
