package detect

import (
	"io/fs"
	"maps"
	"slices"
	"testing"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

func TestVocabularies(t *testing.T) {
	err := fs.WalkDir(rules, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen := map[string]bool{}
		for _, line := range vocabulary.Lines(rules, p) {
			if seen[line] {
				t.Errorf("%s: %q twice", p, line)
			}
			seen[line] = true
		}
		if len(seen) == 0 {
			t.Errorf("%s has no entries", p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range registry.Categories {
		all := slices.Concat(slices.Collect(maps.Values(terms))...)
		if !slices.ContainsFunc(all, func(t term) bool { return t.category == i }) {
			t.Errorf("category %s has no terms", c)
		}
	}
	for ecosystem, want := range map[string]string{"npm": "@modelcontextprotocol/sdk", "pypi": "mcp", "cargo": "rmcp"} {
		if r, ok := sdkPackages[ecosystem][want]; !ok || r.rank != 0 || r.language == "" ||
			r.framework != "" {
			t.Errorf("%s %s: got %+v, %v", ecosystem, want, r, ok)
		}
	}
}
