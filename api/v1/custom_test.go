package v1

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCustomCursors(t *testing.T) {
	x := start(t, 60)
	put := func(body string) {
		t.Helper()
		if res := x.do("enterprise", "PUT", "/v1/custom/mine/definition", body); res.StatusCode >= 300 {
			t.Fatal(x.told(res))
		}
	}
	definitions := []string{
		`{}`, `{"q":"mcp"}`, `{"q":"server"}`, `{"filters":{"stars":{"gte":1}}}`, `{"sort":"-stars"}`, `{"sort":"name"}`,
		`{"q":"mcp","sort":"-stars"}`, `{"q":"mcp","sort":"-stars","filters":{"stars":{"gte":1}}}`,
	}
	for i, was := range definitions {
		put(was)
		next := x.page("/v1/custom/mine?limit=2").Pagination.NextCursor
		if next == nil {
			t.Fatalf("%s: there is no second page", was)
		}
		for j, is := range definitions {
			put(is)
			want := "400 invalid_parameter cursor"
			if i == j {
				want = ""
			}
			got := ""
			if res := x.do("enterprise", "GET", "/v1/custom/mine?cursor="+*next, ""); res.StatusCode != 200 {
				got = x.told(res)
			}
			if got != want {
				t.Errorf("the cursor of %s where it is %s: %q, want %q", was, is, got, want)
			}
		}
	}
	// The selected fields are not part of the search.
	put(`{"q":"mcp","limit":3}`)
	next := x.page("/v1/custom/mine").Pagination.NextCursor
	put(`{"q":"mcp","sort":"relevance","fields":["id"],"facets":true,"limit":5}`)
	if p := x.page("/v1/custom/mine?cursor=" + *next); len(p.Servers) != 5 || len(p.Servers[0]) != 1 {
		t.Errorf("with other fields: %v", p.Servers)
	}
}

