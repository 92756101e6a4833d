package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/registry"
)

func TestBrand(t *testing.T) {
	brand, err := brand.Parse(`Größe: "A" & <B>`, "https://cdn.example/logo.svg", "#8a1c4a",
		"Imprint=https://example.com/imprint?a=1&b=2")
	if err != nil {
		t.Fatal(err)
	}
	x := start(t, 3, func(o *Options) { o.Brand = brand })
	for _, target := range []string{"/openapi.json", "/openapi.yaml", "/docs", "/docs/errors"} {
		status, b := x.get(target)
		own := strings.NewReplacer("census.example", "", "mcpcensus",
			"").Replace(strings.ToLower(string(b))) // the operator's address and namespace
		if status != 200 || strings.Contains(own, "census") {
			t.Errorf("%s: %d, or it names Census", target, status)
		}
	}
	_, b := x.get("/docs")
	for _, want := range []string{"<h1>Größe: &#34;A&#34; &amp; &lt;B&gt; API",
		"<p>Größe: &quot;A&quot; &amp; &lt;B&gt; lists servers"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("/docs does not have %s", want)
		}
	}
	_, b = x.get("/openapi.json")
	var doc struct{ Info map[string]any }
	if err := json.Unmarshal(b, &doc); err != nil || doc.Info["title"] != brand.Name() ||
		doc.Info["contact"].(map[string]any)["name"] != brand.Name() {
		t.Errorf("%v, %v", doc.Info, err)
	}
	if loaded, err := openapi3.NewLoader().LoadFromData(b); err != nil ||
		loaded.Validate(t.Context(), openapi3.DisableExamplesValidation()) != nil {
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

// TestDocumentedStatuses checks that the statuses that any endpoint may return are described
// once, in the introduction, and that each error code is described.
func TestDocumentedStatuses(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(openapiYAML)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"405", "408", "413", "414", "417", "431"} {
		if !strings.Contains(doc.Info.Description, "\n- "+status) {
			t.Errorf("the introduction does not describe %s", status)
		}
		for path, at := range doc.Paths.Map() {
			for method, o := range at.Operations() {
				if o.Responses.Value(status) != nil {
					t.Errorf("%s %s describes %s, as the introduction does", method, path, status)
				}
			}
		}
	}
	text := string(openapiYAML)
	for _, e := range errorTexts {
		if !strings.Contains(text, "`"+e.Code+"`") && !slices.Contains(codesForStripe, e.Code) {
			t.Errorf("no response of the document names %s", e.Code)
		}
	}
}

// codesForStripe are the codes of errors that only Stripe gets, whose events are not described.
var codesForStripe = []string{"invalid_signature", "unknown_price"}

// TestDocumentedNames checks that names are such that generators make distinct names of
// types and methods of them.
func TestDocumentedNames(t *testing.T) {
	var doc struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components map[string]map[string]any
	}
	if err := json.Unmarshal(specJSON(t), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc.Components, "examples") // no types
	delete(doc.Components, "headers")
	seen := map[string]string{}
	add := func(name, place string) {
		key := strings.ToLower(name)
		if seen[key] != "" {
			t.Errorf("%s is also %s", place, seen[key])
		}
		seen[key] = place
	}
	for kind, all := range doc.Components {
		for name := range all {
			add(name, kind+"/"+name)
		}
	}
	form := regexp.MustCompile("^[a-z]+([A-Z][A-Za-z]+)+$")
	for path, operations := range doc.Paths {
		for method, o := range operations {
			add(o.OperationID, method+" "+path+" "+o.OperationID)
			if !form.MatchString(o.OperationID) {
				t.Errorf("%s %s is called %q: a verb and a noun are expected", method, path, o.OperationID)
			}
		}
	}
}

// Every response says what is left, so every response of the document does.
func TestDocumentedHeaders(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(openapiYAML)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, op := range item.Operations() {
			for status, res := range op.Responses.Map() {
				answers++
				want := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}
				if status == "401" {
					want = append(want, "WWW-Authenticate") // and of nobody's plan
				} else {
					want = append(want, "X-RateLimit-Plan")
				}
				switch status {
				case "429", "503":
					want = append(want, "Retry-After")
				case "304":
					want = append(want, "ETag")
				}
				for _, name := range want {
					if res.Value.Headers[name] == nil {
						t.Errorf("%s %s: %s has no %s", method, path, status, name)
					}
				}
			}
		}
	}
	if answers < 250 {
		t.Errorf("%d responses were checked", answers)
	}
}

