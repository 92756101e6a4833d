package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

type request struct {
	Category string   `query:"category,field=category,list"`
	Search   string   `query:"search,search,max=20,list"`
	MinScore *float64 `query:"minScore,min=0,max=100,list"`
	Limit    int      `query:"limit,min=1,max=100,default=20"`
	Offset   *int     `query:"offset"`
	Format   string   `query:"format,oneof=json|mcp"`
	Facets   bool     `query:"facets,default=true"`
	Filters  Filters  `query:"filters,list"`
	Sort     Sort     `query:"sort,list"`
	Names    []string `query:"names,max=8,most=3"`
	Kinds    []string `query:"kinds,oneof=new|old"`
}

func TestParseQuery(t *testing.T) {
	minScore, offset := 79.5, 7
	for _, tt := range []struct {
		raw  string
		want request
	}{
		{"", request{Limit: 20, Facets: true}},
		{"limit=007&offset=7&facets=false", request{Limit: 7, Offset: &offset}},
		{"category=Data&minScore=79.5&format=", request{Category: "data", MinScore: &minScore, Limit: 20, Facets: true}},
		{"search=+two++words+", request{Search: "two words", Limit: 20, Facets: true}},
		{"search=%E2%80%8Btwo+wo%C2%ADrds%00", request{Search: "two words", Limit: 20, Facets: true}},
		{"search=%EF%BB%BF", request{Limit: 20, Facets: true}},
		{"sort=-stars", request{Sort: Sort{Text: "-stars"}, Limit: 20, Facets: true}},
		{"names=b&names=a&names=", request{Names: []string{"b", "a"}, Limit: 20, Facets: true}},
		{"names=", request{Names: []string{}, Limit: 20, Facets: true}},
		{"search=" + strings.Repeat("ж", 20), request{Search: strings.Repeat("ж", 20), Limit: 20, Facets: true}},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			var got request
			var faults Faults
			if err := ParseQuery(tt.raw, &got, &faults); err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseQueryFaults(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want string
	}{
		{"limit=500", "limit must be a whole number between 1 and 100, got 500"},
		{"limit=1e1", `limit must be a whole number between 1 and 100, got "1e1"`},
		{"offset=-1", `offset must be a whole number of at least 0, got "-1"`},
		{"kinds=older", `kinds[0] must be new or old, got "older"`},
		{"limit=1&limit=2", "limit must be given once, got 2 values"},
		{"minScore=101", "minScore must be a number between 0 and 100, got 101"},
		{"minScore=", `minScore must be a number between 0 and 100, got ""`},
		{"format=xml", `format must be json or mcp, got "xml"`},
		{"facets=yes", `facets must be true or false, got "yes"`},
		{"search=" + strings.Repeat("x", 21), "search must be at most 20 characters long, got 21"},
		{"names=a&names=ninechars", "names[1] must be at most 8 characters long, got 9"},
		{"names=a&names=b%00", "names[1] must not contain the invisible character U+0000"},
		{"names=a&names=b&names=c&names=d", "names must have at most 3 values, got 4"},
		{"category=a%00", "category must not contain the invisible character U+0000"},
		{"search=a%FF", "search must be valid text"},
		{"Limit=5", "Limit is not a parameter; did you mean limit?"},
		{"serach=x", "serach is not a parameter; did you mean search?"},
		{"sorts=x", "sorts is not a parameter; did you mean sort?"},
		{"min_scor=x", "min_scor is not a parameter; did you mean minScore?"},
		{"seacrhh=x&srt_by=x&ffset=1", "ffset is not a parameter; did you mean offset?"},
		{"server=x",
			"server is not a parameter of this endpoint; it accepts category, search, minScore, limit, offset, format, facets, filters, sort, names, kinds"},
		{"q=x",
			"q is not a parameter of this endpoint; it accepts category, search, minScore, limit, offset, format, facets, filters, sort, names, kinds"},
		{"utm_source=x", ""},
		{"liveness=down",
			`liveness is not a parameter of this endpoint; use filters={"liveness": …} of /v1/search, with a key`},
		{"filter[tool_count][gte]=3",
			`filter[tool_count][gte] is not a parameter of this endpoint; use filters={"toolCount": …} of /v1/search, with a key`},
		{"filter[colour]=red", ""},
		{`filters={"stars":"many"}`, "filters.stars must be a number"},
		{"limit=0&offset=x",
			`limit must be a whole number between 1 and 100, got 0; offset must be a whole number of at least 0, got "x"`},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			var got request
			var faults Faults
			if err := ParseQuery(tt.raw, &got, &faults); err != nil {
				t.Fatal(err)
			}
			said := ""
			if err := faults.Err(); err != nil {
				said = err.Error()
			}
			if said != tt.want {
				t.Errorf("got  %s\nwant %s", said, tt.want)
			}
		})
	}
	for _, raw := range []string{"a=%zz", "a;b"} {
		if err := ParseQuery(raw, &request{}, &Faults{}); err == nil {
			t.Errorf("%q is accepted", raw)
		}
	}
}

func TestParseBody(t *testing.T) {
	var got request
	var faults Faults
	body := `{"search": "a b", "limit": 5, "facets": false, "filters": {"sdk": ["js"]}, "sort": "name", "names": ["x"], "format": null}`
	if err := ParseBody([]byte(body), &got, &faults); err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	want := request{Search: "a b", Limit: 5, Sort: Sort{Text: "name"}, Names: []string{"x"}, Filters: got.Filters}
	if diff := cmp.Diff(want, got); diff != "" || got.Filters.Text != `{"sdk":["js"]}` || len(got.Filters.List) != 1 {
		t.Errorf("filters %+v, %s", got.Filters, diff)
	}
	err := ParseBody([]byte(`{"limit": "5", "facets": 1, "names": ["a", 2], "search": 3, "nope": 1, "limit": 6}`), &got, &faults)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range faults.Err().(*registry.Error).Fields {
		fields = append(fields, f.Field)
	}
	if diff := cmp.Diff([]string{"facets", "limit", "limit", "names[1]", "nope", "search"}, fields); diff != "" {
		t.Error(diff)
	}
	for _, body := range []string{"", "[]", `{"a":1`, "{} {}", "{\"a\":\"\xff\"}"} {
		if err := ParseBody([]byte(body), &request{}, &Faults{}); err == nil {
			t.Errorf("%q is accepted", body)
		}
	}
}

func FuzzParseBody(f *testing.F) {
	for _, s := range []string{`{}`, `{"search":"x","filters":{"stars":{"gte":1}}}`, `{"names":["a",1]}`, `[`, `{"search":1}{`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var r request
		var faults Faults
		if err := ParseBody(body, &r, &faults); err == nil && len(faults) == 0 && (r.Limit < 1 || r.Limit > 100 || utf8.RuneCountInString(r.Search) > 20) {
			t.Errorf("%q gives %+v", body, r)
		}
	})
}
