package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

func TestSearchDegraded(t *testing.T) {
	x := start(t, 40, func(o *Options) { o.Search = generate.Index{Servers: o.Catalog.Servers, Down: true} })
	whole := start(t, 40)
	for target, words := range map[string]bool{
		"/api/discover?search=mcp&limit=2": true, "/api/servers?search=mcp": true, "/api/discover?search=mcp&format=mcp": true,
		"/api/discover?search=mcp&level=tool&limit=3": true, "/api/discover": false, "/api/discover?format=mcp&level=tool": false,
	} {
		_, b := x.get(target)
		if strings.Contains(string(b), `,"warnings":["The search index`) != words {
			t.Errorf("%s: %.300s…", target, b[max(0, len(b)-300):])
		}
		if _, b := whole.get(target); strings.Contains(string(b), `"warnings"`) {
			t.Errorf("%s warns though the index answers", target)
		}
	}
}

// someMatches finds three servers, of which the first has all words of another text.
type someMatches struct{ slugs []string }

func (x someMatches) Match(context.Context, string) (query.Matches, error) {
	return query.Matches{Slugs: x.slugs, All: 1, Corrected: "weather"}, nil
}

// TestMatch checks which servers a search returns that match all words, and what is said of the others.
func TestMatch(t *testing.T) {
	x := start(t, 40, func(o *Options) {
		var slugs []string
		for s := range o.Catalog.Servers() {
			slugs = append(slugs, s.Slug)
		}
		o.Search = someMatches{slugs[:3]}
	})
	for target, want := range map[string]string{
		"/api/servers?search=wether": "3 2", "/api/discover?search=wether&match=some": "3 2", "/api/servers?search=wether&match=all": "1 1",
		"/api/discover?search=wether&match=all&format=mcp": "1 1", "/api/servers?match=all": "44 0",
	} {
		_, b := x.get(target)
		var body struct {
			Pagination struct{ Total int }
			Warnings   []string
		}
		if err := json.Unmarshal(b, &body); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(body.Pagination.Total, " ", len(body.Warnings)); got != want {
			t.Errorf("%s: %s, want %s: %v", target, got, want, body.Warnings)
		}
	}
	if status, b := x.get("/api/servers?search=a&match=most"); status != 400 || !strings.Contains(string(b), `"match"`) {
		t.Errorf("%d %s", status, b)
	}
}

func TestKeysAreMasked(t *testing.T) {
	const key = "mcp_0123456789abcdefghijABCDEFGHIJ0123456789abc"
	x := start(t, 5)
	for _, target := range []string{
		"/api/discover?search=" + key, "/api/servers?search=x+" + key, "/api/discover?sort=" + key, "/api/discover?" + key + "=1", "/api/health?server=" + key,
		"/api/health?githubUrl=https://github.com/o/" + key, "/api/" + key, "/api/checks/" + key, "/api/discover?category=" + key, "/api/discover?cursor=" + key,
	} {
		res := x.do("GET", target)
		status, body := x.get(target)
		if status < 400 && !strings.HasSuffix(target, "=1") || strings.Contains(string(body), key[:30]) || strings.Contains(fmt.Sprint(res.Header), key[:30]) {
			t.Errorf("%s: %d %s %v", target, status, body, res.Header)
		}
	}
}

