package v1

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// told is what an error says: status, code, and the fields at fault.
func (x *tester) told(res *http.Response) string {
	x.t.Helper()
	status, body := x.read(res)
	var p httpd.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		x.t.Fatalf("%v: %.500s", err, body)
	}
	if res.Header.Get("Content-Type") != "application/problem+json" || p.Error == "" || p.RequestID == "" || p.Status != status ||
		res.Header.Get("X-Request-Id") != p.RequestID || res.Header.Get("Cache-Control") != "no-store" {
		x.t.Errorf("not a whole problem: %s %v", body, res.Header)
	}
	for _, leak := range []string{"goroutine", ".go:", "unexpected EOF", "10.0.0.7", "panic", "SELECT"} {
		if strings.Contains(string(body), leak) {
			x.t.Errorf("leaks %q: %s", leak, body)
		}
	}
	var names []string
	for _, f := range p.Errors {
		names = append(names, f.Field)
	}
	return strings.TrimSpace(fmt.Sprint(status, " ", p.Code, " ", strings.Join(names, ",")))
}

func TestInvalidParameters(t *testing.T) {
	x := start(t, 30)
	long := strings.Repeat("x", 300)
	many := strings.Repeat(`"a",`, 100) + `"a"`
	filters := func(s string) string { return "/v1/search?filters=" + url.QueryEscape(s) }
	for target, want := range map[string]string{
		"/v1/servers?limit=0":                                            "400 invalid_parameter limit",
		"/v1/servers?limit=101":                                          "400 invalid_parameter limit",
		"/v1/servers?limit=1e1":                                          "400 invalid_parameter limit",
		"/v1/servers?limit=":                                             "400 invalid_parameter limit",
		"/v1/servers?limit=99999999999999999999":                         "400 invalid_parameter limit",
		"/v1/servers?limit=%2B5":                                         "400 invalid_parameter limit",
		"/v1/servers?limit=%205":                                         "400 invalid_parameter limit",
		"/v1/servers?limit=-0":                                           "400 invalid_parameter limit",
		"/v1/servers?limit=20.0":                                         "400 invalid_parameter limit",
		"/v1/servers?page=%2B1":                                          "400 invalid_parameter page",
		"/v1/servers?page=99999999999999999999":                          "400 invalid_parameter page",
		"/v1/servers?page=0":                                             "400 invalid_parameter page",
		"/v1/servers?page=-1":                                            "400 invalid_parameter page",
		"/v1/servers?page=1.5":                                           "400 invalid_parameter page",
		"/v1/servers?page=two":                                           "400 invalid_parameter page",
		"/v1/servers?page=1000000001":                                    "400 invalid_parameter page",
		"/v1/servers?page=1&page=2":                                      "400 invalid_parameter page",
		"/v1/servers?category=nope":                                      "400 invalid_parameter category",
		"/v1/servers?sdk=cobol":                                          "400 invalid_parameter sdk",
		"/v1/servers?search=" + long:                                     "400 invalid_parameter search",
		"/v1/servers?search=a%00b":                                       "400 invalid_parameter search",
		"/v1/servers?search=%ff":                                         "400 invalid_parameter search",
		"/v1/servers?sort=stars":                                         "400 invalid_parameter sort",
		"/v1/servers?Limit=5":                                            "400 invalid_parameter Limit",
		"/v1/servers?offset=5":                                           "400 invalid_parameter offset",
		"/v1/servers?serach=x":                                           "400 invalid_parameter serach",
		"/v1/servers?limit=0&page=0&sdk=x&category=y":                    "400 invalid_parameter category,limit,page,sdk",
		"/v1/servers?sarch=1&limit=x":                                    "400 invalid_parameter limit,sarch",
		"/v1/servers?page=%zz":                                           "400 invalid_parameter",
		"/v1/servers?a;b":                                                "400 invalid_parameter",
		"/v1/servers?cursor=nonsense":                                    "400 invalid_cursor cursor",
		"/v1/servers?cursor=nonsense&page=2":                             "400 invalid_parameter cursor,page",
		"/v1/servers?search=mcp&page=501":                                "400 invalid_parameter page",
		"/v1/servers?search=mcp&page=101&limit=100":                      "400 invalid_parameter page",
		"/v1/servers/nobody-at-all":                                      "404 server_not_found",
		"/v1/servers/" + strings.Repeat("x", 3000):                       "404 server_not_found",
		"/v1/servers/..%2F..%2Fetc":                                      "404 server_not_found",
		"/v1/servers/%00":                                                "404 server_not_found",
		"/v1/servers/https:%2F%2Fgithub.com%2Focto%2Fweather-mcp":        "404 server_not_found",
		"/v1/servers/octo-old":                                           "410 server_deleted",
		"/v1/servers/octo-old/analytics":                                 "410 server_deleted",
		"/v1/servers/nobody-at-all/analytics":                            "404 server_not_found",
		"/v1/servers/octo-weather-mcp?fields=id":                         "400 invalid_parameter fields",
		"/v1/servers/octo-weather-mcp/analytics?period=2d":               "400 invalid_parameter period",
		"/v1/servers/octo-weather-mcp/analytics?interval=hour&period=1y": "400 invalid_parameter interval",
		"/v1/servers/octo-weather-mcp/analytics?from=2026-01-01":         "400 invalid_parameter from",
		"/v1/search?q=" + long:                                           "400 invalid_parameter q",
		"/v1/search?search=x":                                            "400 invalid_parameter search",
		"/v1/search?sort=size":                                           "400 invalid_parameter sort",
		"/v1/search?sort=stars:up":                                       "400 invalid_parameter sort",
		"/v1/search?sort=-stars:desc":                                    "400 invalid_parameter sort",
		"/v1/search?sort=stars,stars":                                    "400 invalid_parameter sort",
		"/v1/search?sort=relevance":                                      "400 invalid_parameter sort",
		"/v1/search?facets=yes":                                          "400 invalid_parameter facets",
		"/v1/search?sort=size&limit=0&facets=no":                         "400 invalid_parameter facets,limit,sort",
		"/v1/search?q=mcp&page=501":                                      "400 invalid_parameter page",
		filters(`[]`):                                                    "400 invalid_parameter filters",
		filters(`{`):                                                     "400 invalid_parameter filters",
		filters(`{} {}`):                                                 "400 invalid_parameter filters",
		filters(`{"size":1}`):                                            "400 invalid_parameter filters.size",
		filters(`{"stars":"many"}`):                                      "400 invalid_parameter filters.stars",
		filters(`{"stars":{"above":1}}`):                                 "400 invalid_parameter filters.stars.above",
		filters(`{"stars":null,"sdk":"cobol"}`):                          "400 invalid_parameter filters.sdk,filters.stars",
		filters(`{"minScore":101}`):                                      "400 invalid_parameter filters.minScore",
		filters(`{"tags":[` + many + `]}`):                               "400 invalid_parameter filters.tags",
		filters(`{"tags":"a\u0000b"}`):                                   "400 invalid_parameter filters.tags",
		filters(strings.Repeat(`{"a":`, 500)):                            "400 invalid_parameter filters",
		filters(`{"sdk":"go","sdk":"rust"}`):                             "400 invalid_parameter filters.sdk",
		"/v1/search?x=" + strings.Repeat("y", 9000):                      "414 uri_too_long",
		"/v1/search?facets=":                                             "400 invalid_parameter facets",
		"/v1/usage?from=yesterday":                                       "400 invalid_parameter from",
		"/v1/usage?from=2026-02-30&to=x":                                 "400 invalid_parameter from,to",
		"/v1/usage?from=2026-02-02&to=2026-02-01":                        "400 invalid_parameter from",
		"/v1/usage?from=2024-01-01&to=2026-02-01":                        "400 invalid_parameter from",
		"/v1/account?limit=1":                                            "400 invalid_parameter limit",
		"/v1/plans?page=1":                                               "400 invalid_parameter page",
		"/v1/custom?limit=1":                                             "400 invalid_parameter limit",
		"/v1/custom/UPPER":                                               "400 invalid_parameter name",
		"/v1/custom/" + strings.Repeat("x", 61):                          "400 invalid_parameter name",
		"/v1/custom/nothing":                                             "404 not_found",
		"/v1/custom/nothing/definition":                                  "404 not_found",
		"/v1/nothing":                                                    "404 not_found",
		"/v1":                                                            "404 not_found",
		"/v1/servers/":                                                   "404 not_found",
		"/v1/servers/octo-weather-mcp/":                                  "404 not_found",
		"/v1/servers/bulk":                                               "405 method_not_allowed",
	} {
		if got := x.told(x.do("enterprise", "GET", target, "")); got != want {
			t.Errorf("%.120s: got %q, want %q", target, got, want)
		}
	}
	for _, target := range []string{"/v1/servers?utm_source=x&_=1", "/v1/plans?x=1", "/v1/search?q=weather&hl=en"} {
		if res := x.do("enterprise", "GET", target, ""); res.StatusCode != 200 {
			t.Errorf("%s: status %d, want 200: unknown parameters are ignored", target, res.StatusCode)
		}
	}
	_, b := x.get("/v1/servers/octo-wether-mcp")
	if !bytes.Contains(b, []byte(`"candidates":["octo-weather-mcp"`)) {
		t.Errorf("no candidates: %s", b)
	}
	_, b = x.get("/v1/servers?category=nope&sdk=cobol")
	for _, c := range append(slices.Clone(registry.Categories), registry.SDKs...) {
		if !strings.Contains(string(b), c) {
			t.Errorf("the message does not list %s: %s", c, b)
		}
	}
}