// What the user's description says of versions.
func TestDocumentIsOfVersion1(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(openapiYAML)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Info.Version != "1.0.0" {
		t.Errorf("version %s, want 1.0.0", doc.Info.Version)
	}
	for path := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/api/v") {
			t.Errorf("%s: paths of interface B have no version", path)
		}
	}
}

// Generators make one type of an enumeration only if it has a name and null stands beside
// it, and a text of a parameter only if it has a schema.
func TestDocumentForGenerators(t *testing.T) {
	var doc struct {
		Paths      map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(specJSON(t), &doc); err != nil {
		t.Fatal(err)
	}
	for name, v := range doc.Components.Schemas {
		if types, ok := v.(map[string]any)["type"].([]any); ok && slices.Contains(types, any("null")) &&
			(v.(map[string]any)["enum"] != nil || slices.Contains(types, any("object"))) {
			t.Errorf("%s allows null itself: let its users do so with anyOf", name)
		}
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch x := v.(type) {
		case map[string]any:
			if list, ok := x["enum"].([]any); ok && slices.Contains(list, nil) {
				t.Errorf("%s: null is one of the values of an enumeration", at)
			}
			for k, v := range x {
				walk(at+"/"+k, v)
			}
		case []any:
			for i, v := range x {
				walk(at+"/"+strconv.Itoa(i), v)
			}
		}
	}
	walk("paths", doc.Paths)
	walk("schemas", doc.Components.Schemas)
	var filters map[string]any
	search := doc.Paths["/v1/search"].(map[string]any)["get"].(map[string]any)
	for _, p := range search["parameters"].([]any) {
		if p := p.(map[string]any); p["name"] == "filters" {
			filters, _ = p["schema"].(map[string]any)
		}
	}
	if filters["type"] != "string" || filters["contentMediaType"] != "application/json" {
		t.Errorf("filters of /v1/search: %v", filters)
	}
}

// TestParametersOfOtherEndpoints checks that an endpoint without parameters refuses those of all
// others, whose effect a program may expect.
func TestParametersOfOtherEndpoints(t *testing.T) {
	x := start(t, 0)
	for path, item := range x.doc.Paths.Map() {
		if item.Get == nil || !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for _, p := range item.Get.Parameters {
			if p.Value.In != openapi3.ParameterInQuery {
				continue
			}
			if status, b := x.get("/api/categories?" + p.Value.Name + "=1"); status != 400 ||
				!bytes.Contains(b, []byte(p.Value.Name+" is not a parameter of this endpoint")) {
				t.Errorf("/api/categories with %s of %s: %d %s", p.Value.Name, path, status, b)
			}
		}
	}
}

func specJSON(t *testing.T) []byte {
	status, b := start(t, 0).get("/openapi.json")
	if status != 200 {
		t.Fatalf("/openapi.json: %d", status)
	}
	return b
}

// docs/api.md names every code of an error that programs get.
func TestDocumentedErrorCodes(t *testing.T) {
	guide, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| status | code |")
	if !found {
		t.Fatal("the guide has no table of codes")
	}
	for _, e := range errorTexts {
		line := ""
		for l := range strings.Lines(table) {
			if strings.Contains(l, "`"+e.Code+"`") {
				line = l
			}
		}
		if status, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); !strings.Contains(status, e.Status) {
			t.Errorf("%s %s is not in the guide's line of its status: %q", e.Status, e.Code, line)
		}
	}
}

// keyring gives each plan the key of its name.
type keyring struct{}

func (keyring) Find(_ time.Time, key string) (account.Access, error) {
	for n, p := range account.Plans {
		if p.ID == key {
			return account.Access{Account: int64(n + 1), Key: int64(n + 11), Plan: p}, nil
		}
	}
	return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized,
		Code: "invalid_api_key", Msg: "There is no such key."}
}