func TestCustomEndpoints(t *testing.T) {
	now := epoch
	x := start(t, 150, func(o *Options) { o.API.Now = func() time.Time { return now } })
	put := func(key, name, body string) string {
		t.Helper()
		res := x.do(key, "PUT", "/v1/custom/"+name+"/definition", body)
		if res.StatusCode >= 400 {
			return x.told(res)
		}
		return itoa(res.StatusCode) + " " + res.Header.Get("Location")
	}
	for body, want := range map[string]string{
		`{"filters":{"size":1},"sort":"size","fields":["size"],"limit":0,"facets":1}`: "400 invalid_parameter facets,fields[0],filters.size,limit,sort",
		`{"name":"x"}`:         "400 invalid_parameter name",
		`{"sort":"relevance"}`: "400 invalid_parameter sort",
		`{"page":2}`:           "400 invalid_parameter page",
		`[]`:                   "400 invalid_body body",
	} {
		if got := put("enterprise", "mine", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if got := put("enterprise", "Mine!", `{}`); got != "400 invalid_parameter name" {
		t.Error(got)
	}
	if got := put("enterprise", "stars-1",
		`{"filters": {"stars": {"gte": 1}}, "sort":"-stars","fields":["stars","id","repository"],"limit":7}`); got != "201 /v1/custom/stars-1/definition" {
		t.Fatal(got)
	}
	if got := put("enterprise", "words", `{"q":"mcp","facets":true}`); got[:3] != "201" {
		t.Fatal(got)
	}
	status, raw := x.get("/v1/custom/stars-1/definition")
	if want := `"q":null,"filters":{"stars":{"gte":1}},"sort":"-stars","fields":["stars","id","repository"],"limit":7,"facets":false`; status != 200 ||
		!strings.Contains(string(raw), want) {
		t.Errorf("%d %s", status, raw)
	}
	first := x.page("/v1/custom/stars-1")
	want := x.page("/v1/search?sort=-stars&limit=7&filters=" + `%7B%22stars%22:%7B%22gte%22:1%7D%7D`)
	if !slices.Equal(ids(first.Servers), ids(want.Servers)) ||
		first.Pagination.Total != want.Pagination.Total || *first.Name != "stars-1" ||
		first.Facets != nil || first.Sort != "stars:desc" {
		t.Errorf("%+v, and searched for %+v", first, want)
	}
	if len(first.Servers[0]) != 3 || first.Servers[0]["repository"].(map[string]any)["defaultBranch"] == nil {
		t.Errorf("the members are %v", first.Servers[0])
	}
	var all []string
	for p := first; ; p = x.page("/v1/custom/stars-1?cursor=" + *p.Pagination.NextCursor) {
		all = append(all, ids(p.Servers)...)
		if p.Pagination.NextCursor == nil {
			break
		}
	}
	if len(all) != first.Pagination.Total {
		t.Errorf("%d by cursor of %d", len(all), first.Pagination.Total)
	}
	if p := x.page("/v1/custom/stars-1?page=2&limit=3"); !slices.Equal(ids(p.Servers), all[3:6]) {
		t.Errorf("the second page of three: %v", ids(p.Servers))
	}
	if p := x.page("/v1/custom/words"); p.Facets == nil || p.Query == nil ||
		len(p.Servers[0]) != len(x.page("/v1/servers?limit=1").Servers[0]) {
		t.Errorf("%+v", p.Pagination)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/stars-1?q=x", "")); got != "400 invalid_parameter q" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "GET",
		"/v1/custom/words?cursor="+*first.Pagination.NextCursor,
		"")); got != "400 invalid_parameter cursor" {
		t.Errorf("the cursor of another: %s", got)
	}
	// Others have their own, and none of ours.
	if got := x.told(x.do("second", "GET", "/v1/custom/stars-1", "")); got != "404 not_found" {
		t.Error(got)
	}
	// A plan that ends closes them and loses nothing.
	for _, target := range []string{"/v1/custom", "/v1/custom/stars-1", "/v1/custom/stars-1/definition"} {
		if got := x.told(x.do("lapsed", "GET", target, "")); got != "403 plan_upgrade_required" {
			t.Errorf("%s: %s", target, got)
		}
	}
	if p := x.page("/v1/custom/stars-1"); len(p.Servers) != 7 {
		t.Errorf("after that, it finds %d", len(p.Servers))
	}
	// A definition that is changed makes older cursors useless.
	if got := put("enterprise", "stars-1", `{"filters":{"stars":{"gte":2}},"sort":"-stars","limit":7}`); got[:3] != "200" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "GET",
		"/v1/custom/stars-1?cursor="+*first.Pagination.NextCursor,
		"")); got != "400 invalid_parameter cursor" {
		t.Errorf("a cursor of the older definition: %s", got)
	}
	// The database is asked every two seconds, and not missed for longer.
	x.page("/v1/custom/stars-1")
	before := x.store.asks
	for range 10 {
		x.page("/v1/custom/stars-1")
	}
	if x.store.asks != before {
		t.Errorf("ten calls asked the database %d times", x.store.asks-before)
	}
	now = now.Add(time.Minute)
	x.store.down = true
	x.page("/v1/custom/stars-1")
	if got := x.told(x.do("enterprise", "GET", "/v1/custom", "")); got != "503 unavailable" {
		t.Error(got)
	}
	if got := put("enterprise", "new", `{}`); got != "500 internal" && got != "503 unavailable" {
		t.Error(got)
	}
	x.store.down = false
	if _, raw = x.get("/v1/custom"); !strings.Contains(string(raw), `"count":2,"max":100`) {
		t.Errorf("%s", raw)
	}
	res := x.do("enterprise", "DELETE", "/v1/custom/words/definition", "")
	if _, b := x.read(res); res.StatusCode != 204 || len(b) > 0 {
		t.Errorf("deleted: %d %s", res.StatusCode, b)
	}
	if got := x.told(x.do("enterprise", "GET", "/v1/custom/words", "")); got != "404 not_found" {
		t.Error(got)
	}
	if got := x.told(x.do("enterprise", "DELETE", "/v1/custom/words/definition", "")); got != "404 not_found" {
		t.Error(got)
	}
}
