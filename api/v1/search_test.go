package v1

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
)

func TestSearchLongFilters(t *testing.T) {
	x := start(t, 60)
	var values []string
	for n := range 90 {
		values = append(values, fmt.Sprintf(`"%x-%d"`, strings.Repeat("a-long-tag-that-nobody-has", 3), n))
	}
	filters := `{"tags":{"exists":true},"stars":{"gte":0},"framework":{"ne":"x"},"owner":{"ne":"y"},"language":{"ne":"z"}}`
	long := `{"stars":{"gte":0},"license":{"ne":"none"},"tags":{"ne":` + values[0] +
		`},"tools":{"ne":"q"},"owner":{"exists":true},"source":{"ne":"w"},"language":{"ne":` +
		values[1] + `}}`
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
	x := start(t, 20)
	p := x.page("/v1/search?q=+Forecasts++alerts&limit=3")
	if p.Query == nil || *p.Query != "Forecasts alerts" || p.Sort != "relevance:desc" ||
		p.TookMs == nil || len(p.Servers) == 0 || p.Facets["category"]["data"] == 0 {
		t.Errorf("%+v", p)
	}
	p = x.page("/v1/search?facets=false")
	if p.Query != nil || p.Sort != "qualityScore:desc" || p.Facets != nil || p.Pagination.Total != 22 {
		t.Errorf("%+v", p.Pagination)
	}
	p = x.page("/v1/search?sort=" + url.QueryEscape("name,-stars"))
	if p.Sort != "name:asc,stars:desc" {
		t.Errorf("sort is %s", p.Sort)
	}
	// The index and the catalog answer alike.
	for _, filter := range []string{
		``, `"category":"data"`, `"sdk":"py"`, `"sdk":"go","category":"api"`, `"minScore":60`,
		`"minScore":60,"category":"data"`, `"stars":{"gte":10},"tags":{"exists":true}`,
		`"license":["mit"]`,
	} {
		for _, sort := range []string{"", "stars", "downloads", "name", "updated", "created",
			"popularity", "qualityScore", "stars:asc", "-name,downloads:asc"} {
			target := "/v1/search?sort=" + sort + "&limit=100&filters="
			fast := x.page(target + url.QueryEscape("{"+filter+"}"))
			slow := x.page(target + url.QueryEscape(strings.TrimSuffix(`{"tools":{"ne":"nobody-has-this"},`+filter, ",")+"}"))
			if fast.Pagination.Total != slow.Pagination.Total ||
				!slices.Equal(ids(fast.Servers), ids(slow.Servers)) ||
				fmt.Sprint(fast.Facets) != fmt.Sprint(slow.Facets) {
				t.Errorf("%s by %q: %d servers, from the index %d", filter, sort, fast.Pagination.Total, slow.Pagination.Total)
			}
		}
	}
}

func TestSearchWithoutText(t *testing.T) {
	x := start(t, 20)
	x.serve(x.catalog, func(o *Options) { o.API.Search = nil })
	for field, value := range map[string]string{
		"category": `"data"`, "sdk": `["go","ts"]`, "language": `{"ne":"Go"}`,
		"framework": `{"exists":false}`, "tags": `"weather"`, "license": `"mit"`,
		"transport": `"stdio"`,
		"type":      `"package"`, "registryType": `"npm"`, "owner": `"octo"`, "source": `{"ne":"x"}`,
		"status": `"active"`, "official": `false`, "verified": `{"ne":true}`,
		"archived": `false`, "copy": `false`,
		"grade": `["A","B"]`, "qualityScore": `{"gt":1.5}`, "minScore": `50`,
		"popularity": `{"lte":70}`, "stars": `{"gte":1,"lt":9000}`,
		"downloads": `{"exists":true}`, "toolCount": `{"gte":0}`,
		"updatedAt": `{"lt":"2027-01-01"}`, "createdAt": `{"gte":"2020-01-01"}`,
		"tools": `{"ne":"x"}`, "toolTokens": `{"lte":20000}`, "liveness": `{"ne":"down"}`,
		"risks": `{"exists":false}`, "effect": `{"ne":"read"}`, "secrets": `{"exists":true}`,
		"readOnly": `{"exists":false}`,
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
	if len(query.FilterNames()) != 32 {
		t.Errorf("there are %d filters, and 32 were tried", len(query.FilterNames()))
	}
}

func TestSearchDegraded(t *testing.T) {
	x := start(t, 40)
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{"q":"mcp"}`)
	for _, target := range []string{"/v1/search?q=mcp", "/v1/servers?search=mcp&limit=3", "/v1/custom/mine"} {
		for _, down := range []bool{false, true} {
			x.serve(x.catalog, func(o *Options) {
				if down {
					o.API.Search = generate.Index{Servers: x.catalog.Servers, Down: true}
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
