package golang

import (
	"strings"
	"testing"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

// TestCorpus compares the tools in the sources of repositories with the responses of their
// programs.
func TestCorpus(t *testing.T) {
	isRead := func(p string) bool {
		return strings.HasSuffix(p, ".go") && !listing.IsAside("", p)
	}
	sourcetest.Compare(t, "tools_go", sourcetest.Floors{Names: 0.57, Descriptions: 0.88, Properties: 0.8},
		func(a sourcetest.Response) (map[string]string, error) { return sourcetest.Mirror(a, isRead) },
		func(_ sourcetest.Response, files map[string]string) []registry.Tool {
			tools, _ := Tools(files, nil)
			return tools
		})
}