func TestSearchWithRemovedServers(t *testing.T) {
	x := start(t, 0)
	behind := slices.Collect(x.catalog.Servers())
	slices.SortFunc(behind, func(a, b *registry.Server) int { return cmp.Compare(a.ID, b.ID) })
	extra := behind[0]
	var known []*registry.Server
	for n := range 30 {
		s := *extra
		s.ID, s.Seq, s.Slug = int64(990001+n), int64(990001+n), fmt.Sprintf("octo-weather-%02d", n)
		s.OldSlugs, s.RegistryName, s.Repo.ID, s.Repo.Name = nil, "", int64(990001+n), s.Slug
		known = append(known, &s)
	}
	index := generate.Index{Servers: func() iter.Seq[*registry.Server] { return slices.Values(known) }}
	x = start(t, 0, func(o *Options) { o.Search = index })
	var listed []registry.Server // all but some of the front of each page
	for n, s := range known {
		if n%5 > 1 {
			listed = append(listed, *s)
		}
	}
	if err := x.catalog.Apply(listed, nil, 990100); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/api/servers?search=weather&limit=5", "/api/discover?search=weather&limit=7&format=mcp"} {
		seen := map[string]int{}
		pages := 0
		for next := target; next != "" && pages < 20; pages++ {
			p := x.page(next)
			for _, s := range p.Servers {
				seen[fmt.Sprint(s["slug"])]++
			}
			for _, s := range p.Tools {
				seen[fmt.Sprint(s["_meta"].(map[string]any)["io.mcpcensus/server"].(map[string]any)["id"])]++
			}
			next = ""
			if p.Pagination.NextOffset != nil {
				next = fmt.Sprintf("%s&offset=%d", target, *p.Pagination.NextOffset)
			}
		}
		for _, s := range listed {
			if seen[s.Slug] != 1 {
				t.Errorf("%s: %s was listed %d times", target, s.Slug, seen[s.Slug])
			}
		}
		if pages > 6 {
			t.Errorf("%s: %d pages of 30 results", target, pages)
		}
	}
}

type pageBody struct {
	Servers    []map[string]any
	Tools      []map[string]any
	Pagination struct {
		Total, Limit, Offset int
		HasMore              bool
		NextOffset           *int
		NextCursor           *string
	}
}

func (x *tester) page(target string) pageBody {
	x.t.Helper()
	status, b := x.get(target)
	var p pageBody
	if err := json.Unmarshal(b, &p); err != nil || status != 200 {
		x.t.Fatalf("%s: %d, %v: %s", target, status, err, clip(b))
	}
	return p
}

func names(items []map[string]any, key string) []string {
	var out []string
	for _, i := range items {
		out = append(out, fmt.Sprint(i[key]))
	}
	return out
}