// limits are the headers about limits that a response has.
func limits(h http.Header) (names []string) {
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Plan"} {
		if h.Get(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

func TestDocumentedResponsesToKeys(t *testing.T) {
	misplaced := []string{"X-Api-Key", "mcp_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"}
	bearer := func(key string) []string { return []string{"Authorization", "Bearer " + key} }
	for path, target := range map[string]string{
		"/api/discover": "/api/discover", "/api/servers": "/api/servers", "/api/categories": "/api/categories",
		"/api/health": "/api/health?server=octo-weather-mcp", "/api/checks/{id}": "/api/checks/ck_anything",
	} {
		x := start(t, 0, func(o *Options) { o.Keys, o.Limiter = keyring{}, clientLimit{alone(t, o.Now), 3} })
		for _, c := range []struct {
			header []string
			status int
			limits int
		}{
			{bearer("basic"), 200, 4},
			{bearer("professional"), 200, 4},
			{bearer("enterprise"), 200, 1},
			{bearer("nobody"), 401, 3},
			{[]string{"Authorization", "Basic nobody"}, 401, 3},
			{misplaced, 401, 3},
			{bearer("nobody"), 429, 3}, // guessing counts for the client
			{nil, 429, 3},
			{bearer("basic"), 200, 4},
		} {
			res := x.do("GET", target, c.header...)
			names := limits(res.Header)
			if res.StatusCode != c.status || len(names) != c.limits {
				t.Errorf("%s with %q: %d and %v, want %d and %d", target, c.header, res.StatusCode, names, c.status, c.limits)
			}
			doc := x.doc.Paths.Find(path).Get.Responses.Status(c.status)
			if doc == nil {
				t.Errorf("%s has no %d in the document", path, c.status)
				continue
			}
			for _, name := range names {
				if doc.Value.Headers[name] == nil {
					t.Errorf("%s: %d has no %s in the document", path, c.status, name)
				}
			}
		}
	}
}

func TestDocumentedSecurity(t *testing.T) {
	x := start(t, 0)
	for path, item := range x.doc.Paths.Map() {
		api, v1 := strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/v1/")
		if !api && !v1 {
			continue
		}
		for method, op := range item.Operations() {
			keyed, open := false, false
			if op.Security != nil {
				for _, s := range *op.Security {
					_, key := s["apiKey"]
					keyed, open = keyed || key, open || len(s) == 0
				}
			}
			if !keyed || open != api {
				t.Errorf("%s %s: with a key %v, without %v", method, path, keyed, open)
			}
			for _, status := range []int{200, 201, 202, 429} {
				if res := op.Responses.Status(status); res != nil && res.Value.Headers["X-RateLimit-Plan"] == nil {
					t.Errorf("%s %s: %d has no X-RateLimit-Plan", method, path, status)
				}
			}
			if op.Responses.Status(401) == nil {
				t.Errorf("%s %s has no 401", method, path)
			}
		}
	}
}

// What the registry's users were told of interface B, said here once more in
// figures, so that a changed constant does not go unseen.

func TestDocumentedLimitsOfPages(t *testing.T) {
	x := start(t, 150)
	for _, target := range []string{"/api/discover", "/api/servers", "/api/discover?search=mcp",
		"/api/discover?format=mcp"} {
		and := "?"
		if strings.Contains(target, "?") {
			and = "&"
		}
		read := func(more string) (entries, limit, offset int) {
			var p struct {
				Servers, Tools []json.RawMessage
				Pagination     struct{ Limit, Offset int }
			}
			status, b := x.get(target + more)
			if err := json.Unmarshal(b, &p); err != nil || status != 200 {
				t.Fatalf("%s: %d %s", target+more, status, b)
			}
			return len(p.Servers) + len(p.Tools), p.Pagination.Limit, p.Pagination.Offset
		}
		if n, limit, offset := read(""); n != 20 || limit != 20 || offset != 0 {
			t.Errorf("%s: %d entries, limit %d, offset %d; want 20, 20, 0", target, n, limit, offset)
		}
		if n, limit, _ := read(and + "limit=100"); n != 100 || limit != 100 {
			t.Errorf("%s: %d entries of at most 100", target, n)
		}
		for _, wrong := range []string{"limit=0", "limit=101", "offset=-1"} {
			if status, b := x.get(target + and + wrong); status != 400 {
				t.Errorf("%s with %s: %d %s", target, wrong, status, b)
			}
		}
	}
	for score, want := range map[string]int{"0": 200, "100": 200, "-1": 400, "101": 400} {
		if status, _ := x.get("/api/discover?minScore=" + score); status != want {
			t.Errorf("minScore=%s: %d, want %d", score, status, want)
		}
	}
}

// That the routes of other packages are in the document too, and that what is
// in the document is a route, is tested where all are joined: in cmd/census.
func TestDocumentedRoutes(t *testing.T) {
	x := start(t, 0)
	if err := x.doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	for _, r := range x.handler.(*gin.Engine).Routes() {
		path := strings.NewReplacer(":id", "{id}", ":file", "{file}").Replace(r.Path)
		if r.Method == "HEAD" || !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/dumps") {
			continue
		}
		if item := x.doc.Paths.Find(path); item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not in the document", r.Method, path)
		}
	}
	for path, item := range x.doc.Paths.Map() {
		if strings.HasPrefix(path, "/api/") {
			for _, code := range []string{"400", "429", "500", "503"} {
				if item.Get.Responses.Value(code) == nil {
					t.Errorf("%s has no %s in the document", path, code)
				}
			}
		}
	}
}