func TestInvalidBodies(t *testing.T) {
	x := start(t, 30)
	hundred := `"` + strings.Repeat(`x","`, 99) + `x"`
	for _, c := range []struct{ target, body, want string }{
		{"/v1/search", ``, "415 unsupported_media_type"},
		{"/v1/search", `{`, "400 invalid_body body"},
		{"/v1/search", `{}}`, "400 invalid_body body"},
		{"/v1/search", `[]`, "400 invalid_body body"},
		{"/v1/search", `"q"`, "400 invalid_body body"},
		{"/v1/search", `{"q":}`, "400 invalid_body body"},
		{"/v1/search", "{\"q\":\"\xff\"}", "400 invalid_body body"},
		{"/v1/search", `{"q":` + strings.Repeat(`[`, 40_000) + `}`, "400 invalid_body body"},
		{"/v1/search", `{"filters":` + strings.Repeat(`{"a":`, 4000) + `1` + strings.Repeat(`}`, 4000) + `}`, "400 invalid_parameter filters"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 20_000) + `"}}`, "400 invalid_parameter filters"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 500_000) + `"}}`, "413 payload_too_large"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 1<<20) + `"}}`, "413 payload_too_large"},
		{"/v1/search", `{"search":"x","filter":{}}`, "400 invalid_parameter filter,search"},
		{"/v1/search", `{"q":"x","q":"y"}`, "400 invalid_parameter q"},
		{"/v1/search", `{"q":1,"sort":[],"page":"1","limit":1.5,"facets":"true","cursor":{}}`, "400 invalid_parameter cursor,facets,limit,page,q,sort"},
		{"/v1/search", `{"q":"a\u0000b"}`, "400 invalid_parameter q"},
		{"/v1/search", `{"limit":1e2}`, "400 invalid_parameter limit"},
		{"/v1/search", `{"filters":"{}"}`, "400 invalid_parameter filters"},
		{"/v1/search", `{"filters":{"stars":{"gte":"1"}}}`, "400 invalid_parameter filters.stars.gte"},
		{"/v1/search", `{"filters":{"stars":1e999}}`, "400 invalid_parameter filters.stars"},
		{"/v1/search", `{"q":"mcp","page":501}`, "400 invalid_parameter page"},
		{"/v1/search", `{"cursor":"abc"}`, "400 invalid_cursor cursor"},
		{"/v1/search", `{"cursor":"abc","page":2}`, "400 invalid_parameter cursor,page"},
		{"/v1/search?q=x", `{}`, "400 invalid_parameter q"},
		{"/v1/servers/bulk", `{}`, "400 missing_parameter ids"},
		{"/v1/servers/bulk", `{"ids":[]}`, "400 missing_parameter ids"},
		{"/v1/servers/bulk", `{"ids":null,"names":null}`, "400 missing_parameter ids"},
		{"/v1/servers/bulk", `{"ids":[` + hundred + `,"x"]}`, "400 invalid_parameter ids"},
		{"/v1/servers/bulk", `{"ids":[` + hundred + `],"names":["a/b"]}`, "400 invalid_parameter ids"},
		{"/v1/servers/bulk", `{"names":[` + hundred + `],"ids":["a"]}`, "400 invalid_parameter names"},
		{"/v1/servers/bulk", `{"ids":"a"}`, "400 invalid_parameter ids"},
		{"/v1/servers/bulk", `{"ids":[1,"a",null]}`, "400 invalid_parameter ids[0],ids[2]"},
		{"/v1/servers/bulk", `{"ids":["https://github.com/o/r","github.com/o/r","o/r"," "]}`, "400 invalid_parameter ids[0],ids[1],ids[2],ids[3]"},
		{"/v1/servers/bulk", `{"githubUrls":["https://gitlab.com/o/r","nonsense nonsense","https://gist.github.com/o/1"]}`, "400 invalid_parameter githubUrls[0],githubUrls[1],githubUrls[2]"},
		{"/v1/servers/bulk", `{"names":["octo-weather-mcp"]}`, "400 invalid_parameter names[0]"},
		{"/v1/servers/bulk", `{"ids":["a"],"fields":["id","size"]}`, "400 invalid_parameter fields[1]"},
		{"/v1/servers/bulk", `{"ids":["a"],"fields":[]}`, "400 invalid_parameter fields"},
		{"/v1/servers/bulk", `{"ids":["a\u0000"]}`, "400 invalid_parameter ids[0]"},
		{"/v1/servers/bulk", `{"ids":["` + strings.Repeat("x", 600) + `"]}`, "400 invalid_parameter ids[0]"},
		{"/v1/servers/bulk?ids=a", `{"ids":["a"]}`, "400 invalid_parameter ids"},
		{"/v1/servers/bulk", `{"slugs":["a"]}`, "400 invalid_parameter slugs"},
	} {
		if got := x.told(x.do("enterprise", "POST", c.target, c.body)); got != c.want {
			t.Errorf("%s %.80s: got %q, want %q", c.target, c.body, got, c.want)
		}
	}
	for target, most := range map[string]string{"/v1/search": "98304", "/v1/servers/bulk": "131072"} { // however large
		for _, size := range []int{200_000, 2 << 20} {
			if _, b := x.read(x.do("enterprise", "POST", target, strings.Repeat(" ", size))); !strings.Contains(string(b), "The body is larger than "+most+" bytes.") {
				t.Errorf("%s of %d bytes: %s", target, size, b)
			}
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "json", ""} {
		if got := x.told(x.do("enterprise", "POST", "/v1/search", `{}`, "Content-Type", kind)); got != "415 unsupported_media_type" {
			t.Errorf("Content-Type %q: %s", kind, got)
		}
	}
	if got := x.told(x.do("enterprise", "POST", "/v1/search", `{}`, "Content-Encoding", "gzip")); got != "415 unsupported_media_type" {
		t.Errorf("a compressed body: %s", got)
	}
	if res := x.do("enterprise", "POST", "/v1/search", `{"q":null}`, "Content-Type", "Application/JSON; charset=UTF-8"); res.StatusCode != 200 {
		t.Errorf("JSON in UTF-8: %d", res.StatusCode)
	}
	r := httptest.NewRequest("POST", "https://census.example/v1/search", iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(`{"q":"x"}`))))
	r.Header.Set("Authorization", "Bearer basic")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "invalid_body") {
		t.Errorf("a body that breaks off: %d %s", w.Code, w.Body)
	}
}