func TestInvalidParameters(t *testing.T) {
	x := start(t, 10)
	long := strings.Repeat("x", 300)
	for target, want := range map[string]string{ // status code field
		"/api/discover?limit=0":                                     "400 invalid_parameter limit",
		"/api/discover?limit=101":                                   "400 invalid_parameter limit",
		"/api/discover?limit=-1":                                    "400 invalid_parameter limit",
		"/api/discover?limit=ten":                                   "400 invalid_parameter limit",
		"/api/discover?limit=1e1":                                   "400 invalid_parameter limit",
		"/api/discover?limit=20.0":                                  "400 invalid_parameter limit",
		"/api/discover?limit=%2B5":                                  "400 invalid_parameter limit",
		"/api/discover?limit=+5":                                    "400 invalid_parameter limit",
		"/api/discover?limit=":                                      "400 invalid_parameter limit",
		"/api/discover?limit=99999999999999999999":                  "400 invalid_parameter limit",
		"/api/discover?limit=5&limit=6":                             "400 invalid_parameter limit",
		"/api/discover?offset=-1":                                   "400 invalid_parameter offset",
		"/api/discover?offset=x":                                    "400 invalid_parameter offset",
		"/api/discover?offset=9999999999999999999999":               "400 invalid_parameter offset",
		"/api/discover?minScore=101":                                "400 invalid_parameter minScore",
		"/api/discover?minScore=1e1":                                "400 invalid_parameter minScore",
		"/api/discover?minScore=%2B5":                               "400 invalid_parameter minScore",
		"/api/discover?minScore=-0":                                 "400 invalid_parameter minScore",
		"/api/discover?minScore=.5":                                 "400 invalid_parameter minScore",
		"/api/discover?minScore=%205":                               "400 invalid_parameter minScore",
		"/api/discover?minScore=99999999999999999999":               "400 invalid_parameter minScore",
		"/api/discover?offset=%205":                                 "400 invalid_parameter offset",
		"/api/discover?offset=9223372036854775808":                  "400 invalid_parameter offset",
		"/api/discover?limit=%D9%A3":                                "400 invalid_parameter limit",
		"/api/discover?minScore=-0.1":                               "400 invalid_parameter minScore",
		"/api/discover?minScore=NaN":                                "400 invalid_parameter minScore",
		"/api/discover?minScore=Inf":                                "400 invalid_parameter minScore",
		"/api/discover?minScore=0x10":                               "400 invalid_parameter minScore",
		"/api/discover?minScore=":                                   "400 invalid_parameter minScore",
		"/api/discover?minScore=80.":                                "400 invalid_parameter minScore",
		"/api/discover?category=nope":                               "400 invalid_parameter category",
		"/api/discover?category=DATA%00":                            "400 invalid_parameter category",
		"/api/discover?category=data&category=api":                  "400 invalid_parameter category",
		"/api/discover?sort=name":                                   "400 invalid_parameter sort",
		"/api/discover?sort=stars:desc":                             "400 invalid_parameter sort",
		"/api/discover?format=xml":                                  "400 invalid_parameter format",
		"/api/discover?level=tool&format=json":                      "400 invalid_parameter level",
		"/api/discover?level=repo":                                  "400 invalid_parameter level",
		"/api/discover?search=a%FFb":                                "400 invalid_parameter search",
		"/api/discover?search=%FF%FE":                               "400 invalid_parameter search",
		"/api/discover?search=" + long:                              "400 invalid_parameter search",
		"/api/discover?search=weather&offset=9990":                  "400 invalid_parameter offset",
		"/api/discover?search=weather&offset=10000&level=tool":      "400 invalid_parameter offset",
		"/api/discover?minscore=80":                                 "400 invalid_parameter minscore",
		"/api/discover?min_score=80":                                "400 invalid_parameter min_score",
		"/api/discover?server=x":                                    "400 invalid_parameter server",
		"/api/discover?cursor=abc":                                  "400 invalid_cursor cursor",
		"/api/discover?cursor=" + strings.Repeat("A", 3000):         "400 invalid_cursor cursor",
		"/api/discover?cursor=%00":                                  "400 invalid_parameter cursor",
		"/api/discover?a=%zz":                                       "400 invalid_parameter ",
		"/api/discover?limit=5;offset=3":                            "400 invalid_parameter ",
		"/api/servers?minScore=80":                                  "400 invalid_parameter minScore",
		"/api/servers?format=mcp":                                   "400 invalid_parameter format",
		"/api/servers?sort=popularity":                              "400 invalid_parameter sort",
		"/api/servers?limit=1000":                                   "400 invalid_parameter limit",
		"/api/categories?limit=1":                                   "400 invalid_parameter limit",
		"/api/health":                                               "400 missing_parameter server",
		"/api/health?server=&githubUrl=":                            "400 missing_parameter server",
		"/api/health?slug=octo-weather-mcp":                         "400 missing_parameter server",
		"/api/health?server=" + long:                                "400 invalid_parameter server",
		"/api/health?server=a%00":                                   "400 invalid_parameter server",
		"/api/health?slug=x&limit=1":                                "400 invalid_parameter limit",
		"/api/health?githubUrl=https://gist.github.com/a/1234567":   "422 unsupported_host githubUrl",
		"/api/health?githubUrl=https://gitlab.com/a/b":              "422 unsupported_host githubUrl",
		"/api/health?githubUrl=https://github.com.evil.example/a/b": "422 unsupported_host githubUrl",
		"/api/health?githubUrl=not%20a%20url":                       "400 invalid_parameter githubUrl",
		"/api/health?githubUrl=https://github.com/a/b&githubUrl=x":  "400 invalid_parameter githubUrl",
		"/api/health?githubUrl=octo/nothing":                        "404 repository_not_found ",
		"/api/health?githubUrl=git+https://github.com/octo/nothing": "404 repository_not_found ",
		"/api/health?githubUrl=octo/down":                           "503 unavailable ",
		"/api/health?githubUrl=octo/broken":                         "500 internal ",
		"/api/health?server=nobody-at-all":                          "404 server_not_found ",
		"/api/health?server=..%2F..%2Fetc":                          "404 server_not_found ",
		"/api/health?server=octo-old":                               "410 server_deleted ",
		"/api/checks/none":                                          "404 check_not_found ",
		"/api/checks/ck_nothing":                                    "404 repository_not_found ",
		"/api/discover?q=weather":                                   "400 invalid_parameter q",
		"/api/discover?page=2":                                      "400 invalid_parameter page",
		"/api/servers?sdk=python&page=2&q=x":                        "400 invalid_parameter page",
		"/api/servers?filters=%7B%7D&facets=true&fields=id":         "400 invalid_parameter facets",
		"/api/health?server=x&period=7d&interval=day":               "400 invalid_parameter interval",
		"/api/categories?from=2026-10-01&to=2026-10-31":             "400 invalid_parameter from",
		"/api/nothing":                                              "404 not_found ",
		"/api/discover/":                                            "404 not_found ",
		"/api":                                                      "404 not_found ",
		"/panic":                                                    "500 internal ",
		"/api/discover?x=" + strings.Repeat("y", 9000):              "414 uri_too_long ",
	} {
		res := x.do("GET", target)
		var p httpd.Problem
		body, _ := io.ReadAll(res.Body)
		if err := json.Unmarshal(body, &p); err != nil {
			t.Errorf("%s: %v: %s", clip([]byte(target)), err, clip(body))
			continue
		}
		field := ""
		if len(p.Errors) > 0 {
			field = p.Errors[0].Field
		}
		if got := fmt.Sprint(res.StatusCode, " ", p.Code, " ", field); got != want {
			t.Errorf("%.120s: got %q, want %q: %s", target, got, want, p.Detail)
		}
		if res.Header.Get("Content-Type") != "application/problem+json" || p.Error == "" ||
			p.RequestID == "" || p.Status != res.StatusCode ||
			res.Header.Get("X-Request-Id") != p.RequestID {
			t.Errorf("%.120s: not a whole problem: %s %v", target, body, res.Header)
		}
		if res.StatusCode == 503 && res.Header.Get("Retry-After") == "" {
			t.Errorf("%.120s: no Retry-After", target)
		}
		if limited := strings.HasPrefix(target, "/api"); limited &&
			(res.Header.Get("X-RateLimit-Remaining") == "" ||
				res.Header.Get("Access-Control-Allow-Origin") != "*") {
			t.Errorf("%.120s: no limit or CORS headers: %v", target, res.Header)
		}
		for _, leak := range []string{"goroutine", ".go:", "unexpected EOF", "/root", "panic"} {
			if target != "/panic" && strings.Contains(string(body), leak) {
				t.Errorf("%.120s leaks %q: %s", target, leak, body)
			}
		}
	}
	_, b := x.get("/api/health?server=zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")
	if !bytes.Contains(b, []byte(`"candidates":[]`)) {
		t.Errorf("a server that nothing is like has no empty candidates: %s", b)
	}
	_, b = x.get("/api/nothing")
	if bytes.Contains(b, []byte(`candidates`)) {
		t.Errorf("an address that nothing is at has candidates: %s", b)
	}
	_, b = x.get("/api/discover?category=nope")
	for _, c := range registry.Categories {
		if !strings.Contains(string(b), c) {
			t.Errorf("the message about an unknown category does not list %s: %s", c, b)
		}
	}
}

