package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestHistory(t *testing.T) {
	a, b := tool("a", "A", ""), tool("b", "B", "")
	list := func(from, version, last string, tools ...registry.Tool) registry.ToolList {
		return registry.ToolList{From: from, Version: version, LastVersion: last, Tools: tools}
	}
	archived := list("source", "1", "", b)
	archived.Package = registry.PackageKey{RegistryType: "npm", Identifier: "tides"}
	type row struct {
		Moved       string
		Changes     int
		Same, First bool
	}
	for name, tc := range map[string]struct {
		lists []registry.ToolList
		want  []row
	}{
		"none": {nil, nil},
		"new version": {[]registry.ToolList{list("run", "2", "", a, b), list("run", "1", "", a)},
			[]row{{"", 1, false, false}, {First: true}}},
		"same version": {[]registry.ToolList{list("run", "1", "", b), list("run", "1", "", a)},
			[]row{{"", 2, true, false}, {First: true}}},
		"same as the last version": {[]registry.ToolList{list("source", "2", "", b), list("source", "1", "2", a)},
			[]row{{"", 2, true, false}, {First: true}}},
		"unknown version": {[]registry.ToolList{list("probe", "", "", b), list("probe", "", "", a)},
			[]row{{"", 2, false, false}, {First: true}}},
		"other source": {[]registry.ToolList{list("run", "1", "", b), list("readme", "1", "", a)},
			[]row{{"readme", 0, false, false}, {First: true}}},
		"archive after the repository": {[]registry.ToolList{archived, list("source", "1", "", a)},
			[]row{{"source", 0, false, false}, {First: true}}},
		"back to the source": {[]registry.ToolList{list("run", "1", "", b),
			list("source", "1", "", a), list("run", "1", "", a)},
			[]row{{"source", 2, true, false}, {"run", 0, false, false}, {First: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []row
			for _, r := range History(tc.lists) {
				moved := ""
				if r.Moved != nil {
					moved = r.Moved.From
				}
				got = append(got, row{moved, len(r.Changes), r.SameVersion, r.First()})
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
