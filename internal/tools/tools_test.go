package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func tool(name, description, schema string) registry.Tool {
	return registry.Tool{Name: name, Description: description, InputSchema: []byte(schema)}
}

func TestChoose(t *testing.T) {
	one := []registry.Tool{tool("a", "", "")}
	list := func(from string, days int, tools []registry.Tool) registry.ToolList {
		return registry.ToolList{From: from, At: day.AddDate(0, 0, days), Tools: tools}
	}
	two := []registry.Tool{tool("a", "", ""), tool("b", "", "")}
	archive := func(days int, partial bool, tools []registry.Tool) registry.ToolList {
		l := list("source", days, tools)
		l.Package, l.Partial = registry.PackageKey{RegistryType: "npm", Identifier: "tides"}, partial
		return l
	}
	stale := func(tools []registry.Tool) registry.ToolList {
		l := list("probe", 9, tools)
		l.Stale = true
		return l
	}
	for name, tc := range map[string]struct {
		lists []registry.ToolList
		want  string
		at    int
	}{
		"published_package":      {[]registry.ToolList{archive(1, false, one), list("source", 2, two)}, "source", 1},
		"incomplete_archive":     {[]registry.ToolList{archive(1, true, one), list("source", 2, two)}, "source", 2},
		"incomplete_and_readme":  {[]registry.ToolList{archive(1, true, one), list("readme", 2, two)}, "readme", 2},
		"incomplete_but_longest": {[]registry.ToolList{archive(1, true, two), list("readme", 2, one)}, "source", 1},
		"manifest_or_archive":    {[]registry.ToolList{archive(1, false, one), list("manifest", 0, one)}, "manifest", 0},
		"none":                   {nil, "", 0},
		"empty_readme":           {[]registry.ToolList{list("readme", 0, nil)}, "", 0},
		"empty_run":              {[]registry.ToolList{list("readme", 0, one), list("run", 0, nil)}, "run", 0},
		"most_reliable": {[]registry.ToolList{list("source", 9, one), list("run", 1, one),
			list("readme", 9, one)}, "run", 1},
		"stale_or_run":       {[]registry.ToolList{stale(one), list("run", 1, two)}, "run", 1},
		"stale_or_source":    {[]registry.ToolList{list("source", 1, two), stale(one)}, "source", 1},
		"stale_or_manifest":  {[]registry.ToolList{list("manifest", 1, two), stale(one)}, "manifest", 1},
		"stale_or_readme":    {[]registry.ToolList{list("readme", 1, two), stale(one)}, "probe", 9},
		"stale_or_probe":     {[]registry.ToolList{stale(one), list("probe", 1, two)}, "probe", 1},
		"stale_and_empty":    {[]registry.ToolList{list("readme", 1, two), stale(nil)}, "readme", 1},
		"only_stale":         {[]registry.ToolList{stale(one)}, "probe", 9},
		"newest":             {[]registry.ToolList{list("source", 1, one), list("source", 2, one)}, "source", 2},
		"several_endpoints":  {[]registry.ToolList{list("probe", 1, one), list("probe", 2, two)}, "probe", 1},
		"several_packages":   {[]registry.ToolList{list("run", 1, one), list("run", 2, two)}, "run", 1},
		"manifest_or_source": {[]registry.ToolList{list("manifest", 1, one), list("source", 2, one)}, "manifest", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Choose(tc.lists)
			if ok != (tc.want != "") || got.From != tc.want || ok && !got.At.Equal(day.AddDate(0, 0, tc.at)) {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	}
}

func TestHash(t *testing.T) {
	yes := true
	a := tool("a", "Reads é.", `{"type":"object","properties":{"x":{"type":"number","minimum":1.0}}}`)
	same := tool("a", "Reads é.", ` {"properties": {"x":{"minimum":1,"type":"number"}}, "type":"object"}`)
	same.Title = "Another title"
	if Hash(a) != Hash(same) {
		t.Error("the order of members or a title changes the hash")
	}
	annotated := a
	annotated.Annotations = &registry.ToolAnnotations{ReadOnly: &yes}
	hashes := []string{Hash(a), Hash(annotated), Hash(tool("a", "Reads é", string(a.InputSchema))),
		Hash(tool("a", "Reads é.", "")), Hash(tool("a", "Reads é.", "{}")),
		Hash(tool("b", "Reads é.", string(a.InputSchema))),
		Hash(tool("a", "Reads é.", `{"x":1e999}`))}
	slices.Sort(hashes)
	if n := len(slices.Compact(hashes)); n != 7 {
		t.Errorf("%d different hashes of 7 tools", n)
	}
	if Hash(a) != "" && len(Hash(a)) != 64 {
		t.Errorf("hash %q", Hash(a))
	}
	b := tool("b", "", "not JSON")
	ab, ba := Weigh([]registry.Tool{a, b}), Weigh([]registry.Tool{b, a})
	if ListHash(ab) != ListHash(ba) || ListHash(ab) == ListHash(ab[:1]) || ListHash(ab) == "" ||
		ListHash([]registry.Tool{a}) != "" {
		t.Error("ListHash")
	}
}

func TestLimit(t *testing.T) {
	long := strings.Repeat("é", MaxDescription)
	big := `{"a":"` + strings.Repeat("x", MaxSchema) + `"}`
	list := []registry.Tool{tool("a", long, "{}"), tool("a", "twice", ""), tool("", "", ""),
		tool("b", "", big), tool("c", "", "{")}
	for i := range MaxTools {
		list = append(list, tool(fmt.Sprint("n", i), "", ""))
	}
	got := Limit(list)
	if len(got) != MaxTools || len(got[0].Description) > MaxDescription ||
		!utf8.ValidString(got[0].Description) || string(got[0].InputSchema) != "{}" {
		t.Errorf("%d tools, the first %v", len(got), got[0].Name)
	}
	for _, x := range got[1:3] {
		if x.InputSchema != nil {
			t.Errorf("%s has a schema of %d bytes", x.Name, len(x.InputSchema))
		}
	}
}

func TestDiff(t *testing.T) {
	yes := true
	kept, gone := tool("kept", "Same.", `{"type":"object"}`), tool("gone", "Old.", "")
	was, is := tool("was", "Reads.", `{"type":"object"}`), tool("was", "Writes.", `{"type":"string"}`)
	is.Annotations = &registry.ToolAnnotations{ReadOnly: &yes}
	added := tool("new", "", "")
	got := Diff([]registry.Tool{was, kept, gone}, []registry.Tool{added, kept, is})
	want := []Change{
		{Name: "gone", Kind: Removed, Before: &gone},
		{Name: "new", Kind: Added, After: &added},
		{Name: "was", Kind: Changed, Fields: []string{"description", "inputSchema", "annotations"},
			Before: &was, After: &is},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestTokens(t *testing.T) {
	schema := `{"type":"object","properties":{"city":{"type":"string"}}}`
	total, each := Tokens([]registry.Tool{
		tool("get_forecast", "Returns the weather forecast of a city.", schema),
		tool("get_forecast", "Returns the weather forecast of a city.", ""),
	})
	if total != each[0]+each[1] || each[0] <= each[1] || each[1] < 12 || each[0] > 60 {
		t.Errorf("%d tokens: %d", total, each)
	}
	if total, _ := Tokens(nil); total != 0 {
		t.Errorf("%d tokens of no tool", total)
	}
}

func BenchmarkTokens(b *testing.B) {
	list := []registry.Tool{tool("get_forecast", "Returns the weather forecast of a city.",
		`{"type":"object","properties":{"city":{"type":"string"}}}`)}
	for b.Loop() {
		Tokens(list)
	}
}