func TestReplacedParameters(t *testing.T) {
	x := start(t, 10)
	for target, want := range map[string]string{
		"/api/discover?q=weather":                "q is not a parameter of this endpoint; it accepts category, search,",
		"/api/servers?page=2":                    "page is not a parameter of this endpoint; it accepts category, search,",
		"/api/servers?sdk=python":                `sdk is not a parameter of this endpoint; use filters={\"sdk\": …} of /v1/search`,
		"/api/servers?filters=%7B%7D":            "filters is not a parameter of this endpoint; it accepts category, search,",
		"/api/servers?liveness=down":             `liveness is not a parameter of this endpoint; use filters={\"liveness\": …} of /v1/search, with a key`,
		"/api/discover?copy=true":                `copy is not a parameter of this endpoint; use filters={\"copy\": …} of /v1/search, with a key`,
		"/api/servers?filter[liveness][eq]=down": `filter[liveness][eq] is not a parameter of this endpoint; use filters={\"liveness\": …} of /v1/search`,
		"/api/discover?filter=x":                 "filter is not a parameter of this endpoint; it accepts category, search,",
		"/api/categories?q=weather":              "q is not a parameter of this endpoint, which has none",
	} {
		if status, b := x.get(target); status != 400 || !strings.Contains(string(b), want) {
			t.Errorf("%s: %d %s, want %q", target, status, b, want)
		}
	}
}

