package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var variableName = regexp.MustCompile(`\bCENSUS_[A-Z][A-Z_]*[A-Z]\b`)

// Documents and deployments name only variables that exist.
func TestVariablesInDocuments(t *testing.T) {
	ours := append(names(), testVariables...)
	seen := map[string]bool{}
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variableName.FindAllString(string(text), -1) {
			seen[name] = true
			if !slices.Contains(ours, name) && !strings.HasPrefix(name, "CENSUS_TEST_") &&
				!strings.HasPrefix(name, "CENSUS_BENCH_") {
				t.Errorf("%s names %s, which census does not know", path, name)
			}
		}
	}
	for _, file := range []string{"../../README.md", "../../docker-compose.yml", "../../Makefile",
		"../../api/openapi.yaml"} {
		look(file)
	}
	for _, dir := range []string{"../../docs", "../../deploy"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".png") {
				look(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !seen["CENSUS_MEILI_URL"] || !seen["CENSUS_ADDR"] {
		t.Errorf("the search finds nothing: %v", seen)
	}
}
