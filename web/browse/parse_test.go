package browse

import (
	"errors"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/internal/registry"
)

func TestParse(t *testing.T) {
	for raw, want := range map[string]Request{
		"":                                    {},
		"q=+a++b%0A&page=2":                   {Q: "a b", Page: 2},
		"search=a":                            {Q: "a"},
		"q=a&search=b&q=c":                    {Q: "a"},
		"sdk=ts&sdk=go&sdk=&sdk=typescript":   {SDKs: []string{"go", "typescript"}},
		"has=remote&has=package&limit=5":      {Has: []string{"package", "remote"}},
		"minScore=65":                         {Grades: []string{"A", "B"}},
		"minScore=0":                          {},
		"minScore=81&grade=b":                 {Grades: []string{"B"}},
		"license=MIT&tag=weather&owner=Octo":  {Licenses: []string{"MIT"}, Tag: "weather", Owner: "Octo"},
		"page=99999999999999999999&sort=name": {Page: math.MaxInt32, Sort: "name"},
		"utm_source=x&cursor=y&Page=7&page=":  {},
	} {
		want.Page = max(want.Page, 1)
		got, err := Parse(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
	for raw, want := range map[string]string{
		"%zz":                                "query is not a valid query string",
		"page=0&category=data":               `page must be a whole number between 1 and 2147483647, got 0`,
		"sort=luck":                          "sort must be one of recommended, qualityScore, popularity, stars, downloads, updated, created, toolTokens, name, got \"luck\"",
		"minScore=81":                        "minScore must be 80, 65, 50 or 30",
		"has=x":                              `has must be package or remote, got "x"`,
		"sdk=go&sdk=cobol":                   `sdk must be one of`,
		strings.Repeat("sdk=go&", 11):        "sdk must have at most 10 values, got 11",
		"tag=mcp_" + strings.Repeat("a", 43): "tag must not contain an API key; if the key works, revoke it",
	} {
		_, err := Parse(raw)
		var e *registry.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Fields[0].Field+" "+e.Fields[0].Message, want) {
			t.Errorf("%s: %v, want %s", raw, e, want)
		}
	}
}

// TestRequest compares the tags with the lists that pages offer.
func TestRequest(t *testing.T) {
	for _, o := range Orders {
		if _, err := Parse("sort=" + o.Value); err != nil {
			t.Error(err)
		}
	}
	for _, f := range Filters {
		for _, v := range f.All {
			r, err := Parse(f.Param + "=" + url.QueryEscape(v))
			if diff := cmp.Diff([]string{v}, f.Values(r)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		}
	}
	long := strings.Repeat("ж", MaxLength)
	for _, param := range []string{"q", "search", "tag", "owner", "license"} {
		if _, err := Parse(param + "=" + long); err != nil {
			t.Errorf("%s of %d characters: %v", param, MaxLength, err)
		}
		if _, err := Parse(param + "=" + long + "a"); err == nil {
			t.Errorf("%s of %d characters is accepted", param, MaxLength+1)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, q := range []string{"q=a&page=2", "category=data&sdk=ts", "%zz", "q=%ff&sort=x"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, registry.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		u, err := url.Parse(b.URL(b.Page))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(u.RawQuery)
		switch kind, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); kind {
		case "categories":
			again.Categories = append(again.Categories, name)
		case "tags":
			again.Tag = name
		case "owners":
			again.Owner = name
		}
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v became %+v by %s, %v", b, again, u, err)
		}
	})
}