func TestIgnoredParameters(t *testing.T) {
	x := start(t, 10)
	for _, target := range []string{"/api/discover?utm_source=x", "/api/discover?_=1",
		"/api/servers?filter[colour]=red&name=x", "/api/categories?copy=x",
		"/api/discover?category=&search=&sort=&format=", "/api/discover?minScore=79.5",
		"/api/discover?limit=007&offset=000&minScore=00.50", "/api/discover?offset=999999999999"} {
		if status, b := x.get(target); status != 200 {
			t.Errorf("%s: %d %s", target, status, b)
		}
	}
}

func TestOfficialFilter(t *testing.T) {
	x := start(t, 200)
	var official []string
	for s := range x.catalog.View().Servers() {
		if s.Official {
			official = append(official, s.Slug)
		}
	}
	slices.Sort(official)
	if len(official) == 0 {
		t.Fatal("no server of the test data is official")
	}
	for _, path := range []string{"/api/discover", "/api/servers"} {
		got := names(x.page(path+"?official=true&limit=100").Servers, "slug")
		slices.Sort(got)
		if !slices.Equal(got, official) {
			t.Errorf("%s: %v, want %v", path, got, official)
		}
	}
	if status, b := x.get("/api/servers?official=yes"); status != 400 {
		t.Errorf("official=yes: %d %s", status, b)
	}
}

func TestPaging(t *testing.T) {
	x := start(t, 30)
	all := x.catalog.View()
	for _, target := range []string{"/api/discover?", "/api/discover?sort=stars",
		"/api/discover?sort=downloads&minScore=50",
		"/api/discover?category=data", "/api/discover?minScore=60", "/api/servers?official=false",
		"/api/servers?sort=name", "/api/servers?sort=updated",
		"/api/servers?sort=created&category=api"} {
		var byOffset, byCursor []string
		first := x.page(target + "&limit=4")
		for p, next := first, ""; ; p = x.page(next) {
			byOffset = append(byOffset, names(p.Servers, "slug")...)
			if p.Pagination.NextOffset == nil {
				break
			}
			next = fmt.Sprintf("%s&limit=4&offset=%d", target, *p.Pagination.NextOffset)
		}
		path, _, _ := strings.Cut(target, "?")
		for p := first; ; p = x.page(path + "?limit=4&cursor=" + *p.Pagination.NextCursor) {
			if p.Pagination.Offset != len(byCursor) || p.Pagination.Total != first.Pagination.Total {
				t.Errorf("%s: page at %d says it is at %d of %d", target, len(byCursor), p.Pagination.Offset, p.Pagination.Total)
			}
			byCursor = append(byCursor, names(p.Servers, "slug")...)
			if p.Pagination.NextCursor == nil {
				break
			}
			if url.QueryEscape(*p.Pagination.NextCursor) != *p.Pagination.NextCursor {
				t.Errorf("cursor %q is not URL-safe", *p.Pagination.NextCursor)
			}
		}
		u, _ := url.Parse(target)
		q := u.Query()
		var acct query.Query
		if s := q.Get("sort"); s != "" {
			acct.Sort = []query.Order{{Field: s, Desc: query.SortNamed(s).Desc}}
		}
		if c := q.Get("category"); c != "" {
			acct.Filters = append(acct.Filters, query.Filter{Field: "category", Op: query.OpEq, Values: []any{c}})
		}
		if o := q.Get("official"); o != "" {
			acct.Filters = append(acct.Filters, query.Equal("official", o == "true"))
		}
		if m := q.Get("minScore"); m != "" {
			acct.Filters = append(acct.Filters,
				query.Filter{Field: "qualityScore", Op: query.OpGte,
					Values: []any{map[string]float64{"50": 50, "60": 60}[m]}})
		}
		var want []registry.Server
		for s := range all.Servers() {
			if query.Matcher(acct.Filters)(s) {
				want = append(want, *s)
			}
		}
		slices.SortFunc(want, func(a, b registry.Server) int {
			return query.Comparer(acct.Orders())(query.ValuesOf(&a), query.ValuesOf(&b))
		})
		var slugs []string
		for _, s := range want {
			slugs = append(slugs, s.Slug)
		}
		if !slices.Equal(byOffset, slugs) {
			t.Errorf("%s by offset: %v, want %v", target, byOffset, slugs)
		}
		if !slices.Equal(byCursor, slugs) {
			t.Errorf("%s by cursor: %v, want %v", target, byCursor, slugs)
		}
	}
}

