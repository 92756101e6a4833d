package v1

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestInvalidCursors(t *testing.T) {
	x := start(t, 70)
	list := *x.page("/v1/servers?limit=2&category=data").Pagination.NextCursor
	words := *x.page("/v1/servers?limit=5&search=mcp").Pagination.NextCursor
	found := *x.page("/v1/search?limit=5&q=mcp").Pagination.NextCursor
	filtered := *x.page("/v1/search?limit=5&sort=-stars&filters=" +
		url.QueryEscape(`{"stars":{"gte":1},"sdk":["go","ts","py"]}`)).Pagination.NextCursor
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
		"/v1/servers?cursor=" + list + "&page=1":                                "", // generated clients send defaults
		"/v1/search?cursor=" + filtered + "&page=1":                             "",
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

// Servers that leave the front of a listing between two pages take nothing
// with them.
func TestCursorsWhileServersAreRemoved(t *testing.T) {
	for _, query := range []string{"filters=" + url.QueryEscape(`{"stars":{"gte":0}}`), "filters=" +
		url.QueryEscape(`{"tools":{"ne":"x"}}`), "q=mcp&sort=-stars"} {
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
		"/v1/search?q=mcp&facets=false&sort=-stars&limit=3",
		"/v1/servers?search=mcp&sdk=ts&category=tools&limit=1", "/v1/servers?sdk=go&limit=1",
		"/v1/search?limit=5&filters=" + url.QueryEscape(`{"stars":{"gte":9}}`),
	} { // what is asked stands in the cursor
		first := x.page(target)
		at := strings.SplitN(target, "?", 2)[0] + "?limit=1&cursor=" + *first.Pagination.NextCursor
		for l := range strings.SplitSeq(x.do("basic", "GET", at, "").Header.Get("Link"), ", ") {
			to, rel, _ := strings.Cut(l, `>; rel="`)
			p := x.page(strings.TrimPrefix(to, "<https://census.example"))
			if p.Pagination.Total != first.Pagination.Total || p.Sort != first.Sort ||
				strings.HasPrefix(rel, "first") && ids(p.Servers)[0] != ids(first.Servers)[0] {
				t.Errorf("%s: the cursor's page has %s %s, with %d servers by %s", target, rel, to, p.Pagination.Total, p.Sort)
			}
		}
	}
	for _, target := range []string{"/v1/servers?limit=10&page=3",
		"/v1/search?limit=10&page=3&q=mcp&facets=false", "/v1/search?limit=10&page=3&filters=" +
			url.QueryEscape(`{"stars":{"gte":0}}`)} {
		res := x.do("basic", "GET", target, "")
		links := map[string]string{}
		for l := range strings.SplitSeq(res.Header.Get("Link"), ", ") {
			at, rel, _ := strings.Cut(l, `>; rel="`)
			links[strings.Trim(rel, `"`)] = strings.TrimPrefix(at, "<https://census.example")
		}
		status, b := x.read(res)
		here := x.decode(target, status, b)
		for rel, number := range map[string]int{"first": 1, "prev": 2, "next": 4, "last": here.Pagination.TotalPages} {
			if p := x.page(links[rel]); p.Pagination.Page != number ||
				p.Pagination.Total != here.Pagination.Total || p.Pagination.Limit != 10 {
				t.Errorf("%s: %s is %s, page %d of %d", target, rel, links[rel], p.Pagination.Page, p.Pagination.TotalPages)
			}
		}
		if res.Header.Get("X-Total-Count") != itoa(here.Pagination.Total) {
			t.Errorf("%s: X-Total-Count %s", target, res.Header.Get("X-Total-Count"))
		}
	}
}

func TestPaging(t *testing.T) {
	x := start(t, 30)
	for _, target := range []string{
		"/v1/servers?", "/v1/servers?category=data", "/v1/servers?sdk=ts",
		"/v1/servers?category=data&sdk=ts", "/v1/servers?search=mcp",
		"/v1/servers?official=true", "/v1/servers?official=false&sdk=ts",
		"/v1/servers?search=a&sdk=go", "/v1/search?", "/v1/search?sort=-stars",
		"/v1/search?sort=stars:asc", "/v1/search?sort=name,downloads:asc",
		"/v1/search?q=mcp", "/v1/search?q=mcp&sort=updated", "/v1/search?filters=" + url.QueryEscape(`{"sdk":"py"}`),
		"/v1/search?sort=stars&filters=" + url.QueryEscape(`{"minScore":50.5}`),
		"/v1/search?filters=" +
			url.QueryEscape(`{"category":["data","api"],"stars":{"gte":5,"lt":50000},"tags":{"exists":true}}`),
	} {
		path, query, _ := strings.Cut(target, "?")
		first := x.page(target + "&limit=7")
		var byPage, byCursor []string
		for n, p := 1, first; ; n++ {
			if p.Pagination.Page != n || p.Pagination.Limit != 7 ||
				p.Pagination.HasPrev != (n > 1) ||
				p.Pagination.HasNext != (n < p.Pagination.TotalPages) {
				t.Fatalf("%s: page %d is %+v", target, n, p.Pagination)
			}
			byPage = append(byPage, ids(p.Servers)...)
			if !p.Pagination.HasNext {
				break
			}
			p = x.page(target + "&limit=7&page=" + itoa(n+1))
		}
		for p, n := first, 1; ; n++ {
			byCursor = append(byCursor, ids(p.Servers)...)
			if p.Pagination.Total != first.Pagination.Total || p.Pagination.Page != n || p.Sort != first.Sort {
				t.Errorf("%s: page %d by cursor is %+v", target, n, p.Pagination)
			}
			if p.Pagination.NextCursor == nil {
				break
			}
			next := *p.Pagination.NextCursor
			if url.QueryEscape(next) != next {
				t.Errorf("cursor %q is not URL-safe", next)
			}
			at := path + "?limit=7&cursor=" + next
			if n%2 == 0 { // what it was made with may stand beside it
				at += "&" + query
			}
			p = x.page(at)
		}
		if len(byPage) != first.Pagination.Total || !slices.Equal(byPage, byCursor) {
			t.Errorf("%s: %d by page, %d by cursor of %d", target, len(byPage), len(byCursor), first.Pagination.Total)
		}
		if first.Pagination.Total == 0 {
			t.Errorf("%s finds nothing, and shows nothing", target)
		}
		slices.Sort(byPage)
		if len(slices.Compact(byPage)) != first.Pagination.Total {
			t.Errorf("%s: servers stand there twice", target)
		}
		if strings.Contains(target, "search=") || strings.Contains(target, "q=") {
			continue // these end at result 10,000
		}
		if p := x.page(target + "&page=999999999"); len(p.Servers) > 0 || p.Pagination.HasNext ||
			!p.Pagination.HasPrev || p.Pagination.Total != first.Pagination.Total {
			t.Errorf("%s: far behind the end: %+v", target, p.Pagination)
		}
	}
}