func TestInvalidMembers(t *testing.T) {
	x := start(t, 10)
	for request, want := range map[string]string{
		`POST /v1/search {"q":"x","page":0,"limit":0,"sort":"z","filters":{"a":1},"facets":3,"b":1}`: "b facets filters.a limit page sort",
		`POST /v1/search {"cursor":"zz","limit":0}`:                                                  "cursor limit",
		`GET /v1/search?cursor=zz&limit=0`:                                                           "cursor limit",
		`GET /v1/servers?cursor=zz&limit=0&category=x`:                                               "category cursor limit",
		`POST /v1/servers/bulk {"ids":[1],"foo":1,"fields":["nope"]}`:                                "fields[0] foo ids[0]",
		`POST /v1/servers/bulk {"ids":["a"],"fields":["nope"],"githubUrls":["garbage"]}`:             "fields[0] githubUrls[0]",
		`PUT /v1/custom/mine/definition {"sort":"z","limit":0,"more":1}`:                             "limit more sort",
	} {
		method, rest, _ := strings.Cut(request, " ")
		target, body, _ := strings.Cut(rest, " ")
		r := httptest.NewRequest(method, "https://census.example"+target, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer enterprise")
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		x.handler.ServeHTTP(w, r)
		var p struct{ Errors []struct{ Field string } }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 400 {
			t.Errorf("%s: %d %v", request, w.Code, err)
		}
		var got []string
		for _, e := range p.Errors {
			got = append(got, e.Field)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: names %v, want %s", request, got, want)
		}
	}
}

func TestKeysRequired(t *testing.T) {
	x := start(t, 3)
	for _, target := range []string{"/v1/servers", "/v1/servers/octo-weather-mcp", "/v1/search", "/v1/account", "/v1/custom/x", "/v1/nothing", "/v1", "/v1/", "/v1%2Fservers", "/v1/servers?limit=0"} {
		res := x.do("", "GET", target, "")
		if got := x.told(res); got != "401 missing_api_key" || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s without a key: %s %v", target, got, res.Header)
		}
		if got := x.told(x.do("mcp_unknown", "GET", target, "")); got != "401 invalid_api_key" {
			t.Errorf("%s with an unknown key: %s", target, got)
		}
		if res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be read by pages", target)
		}
	}
	if res := x.do("", "GET", "/v1x", ""); res.StatusCode != 404 {
		t.Errorf("/v1x, which is not below /v1: %d", res.StatusCode)
	}
}