func TestCursorsWhileDataChanges(t *testing.T) {
	x := start(t, 60)
	p := x.page("/api/servers?sort=created&limit=10")
	seen := names(p.Servers, "slug")
	// The last server of the page leaves, and one comes in before it.
	fresh := weather()
	fresh.Slug, fresh.Seq, fresh.CreatedAt = "newest-of-all", 900200, epoch.Add(time.Hour)
	fresh.RegistryName, fresh.OldSlugs = "", nil
	if err := x.catalog.Apply([]registry.Server{fresh},
		[]registry.Change{{Seq: 900201, Slug: seen[9], Deleted: true}}, 900201); err != nil {
		t.Fatal(err)
	}
	for p.Pagination.NextCursor != nil {
		p = x.page("/api/servers?limit=10&cursor=" + *p.Pagination.NextCursor)
		seen = append(seen, names(p.Servers, "slug")...)
	}
	if len(seen) != 64 {
		t.Errorf("saw %d servers, want the 64 that there were", len(seen))
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 64 {
		t.Error("saw one twice")
	}
}

func TestInvalidCursors(t *testing.T) {
	x := start(t, 60)
	cur := *x.page("/api/discover?minScore=20&sort=stars&limit=5").Pagination.NextCursor
	for i := 0; i < len(cur); i += 7 {
		c := byte('A')
		if cur[i] == 'A' {
			c = 'B'
		}
		if status, b := x.get("/api/discover?cursor=" + cur[:i] + string(c) + cur[i+1:]); status != 400 {
			t.Fatalf("altered at %d: %d %s", i, status, b)
		}
	}
	for _, altered := range []string{cur + "%0A", cur + "%0D%0A", cur[:9] + "%0A" +
		cur[9:]} { // base64 passes over ends of lines
		if status, b := x.get("/api/discover?cursor=" + altered); status != 400 {
			t.Errorf("%s: %d %s", altered, status, b)
		}
	}
	for target, want := range map[string]int{
		"/api/discover?limit=50&cursor=" + cur:               200,
		"/api/discover?minScore=20&sort=stars&cursor=" + cur: 200,
		"/api/discover?format=mcp&cursor=" + cur:             200,
		"/api/discover?minScore=30&cursor=" + cur:            400,
		"/api/discover?category=data&cursor=" + cur:          400,
		"/api/discover?sort=downloads&cursor=" + cur:         400,
		"/api/discover?search=x&cursor=" + cur:               400,
		"/api/discover?offset=0&cursor=" + cur:               200, // generated clients send defaults
		"/api/discover?offset=20&cursor=" + cur:              400,
		"/api/discover?level=tool&cursor=" + cur:             400,
		"/api/servers?cursor=" + cur:                         400,
	} {
		if status, b := x.get(target); status != want {
			t.Errorf("%s: %d, want %d: %s", target, status, want, clip(b))
		}
	}
	for _, cur := range []string{
		*x.page("/api/servers?sort=name&limit=5").Pagination.NextCursor,
		*x.page("/api/servers?limit=5").Pagination.NextCursor,
		*x.page("/api/servers?search=mcp&limit=5").Pagination.NextCursor,
	} {
		for target, want := range map[string]int{"/api/servers?cursor=" + cur: 200,
			"/api/discover?cursor=" + cur: 400, "/api/discover?format=mcp&cursor=" + cur: 400} {
			status, b := x.get(target)
			var p httpd.Problem
			if status != want || want == 400 &&
				(json.Unmarshal(b, &p) != nil || len(p.Errors) != 1 ||
					p.Errors[0].Field != "cursor") {
				t.Errorf("%s: %d, want %d and cursor named: %s", target, status, want, clip(b))
			}
		}
	}
	// The same page of the other endpoint has a cursor of its own, also when
	// both come from the cache.
	for range 2 {
		for _, path := range []string{"/api/discover", "/api/servers"} {
			if next := *x.page(path + "?limit=5").Pagination.NextCursor; next != "" {
				x.page(path + "?cursor=" + next)
			}
		}
	}
	for _, target := range []string{"/api/discover?category=data&cursor=" + cur,
		"/api/discover?minScore=30&level=tool&cursor=" + cur, "/api/servers?cursor=" + cur} {
		_, b := x.get(target)
		var p httpd.Problem
		if err := json.Unmarshal(b, &p); err != nil || len(p.Errors) != 1 || p.Errors[0].Field != "cursor" {
			t.Errorf("%s does not name cursor: %s", target, clip(b))
		}
	}
	other := start(t, 10, func(o *Options) { o.CursorKey = []byte("another registry") })
	if status, _ := other.get("/api/discover?cursor=" + cur); status != 400 {
		t.Errorf("a cursor of another registry: %d", status)
	}
}

func TestSearchPaging(t *testing.T) {
	x := start(t, 60)
	for _, target := range []string{"/api/servers?search=mcp&limit=4",
		"/api/discover?search=mcp&sort=stars&limit=4",
		"/api/discover?search=mcp&level=tool&format=mcp&limit=50"} {
		var byOffset, byCursor []string
		key := "slug"
		if strings.Contains(target, "mcp&limit=50") {
			key = "name"
		}
		path, queryText, _ := strings.Cut(target, "?")
		v, _ := url.ParseQuery(queryText)
		for next := target; ; {
			p := x.page(next)
			byOffset = append(byOffset, names(append(p.Servers, p.Tools...), key)...)
			if p.Pagination.NextOffset == nil {
				if p.Pagination.Total != len(byOffset) {
					t.Errorf("%s: total %d, saw %d", target, p.Pagination.Total, len(byOffset))
				}
				break
			}
			next = fmt.Sprintf("%s&offset=%d", target, *p.Pagination.NextOffset)
		}
		for next := target; ; {
			p := x.page(next)
			byCursor = append(byCursor, names(append(p.Servers, p.Tools...), key)...)
			if p.Pagination.NextCursor == nil {
				break
			}
			next = fmt.Sprintf("%s?limit=%s&cursor=%s", path, v.Get("limit"), *p.Pagination.NextCursor)
			if v.Get("format") != "" {
				next += "&format=mcp"
			}
		}
		if len(byOffset) < 20 || !slices.Equal(byOffset, byCursor) {
			t.Errorf("%s: %d by offset, %d by cursor", target, len(byOffset), len(byCursor))
		}
	}
}

func TestTools(t *testing.T) {
	x := start(t, 60)
	want := 0
	for s := range x.catalog.View().Servers() {
		want += len(s.Tools)
	}
	var byCursor []string
	next := "/api/discover?level=tool&format=mcp&limit=33"
	for {
		p := x.page(next)
		if len(p.Tools) > 33 || p.Pagination.Total != want {
			t.Fatalf("%d tools of %d, want %d in all", len(p.Tools), p.Pagination.Total, want)
		}
		byCursor = append(byCursor, names(p.Tools, "name")...)
		if p.Pagination.NextCursor == nil {
			break
		}
		next = "/api/discover?format=mcp&limit=33&cursor=" + *p.Pagination.NextCursor
	}
	if len(byCursor) != want {
		t.Errorf("saw %d tools, want %d", len(byCursor), want)
	}
	p := x.page("/api/discover?level=tool&format=mcp&limit=10&offset=40")
	if !slices.Equal(names(p.Tools, "name"), byCursor[40:50]) {
		t.Errorf("by offset %v, by cursor %v", names(p.Tools, "name"), byCursor[40:50])
	}
	seen := map[string]bool{}
	for _, n := range byCursor {
		if !acceptedName.MatchString(n) || seen[n] {
			t.Fatalf("%q is not a name that clients accept, or %v twice", n, seen[n])
		}
		seen[n] = true
	}
}

// acceptedName matches the names of tools that all clients accept.
var acceptedName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolEntries(t *testing.T) {
	long := strings.Repeat("long-", 30)
	var tools []registry.Tool
	for name, schema := range map[string]string{
		"plain": `{"type":"object"}`, "pla.in": `{}`, "pla/in": ``, "größe": `{"type":"string"}`,
		"": `[]`, long: `{"properties":{"a":{}}}`, long + "2": `{"type":["object","null"]}`,
		"pla in": `{"type":"object"`, "pla_in": `null`,
	} {
		tools = append(tools, registry.Tool{Name: name, InputSchema: []byte(schema)})
	}
	known := map[string]bool{"plain": true, "pla.in": true, long: true}
	seen := map[string]bool{}
	for _, slug := range []string{"octo-weather", strings.Repeat("octo-", 40), "octo"} {
		s := registry.Server{Slug: slug, Tools: tools}
		for _, b := range NewEncoder("org.example", nil).toolEntriesOf(&s, 0, len(tools)) {
			m := b.Meta["org.example/server"]
			var schema struct{ Type string }
			if err := json.Unmarshal(b.InputSchema, &schema); err != nil || schema.Type != "object" ||
				*m.SchemaKnown != known[*m.Tool] {
				t.Errorf("%q: schema %s, known %v, %v", *m.Tool, b.InputSchema, *m.SchemaKnown, err)
			}
			if !acceptedName.MatchString(b.Name) || seen[b.Name] || b.Title != slug+"/"+*m.Tool {
				t.Errorf("%q: name %q, title %q", *m.Tool, b.Name, b.Title)
			}
			seen[b.Name] = true
		}
	}
}

// ids counts the elements of a page by their ids, and fails for links within
// the page that lead to none.
func ids(t *testing.T, page []byte) map[string]int {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	n, links := map[string]int{}, map[string]bool{}
	for e := range doc.Descendants() {
		for _, a := range e.Attr {
			if a.Key == "id" {
				n[a.Val]++
			} else if id, ok := strings.CutPrefix(a.Val, "#"); ok && a.Key == "href" {
				links[id] = true
			}
		}
	}
	for id := range links {
		if n[id] == 0 {
			t.Errorf("a link leads to #%s, which is not there", id)
		}
	}
	return n
}

func TestLinkHeader(t *testing.T) {
	x := start(t, 60)
	for _, target := range []string{"/api/servers?limit=2&category=data&sort=name",
		"/api/discover?limit=5&format=mcp", "/api/discover?search=mcp&limit=4",
		"/api/discover?level=tool&format=mcp&limit=3"} {
		res := x.do("GET", target)
		link := res.Header.Get("Link")
		next, ok := strings.CutSuffix(strings.TrimPrefix(link, "<https://census.example"), `>; rel="next"`)
		if !ok {
			t.Errorf("%s: Link %q", target, link)
			continue
		}
		p := x.page(next)
		if p.Pagination.Offset == 0 || fmt.Sprint(p.Pagination.Total) != res.Header.Get("X-Total-Count") {
			t.Errorf("%s leads to offset %d of %d, X-Total-Count %s", target, p.Pagination.Offset,
				p.Pagination.Total, res.Header.Get("X-Total-Count"))
		}
	}
}

func FuzzList(f *testing.F) {
	for _, s := range []string{
		"", "limit=5&offset=10", "search=a+b&minScore=80.5", "category=data&sort=stars", "cursor=AAAA", "level=tool",
		"a;b", "limit=%00", "search=%ff", "x=%zz",
	} {
		f.Add(s)
	}
	x := start(f, 20)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, path := range []string{discoverPath, serversPath} {
			r := httptest.NewRequest("GET", path, nil)
			r.URL.RawQuery = raw
			w := httptest.NewRecorder()
			x.handler.ServeHTTP(w, r)
			if w.Code != 200 && w.Code != 400 && w.Code != 414 {
				t.Errorf("%q: %d %s", raw, w.Code, w.Body)
			}
		}
	})
}

// Limits of texts count characters, not bytes.
func TestLengthsInCharacters(t *testing.T) {
	x := start(t, 3)
	for path, most := range map[string]int{"/api/servers?search=": 256, "/api/discover?search=": 256,
		"/api/health?server=": 256, "/api/health?githubUrl=": 512} {
		for n, tooLong := range map[int]bool{most: false, most + 1: true} {
			_, b := x.get(path + url.QueryEscape(strings.Repeat("ж", n)))
			says := bytes.Contains(b, []byte("characters long")) || bytes.Contains(b, []byte("is longer than"))
			if says != tooLong {
				t.Errorf("%s with %d characters: %s", path, n, b)
			}
		}
	}
}
