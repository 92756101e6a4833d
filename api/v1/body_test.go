package v1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

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
		{"/v1/search", `{"filters":` + strings.Repeat(`{"a":`, 4000) + `1` +
			strings.Repeat(`}`, 4000) + `}`, "400 invalid_parameter filters"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 20_000) + `"}}`, "400 invalid_parameter filters"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 500_000) + `"}}`, "413 payload_too_large"},
		{"/v1/search", `{"filters":{"tags":"` + strings.Repeat("x", 1<<20) + `"}}`, "413 payload_too_large"},
		{"/v1/search", `{"search":"x","filter":{}}`, "400 invalid_parameter filter,search"},
		{"/v1/search", `{"q":"x","q":"y"}`, "400 invalid_parameter q"},
		{"/v1/search", `{"q":1,"sort":[],"page":"1","limit":1.5,"facets":"true","cursor":{}}`,
			"400 invalid_parameter cursor,facets,limit,page,q,sort"},
		{"/v1/search", `{"sort":"a\u0000b"}`, "400 invalid_parameter sort"},
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
		{"/v1/servers/bulk", `{"ids":["https://github.com/o/r","github.com/o/r","o/r"," "]}`,
			"400 invalid_parameter ids[3]"},
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
			if _, b := x.read(x.do("enterprise", "POST", target,
				strings.Repeat(" ", size))); !strings.Contains(string(b),
				"The body is larger than "+most+" bytes.") {
				t.Errorf("%s of %d bytes: %s", target, size, b)
			}
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded",
		"application/json; charset=latin1", "json", ""} {
		if got := x.told(x.do("enterprise", "POST", "/v1/search", `{}`, "Content-Type",
			kind)); got != "415 unsupported_media_type" {
			t.Errorf("Content-Type %q: %s", kind, got)
		}
	}
	if got := x.told(x.do("enterprise", "POST", "/v1/search", `{}`, "Content-Encoding",
		"gzip")); got != "415 unsupported_media_type" {
		t.Errorf("a compressed body: %s", got)
	}
	if res := x.do("enterprise", "POST", "/v1/search", `{"q":null}`, "Content-Type",
		"Application/JSON; charset=UTF-8"); res.StatusCode != 200 {
		t.Errorf("JSON in UTF-8: %d", res.StatusCode)
	}
	r := httptest.NewRequest("POST", "https://census.example/v1/search",
		iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(`{"q":"x"}`))))
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
		`POST /v1/servers/bulk {"ids":["a"],"fields":["nope"],"githubUrls":[""]}`:                    "fields[0] githubUrls[0]",
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

// Limits of texts count characters, not bytes.
func TestLengthsInCharacters(t *testing.T) {
	x := start(t, 3)
	body := func(member string, n int) string {
		return fmt.Sprintf(member, strings.Repeat("ж", n))
	}
	for _, c := range []struct {
		path, body string
		most       int
	}{
		{"/v1/search", `{"q":"%s"}`, 256},
		{"/v1/servers/bulk", `{"ids":["%s"]}`, 512},
		{"/v1/servers/bulk", `{"names":["%s"]}`, 512},
		{"/v1/servers/bulk", `{"githubUrls":["%s"]}`, 512},
	} {
		if status, b := x.post(c.path, body(c.body, c.most)); status != 200 {
			t.Errorf("%s %s with %d characters: %d %s", c.path, c.body, c.most, status, b)
		}
		if status, b := x.post(c.path, body(c.body, c.most+1)); status != 400 ||
			!bytes.Contains(b, fmt.Appendf(nil, "at most %d characters long, got %d", c.most, c.most+1)) {
			t.Errorf("%s %s with %d characters: %d %s", c.path, c.body, c.most+1, status, b)
		}
	}
	for path, most := range map[string]int{"/v1/servers?search=": 256, "/v1/search?q=": 256} {
		for n, want := range map[int]int{most: 200, most + 1: 400} {
			if status, b := x.get(path + url.QueryEscape(strings.Repeat("ж", n))); status != want {
				t.Errorf("%s with %d characters: %d %s, want %d", path, n, status, b, want)
			}
		}
	}
}