func TestRequiredPlans(t *testing.T) {
	x := start(t, 3, func(o *Options) { o.Figures = figures{} })
	for _, c := range []struct {
		method, target, body string
		plans                []string // that may
	}{
		{"GET", "/v1/servers", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/servers/octo-weather-mcp", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/search?q=weather", "", []string{"basic", "professional", "enterprise"}},
		{"POST", "/v1/search", `{}`, []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/account", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/plans", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/servers/octo-weather-mcp/analytics", "", []string{"professional", "enterprise"}},
		{"POST", "/v1/servers/bulk", `{"ids":["octo-weather-mcp"]}`, []string{"professional", "enterprise"}},
		{"PUT", "/v1/custom/mine/definition", `{}`, []string{"enterprise"}},
		{"GET", "/v1/custom", "", []string{"enterprise"}},
		{"GET", "/v1/custom/mine/definition", "", []string{"enterprise"}},
		{"GET", "/v1/custom/mine", "", []string{"enterprise"}},
		{"DELETE", "/v1/custom/mine/definition", "", []string{"enterprise"}},
	} {
		for _, p := range account.Plans {
			res := x.do(p.ID, c.method, c.target, c.body)
			if slices.Contains(c.plans, p.ID) {
				if res.StatusCode >= 400 {
					t.Errorf("%s %s with %s: %d", c.method, c.target, p.ID, res.StatusCode)
				}
				continue
			}
			var q httpd.Problem
			_, b := x.read(res)
			if err := json.Unmarshal(b, &q); err != nil || q.Code != "plan_upgrade_required" || q.Status != 403 || !slices.Equal(q.RequiredPlans, c.plans) {
				t.Errorf("%s %s with %s: %s", c.method, c.target, p.ID, b)
			}
		}
	}
	// What is wrong besides is of no interest to who may not.
	if got := x.told(x.do("basic", "POST", "/v1/servers/bulk", `{`)); got != "403 plan_upgrade_required" {
		t.Error(got)
	}
}

func TestMethods(t *testing.T) {
	x := start(t, 3)
	for target, allow := range map[string]string{
		"/v1/servers": "GET, HEAD", "/v1/servers/octo-weather-mcp/analytics": "GET, HEAD", "/v1/search": "GET, HEAD, POST", "/v1/account": "GET, HEAD",
		"/v1/custom/x/definition": "GET, HEAD, PUT, DELETE",
	} {
		res := x.do("enterprise", "PATCH", target, "")
		var have []string
		for m := range strings.SplitSeq(res.Header.Get("Allow"), ", ") {
			have = append(have, m)
		}
		for m := range strings.SplitSeq(allow, ", ") {
			if !slices.Contains(have, m) {
				t.Errorf("PATCH %s: Allow is %q, without %s", target, have, m)
			}
		}
		if got := x.told(res); got != "405 method_not_allowed" {
			t.Errorf("PATCH %s: %s", target, got)
		}
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} { // not a server
		res := x.do("enterprise", method, "/v1/servers/bulk", "")
		want := 405
		if method == "OPTIONS" {
			want = 204
		}
		if res.StatusCode != want || res.Header.Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s of bulk: %d, Allow is %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	if got := x.told(x.do("", "POST", "/v1/servers", `{}`)); got != "401 missing_api_key" {
		t.Errorf("POST without a key: %s", got)
	}
	get, head := x.do("basic", "GET", "/v1/servers", ""), x.do("basic", "HEAD", "/v1/servers", "")
	for _, h := range []string{"Etag", "Content-Length", "Content-Type", "X-Total-Count", "Link", "Cache-Control", "Vary"} {
		if get.Header.Get(h) != head.Header.Get(h) || head.StatusCode != 200 {
			t.Errorf("HEAD: %s is %q, of GET %q", h, head.Header.Get(h), get.Header.Get(h))
		}
	}
	if _, b := x.read(head); len(b) > 0 {
		t.Errorf("HEAD has a body: %s", b)
	}
}

func TestCaching(t *testing.T) {
	x := start(t, 60, func(o *Options) { o.Figures = figures{} })
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{"filters":{"stars":{"gte":1}},"limit":30}`)
	for _, target := range []string{
		"/v1/servers", "/v1/servers?page=2", "/v1/servers?search=mcp", "/v1/servers/octo-weather-mcp", "/v1/search", "/v1/search?q=mcp", "/v1/account", "/v1/plans",
		"/v1/servers/octo-weather-mcp/analytics", "/v1/custom", "/v1/custom/mine", "/v1/custom/mine/definition",
	} {
		res := x.do("enterprise", "GET", target, "")
		tag := res.Header.Get("ETag")
		if res.StatusCode != 200 || tag == "" || res.Header.Get("Cache-Control") != "private, no-cache" || res.Header.Get("Vary") != "Authorization, Accept-Encoding" {
			t.Errorf("%s: %d %v", target, res.StatusCode, res.Header)
		}
		_, plain := x.read(res)
		again := x.do("enterprise", "GET", target, "", "If-None-Match", tag)
		if _, b := x.read(again); again.StatusCode != 304 || len(b) > 0 || again.Header.Get("ETag") != tag {
			t.Errorf("%s: unchanged, and answered %d %v", target, again.StatusCode, again.Header)
		}
		for range 3 { // made quickly, kept, and from what is kept
			zipped := x.do("enterprise", "GET", target, "", "Accept-Encoding", "gzip")
			if len(plain) < 1500 {
				continue
			}
			z, err := gzip.NewReader(zipped.Body)
			if err != nil || zipped.Header.Get("Content-Encoding") != "gzip" {
				t.Fatalf("%s: %v %v", target, err, zipped.Header)
			}
			unzipped, err := io.ReadAll(z)
			if err != nil || !bytes.Equal(timeless(unzipped), timeless(plain)) {
				t.Errorf("%s: compressed it differs: %v", target, err)
			}
		}
		if !json.Valid(plain) {
			t.Errorf("%s: not JSON: %s", target, plain)
		}
	}
	before := x.do("enterprise", "GET", "/v1/servers", "").Header.Get("ETag")
	s := weather()
	s.Seq, s.Description = 900200, "Changed"
	if err := x.catalog.Apply([]registry.Server{s}, nil, 900200); err != nil {
		t.Fatal(err)
	}
	if res := x.do("enterprise", "GET", "/v1/servers", "", "If-None-Match", before); res.StatusCode != 200 {
		t.Errorf("after a change: %d", res.StatusCode)
	}
	if res := x.do("enterprise", "POST", "/v1/search", `{}`, "If-None-Match", "*"); res.StatusCode != 200 || res.Header.Get("ETag") == "" {
		t.Errorf("POST: %d %v", res.StatusCode, res.Header)
	}
}

func TestServerTag(t *testing.T) {
	x := start(t, 0)
	const target = "/v1/servers/octo-weather-mcp"
	tags := map[string]bool{}
	for _, identity := range []string{"", "one database v1", "one database v2", "another v2"} {
		c := catalog.New()
		if identity != "" {
			c.Identify(identity)
		}
		if err := c.Apply([]registry.Server{weather()}, nil, 900100); err != nil {
			t.Fatal(err)
		}
		c.SetReady()
		x.serve(c)
		for tag := range tags {
			if res := x.do("enterprise", "GET", target, "", "If-None-Match", tag); res.StatusCode != 200 {
				t.Errorf("%q: %d for the tag %s of another catalog", identity, res.StatusCode, tag)
			}
		}
		tag := x.do("enterprise", "GET", target, "").Header.Get("ETag")
		if res := x.do("enterprise", "GET", target, "", "If-None-Match", tag); res.StatusCode != 304 {
			t.Errorf("%q: its own tag is answered %d", identity, res.StatusCode)
		}
		tags[tag] = true
	}
}

// timeless is a body without the time that it took.
func timeless(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte(`,"tookMs":`)); i >= 0 {
		return b[:i]
	}
	return b
}

func TestInvalidCursors(t *testing.T) {
	x := start(t, 70)
	list := *x.page("/v1/servers?limit=2&category=data").Pagination.NextCursor
	words := *x.page("/v1/servers?limit=5&search=mcp").Pagination.NextCursor
	found := *x.page("/v1/search?limit=5&q=mcp").Pagination.NextCursor
	filtered := *x.page("/v1/search?limit=5&sort=-stars&filters=" + url.QueryEscape(`{"stars":{"gte":1},"sdk":["go","ts","py"]}`)).Pagination.NextCursor
	same := url.QueryEscape(` { "sdk" : [ "go" , "ts" , "py" ] , "stars" : { "gte" : 1.0 } } `)
	for target, want := range map[string]string{
		"/v1/servers?cursor=" + list + "%0A":                                    "400 invalid_cursor cursor",
		"/v1/search?cursor=" + found[:9] + "%0D%0A" + found[9:]:                 "400 invalid_cursor cursor",
		"/v1/servers?cursor=" + list:                                            "",
		"/v1/servers?cursor=" + list + "&category=data":                         "",
		"/v1/servers?cursor=" + list + "&limit=50":                              "",
		"/v1/servers?cursor=" + words:                                           "",
		"/v1/servers?cursor=" + words + "&search=mcp":                           "",
		"/v1/search?cursor=" + found + "&q=mcp":                                 "",
		"/v1/search?cursor=" + filtered:                                         "",
		"/v1/search?cursor=" + filtered + "&filters=" + same:                    "",
		"/v1/search?cursor=" + filtered + "&sort=stars:desc":                    "",
		"/v1/search?cursor=" + filtered + "&filters=%7B%7D&q=&sort=":            "", // empty ones count as not given
		"/v1/servers?cursor=" + list + "&category=api":                          "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + list + "&sdk=go":                                "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + list + "&search=x":                              "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + words + "&search=x":                             "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + words + "&search=mcp&sdk=go":                    "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + words + "&category=data":                        "400 invalid_parameter cursor",
		"/v1/servers?cursor=" + found:                                           "400 invalid_parameter cursor",
		"/v1/search?cursor=" + words:                                            "400 invalid_parameter cursor",
		"/v1/search?cursor=" + list:                                             "400 invalid_parameter cursor",
		"/v1/search?cursor=" + found + "&q=other":                               "400 invalid_parameter cursor",
		"/v1/search?cursor=" + found + "&sort=stars":                            "400 invalid_parameter cursor",
		"/v1/search?cursor=" + filtered + "&sort=stars:asc":                     "400 invalid_parameter cursor",
		"/v1/search?cursor=" + filtered + "&filters=%7B%22sdk%22%3A%22go%22%7D": "400 invalid_parameter cursor",
		"/v1/search?cursor=" + filtered + "&page=2":                             "400 invalid_parameter page",
		"/v1/search?cursor=" + filtered[:len(filtered)-4]:                       "400 invalid_cursor cursor",
		"/v1/servers?cursor=" + list + "A":                                      "400 invalid_cursor cursor",
	} {
		res := x.do("basic", "GET", target, "")
		if want == "" {
			if res.StatusCode != 200 {
				t.Errorf("%s: %d %s", target, res.StatusCode, x.told(res))
			}
		} else if got := x.told(res); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	for n := range len(list) { // every character counts
		b := []byte(list)
		b[n] ^= 1
		if res := x.do("basic", "GET", "/v1/servers?cursor="+url.QueryEscape(string(b)), ""); res.StatusCode != 400 {
			t.Errorf("with character %d altered: %d", n, res.StatusCode)
		}
	}
	_, b := x.post("/v1/search", `{"cursor":"`+filtered+`","limit":5}`)
	if !bytes.Equal(timeless(b), timeless(second(x.get("/v1/search?limit=5&cursor="+filtered)))) {
		t.Error("a cursor gives something else in a body")
	}
}

func second(_ int, b []byte) []byte { return b }

func TestSearchLongFilters(t *testing.T) {
	x := start(t, 60)
	var values []string
	for n := range 90 {
		values = append(values, fmt.Sprintf(`"%x-%d"`, strings.Repeat("a-long-tag-that-nobody-has", 3), n))
	}
	filters := `{"tags":{"exists":true},"stars":{"gte":0},"framework":{"ne":"x"},"owner":{"ne":"y"},"language":{"ne":"z"}}`
	long := `{"stars":{"gte":0},"license":{"ne":"none"},"tags":{"ne":` + values[0] + `},"tools":{"ne":"q"},"owner":{"exists":true},"source":{"ne":"w"},"language":{"ne":` + values[1] + `}}`
	for _, f := range []string{filters, long} {
		status, b := x.post("/v1/search", `{"filters":`+f+`,"limit":7}`)
		first := x.decode("POST", status, b)
		got := ids(first.Servers)
		for p := first; p.Pagination.NextCursor != nil; {
			status, b := x.post("/v1/search", `{"limit":7,"cursor":"`+*p.Pagination.NextCursor+`"}`)
			p = x.decode("POST", status, b)
			got = append(got, ids(p.Servers)...)
		}
		if len(got) != first.Pagination.Total || len(got) < 8 {
			t.Errorf("%d of %d", len(got), first.Pagination.Total)
		}
	}
}

func TestSearch(t *testing.T) {
	x := start(t, 60)
	p := x.page("/v1/search?q=+Forecasts++alerts&limit=3")
	if p.Query == nil || *p.Query != "Forecasts alerts" || p.Sort != "relevance:desc" || p.TookMs == nil || len(p.Servers) == 0 || p.Facets["category"]["data"] == 0 {
		t.Errorf("%+v", p)
	}
	p = x.page("/v1/search?facets=false")
	if p.Query != nil || p.Sort != "qualityScore:desc" || p.Facets != nil || p.Pagination.Total != 62 {
		t.Errorf("%+v", p.Pagination)
	}
	p = x.page("/v1/search?sort=" + url.QueryEscape("name,-stars"))
	if p.Sort != "name:asc,stars:desc" {
		t.Errorf("sort is %s", p.Sort)
	}
	// The index and the catalog answer alike.
	for _, filter := range []string{
		``, `"category":"data"`, `"sdk":"py"`, `"sdk":"go","category":"api"`, `"minScore":60`, `"minScore":60,"category":"data"`, `"stars":{"gte":10},"tags":{"exists":true}`, `"license":["mit"]`,
	} {
		for _, sort := range []string{"", "stars", "downloads", "name", "updated", "created", "popularity", "qualityScore", "stars:asc", "-name,downloads:asc"} {
			target := "/v1/search?sort=" + sort + "&limit=100&filters="
			fast := x.page(target + url.QueryEscape("{"+filter+"}"))
			slow := x.page(target + url.QueryEscape(strings.TrimSuffix(`{"tools":{"ne":"nobody-has-this"},`+filter, ",")+"}"))
			if fast.Pagination.Total != slow.Pagination.Total || !slices.Equal(ids(fast.Servers), ids(slow.Servers)) || fmt.Sprint(fast.Facets) != fmt.Sprint(slow.Facets) {
				t.Errorf("%s by %q: %d servers, from the index %d", filter, sort, fast.Pagination.Total, slow.Pagination.Total)
			}
		}
	}
}

// only is an index that may be asked for words and names of tools alone.
type only struct {
	generate.Index
	t testing.TB
}

func (o only) Search(ctx context.Context, q query.Query) (query.Results, error) {
	if q.Text == "" && !slices.ContainsFunc(q.Filters, func(f query.Filter) bool { return f.Field == "tools" }) {
		o.t.Errorf("the index is asked for %+v", q)
	}
	return o.Index.Search(ctx, q)
}

func TestSearchWithoutText(t *testing.T) {
	x := start(t, 60)
	x.serve(x.catalog, func(o *Options) { o.Search = only{scan(x.catalog), t} })
	for field, value := range map[string]string{
		"category": `"data"`, "sdk": `["go","ts"]`, "language": `{"ne":"Go"}`, "framework": `{"exists":false}`, "tags": `"weather"`, "license": `"mit"`, "transport": `"stdio"`,
		"type": `"package"`, "registryType": `"npm"`, "owner": `"octo"`, "source": `{"ne":"x"}`,
		"status": `"active"`, "official": `false`, "verified": `{"ne":true}`,
		"archived": `false`, "copy": `false`,
		"grade": `["A","B"]`, "qualityScore": `{"gt":1.5}`, "minScore": `50`, "popularity": `{"lte":70}`, "stars": `{"gte":1,"lt":9000}`, "downloads": `{"exists":true}`, "toolCount": `{"gte":0}`,
		"updatedAt": `{"lt":"2027-01-01"}`, "createdAt": `{"gte":"2020-01-01"}`,
		"tools": `{"ne":"x"}`, "toolTokens": `{"lte":20000}`, "liveness": `{"ne":"down"}`,
	} {
		for _, sort := range []string{"", "&sort=stars:asc", "&sort=name,-stars"} {
			target := "/v1/search?limit=7&filters=" + url.QueryEscape(`{"`+field+`":`+value+`}`) + sort
			if p := x.page(target); p.Pagination.Total == 0 || p.Facets == nil {
				t.Errorf("%s: %+v", target, p.Pagination)
			} else if c := p.Pagination.NextCursor; c != nil {
				x.page("/v1/search?cursor=" + *c)
			}
		}
	}
	if len(query.FilterNames()) != 28 {
		t.Errorf("there are %d filters, and 28 were tried", len(query.FilterNames()))
	}
}

// degraded is an index that does not answer, with a scan in its place.
type degraded struct{ generate.Index }

func (d degraded) Search(ctx context.Context, q query.Query) (query.Results, error) {
	r, err := d.Index.Search(ctx, q)
	r.Degraded = true
	return r, err
}

func TestSearchDegraded(t *testing.T) {
	x := start(t, 40)
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{"q":"mcp"}`)
	for _, target := range []string{"/v1/search?q=mcp", "/v1/servers?search=mcp&limit=3", "/v1/custom/mine"} {
		for _, down := range []bool{false, true} {
			x.serve(x.catalog, func(o *Options) {
				if o.Customs = x.store; down {
					o.Search = degraded{scan(x.catalog)}
				}
			})
			if _, b := x.get(target); strings.Contains(string(b), `,"warnings":["The search index`) != down {
				t.Errorf("%s, the index is down %t: %s", target, down, b)
			}
			if _, b := x.get("/v1/search?sort=stars"); strings.Contains(string(b), `"warnings"`) {
				t.Errorf("what needs no index warns: %s", b)
			}
		}
	}
}

func TestKeysAreMasked(t *testing.T) {
	const key = "mcp_0123456789abcdefghijABCDEFGHIJ0123456789abc"
	x := start(t, 5)
	filter := url.QueryEscape(`{"tags":"` + key + `"}`)
	for _, c := range []struct{ method, target, body, want string }{
		{"POST", "/v1/servers/bulk", `{"ids":["` + key + `","nobody"],"names":["io.github/` + key + `"],"githubUrls":["https://github.com/o/` + key + `"]}`, "200"},
		{"POST", "/v1/servers/bulk", `{"` + key + `":1}`, "400"},
		{"POST", "/v1/servers/bulk", `{"ids":["a"],"fields":["` + key + `"]}`, "400"},
		{"GET", "/v1/search?q=" + key, "", "400 invalid_parameter q"},
		{"GET", "/v1/search?q=x+" + key + "+y", "", "400 invalid_parameter q"},
		{"GET", "/v1/search?sort=" + key, "", "400 invalid_parameter sort"},
		{"GET", "/v1/search?filters=" + filter, "", "400 invalid_parameter filters"},
		{"GET", "/v1/search?filters=" + url.QueryEscape(`{"`+key+`":1,"sdk":"`+key+`"}`), "", "400"},
		{"GET", "/v1/search?" + key + "=1", "", "400"},
		{"GET", "/v1/servers?search=" + key, "", "400 invalid_parameter search"},
		{"GET", "/v1/servers?category=" + key, "", "400 invalid_parameter category"},
		{"GET", "/v1/servers?cursor=" + key, "", "400 invalid_cursor cursor"},
		{"GET", "/v1/servers/" + key, "", "404"},
		{"GET", "/v1/custom/" + key, "", "400"},
		{"GET", "/v1/" + key, "", "404"},
		{"GET", "/v1/usage?from=" + key, "", "400 invalid_parameter from"},
		{"POST", "/v1/search", `{"q":"` + key + `"}`, "400 invalid_parameter q"},
		{"POST", "/v1/search", `{"filters":{"tags":["a","` + key + `"],"owner":{"` + key + `":1}}}`, "400"},
		{"POST", "/v1/search", `{"filters":{"tags":["a","` + key + `"]}}`, "400 invalid_parameter filters.tags"},
		{"PUT", "/v1/custom/mine/definition", `{"q":"` + key + `"}`, "400 invalid_parameter q"},
		{"PUT", "/v1/custom/mine/definition", `{"filters":{"tags":{"ne":"` + key + `"}}}`, "400 invalid_parameter filters.tags"},
	} {
		res := x.do("enterprise", c.method, c.target, c.body)
		status, body := x.read(res)
		if strings.Contains(string(body), key[:30]) || strings.Contains(fmt.Sprint(res.Header), key[:30]) {
			t.Errorf("%s %s repeats the key: %s %v", c.method, c.target, body, res.Header)
		}
		if status == 200 {
			if !strings.Contains(string(body), `"notFound":["mcp_…","nobody","https://github.com/o/mcp_…","io.github/mcp_…"]`) {
				t.Errorf("%s", body)
			}
			continue
		}
		if got := x.told(&http.Response{StatusCode: status, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body))}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

// Servers that leave the front of a listing between two pages take nothing
// with them.
func TestCursorsWhileServersAreRemoved(t *testing.T) {
	for _, query := range []string{"filters=" + url.QueryEscape(`{"stars":{"gte":0}}`), "filters=" + url.QueryEscape(`{"tools":{"ne":"x"}}`), "q=mcp&sort=-stars"} {
		x := start(t, 60)
		x.serve(x.catalog)
		p := x.page("/v1/search?limit=10&" + query)
		want := p.Pagination.Total
		var gone []registry.Change
		for n, id := range ids(p.Servers)[:9] {
			gone = append(gone, registry.Change{Seq: 900200 + int64(n), Slug: id, Deleted: true})
		}
		if err := x.catalog.Apply(nil, gone, 900300); err != nil {
			t.Fatal(err)
		}
		seen := len(p.Servers)
		for p.Pagination.NextCursor != nil {
			p = x.page("/v1/search?limit=10&cursor=" + *p.Pagination.NextCursor)
			seen += len(p.Servers)
		}
		if seen != want {
			t.Errorf("%s: %d of %d were seen", query, seen, want)
		}
	}
}

func TestLinkHeader(t *testing.T) {
	x := start(t, 90)
	for _, target := range []string{
		"/v1/search?q=mcp&facets=false&sort=-stars&limit=3", "/v1/servers?search=mcp&sdk=ts&category=tools&limit=1", "/v1/servers?sdk=go&limit=1", "/v1/search?limit=5&filters=" + url.QueryEscape(`{"stars":{"gte":9}}`),
	} { // what is asked stands in the cursor
		first := x.page(target)
		at := strings.SplitN(target, "?", 2)[0] + "?limit=1&cursor=" + *first.Pagination.NextCursor
		for l := range strings.SplitSeq(x.do("basic", "GET", at, "").Header.Get("Link"), ", ") {
			to, rel, _ := strings.Cut(l, `>; rel="`)
			p := x.page(strings.TrimPrefix(to, "<https://census.example"))
			if p.Pagination.Total != first.Pagination.Total || p.Sort != first.Sort || strings.HasPrefix(rel, "first") && ids(p.Servers)[0] != ids(first.Servers)[0] {
				t.Errorf("%s: the cursor's page has %s %s, with %d servers by %s", target, rel, to, p.Pagination.Total, p.Sort)
			}
		}
	}
	for _, target := range []string{"/v1/servers?limit=10&page=3", "/v1/search?limit=10&page=3&q=mcp&facets=false", "/v1/search?limit=10&page=3&filters=" + url.QueryEscape(`{"stars":{"gte":0}}`)} {
		res := x.do("basic", "GET", target, "")
		links := map[string]string{}
		for l := range strings.SplitSeq(res.Header.Get("Link"), ", ") {
			at, rel, _ := strings.Cut(l, `>; rel="`)
			links[strings.Trim(rel, `"`)] = strings.TrimPrefix(at, "<https://census.example")
		}
		status, b := x.read(res)
		here := x.decode(target, status, b)
		for rel, number := range map[string]int{"first": 1, "prev": 2, "next": 4, "last": here.Pagination.TotalPages} {
			if p := x.page(links[rel]); p.Pagination.Page != number || p.Pagination.Total != here.Pagination.Total || p.Pagination.Limit != 10 {
				t.Errorf("%s: %s is %s, page %d of %d", target, rel, links[rel], p.Pagination.Page, p.Pagination.TotalPages)
			}
		}
		if res.Header.Get("X-Total-Count") != itoa(here.Pagination.Total) {
			t.Errorf("%s: X-Total-Count %s", target, res.Header.Get("X-Total-Count"))
		}
	}
}

func TestBulk(t *testing.T) {
	x := start(t, 20)
	var slugs []string
	for s := range x.catalog.Servers() {
		slugs = append(slugs, s.Slug)
	}
	ask := map[string]any{
		"ids":        []string{slugs[9], "nobody", "octo-forecast-mcp", slugs[2], "Nobody", slugs[9], "nobody", "octo-old"},
		"githubUrls": []string{"https://github.com/octo/weather-mcp.git", "git@github.com:someone/bare", "github.com/no/body"},
		"names":      []string{"io.github.octo/weather-mcp", "io.github.no/body"},
	}
	status, b := x.post("/v1/servers/bulk", string(encoded(ask)))
	var got struct {
		Servers  []map[string]any
		NotFound []string
		Count    int
	}
	if err := json.Unmarshal(b, &got); err != nil || status != 200 {
		t.Fatalf("%d %s", status, b)
	}
	if want := []string{slugs[9], "octo-weather-mcp", slugs[2], "someone-bare"}; !slices.Equal(ids(got.Servers), want) || got.Count != 4 {
		t.Errorf("found %v, want %v", ids(got.Servers), want)
	}
	if want := []string{"nobody", "Nobody", "octo-old", "github.com/no/body", "io.github.no/body"}; !slices.Equal(got.NotFound, want) {
		t.Errorf("not found are %v, want %v", got.NotFound, want)
	}
	_, detail := x.get("/v1/servers/" + slugs[9])
	if !bytes.Contains(b, detail) {
		t.Error("the records are not those of /v1/servers/{id}")
	}
	_, b = x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"],"fields":["stars","id","stars","packages","tools"]}`)
	var cut struct{ Servers []json.RawMessage }
	var whole, part map[string]json.RawMessage
	_, detail = x.get("/v1/servers/octo-weather-mcp")
	if json.Unmarshal(b, &cut) != nil || json.Unmarshal(cut.Servers[0], &part) != nil || json.Unmarshal(detail, &whole) != nil {
		t.Fatalf("%s", b)
	}
	if len(part) != 4 {
		t.Errorf("four members were asked for: %s", b)
	}
	for k, v := range part {
		if !bytes.Equal(v, whole[k]) {
			t.Errorf("%s is %s, and in the record %s", k, v, whole[k])
		}
	}
}

func TestBulkFields(t *testing.T) {
	x := start(t, 10)
	_, detail := x.get("/v1/servers/octo-weather-mcp")
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(detail, &whole); err != nil {
		t.Fatal(err)
	}
	for _, field := range api.Fields() {
		_, b := x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"],"fields":["`+field+`"]}`)
		var got struct{ Servers []map[string]json.RawMessage }
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %s", field, b)
		}
		want := []map[string]json.RawMessage{{field: whole[field]}}
		if diff := cmp.Diff(want, got.Servers); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
}

func TestDocumentedParameters(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, op := range item.Operations() {
			for _, p := range append(item.Parameters, op.Parameters...) {
				if p.Value.In != "query" {
					continue
				}
				var faults page.Faults
				if err := page.ParseQuery(p.Value.Name+"=1", &struct{}{}, page.Strict, &faults); err != nil || len(faults) == 0 {
					t.Errorf("%s %s has %s, and endpoints without it ignore it", method, path, p.Value.Name)
				}
			}
		}
	}
}
