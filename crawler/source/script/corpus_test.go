package script

import (
	"path"
	"testing"

	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/internal/registry"
)

func isRead(p string) bool { return IsSource(p) || path.Ext(p) == ".json" }

// TestCorpus compares the tools in the sources of repositories with the responses of their
// packages. The sources are newer than the packages.
func TestCorpus(t *testing.T) {
	sourcetest.Compare(t, "tools", sourcetest.Floors{Names: 0.70, Descriptions: 0.50, Properties: 0.64},
		func(a sourcetest.Response) (map[string]string, error) { return sourcetest.Mirror(a, isRead) },
		func(a sourcetest.Response, files map[string]string) []registry.Tool {
			return Tools(files, []string{a.Directory}, nil).Tools
		})
}

// TestPackages compares the tools in published packages with their responses.
func TestPackages(t *testing.T) {
	sourcetest.Compare(t, "tools", sourcetest.Floors{Names: 0.88, Descriptions: 0.79, Properties: 0.68},
		func(a sourcetest.Response) (map[string]string, error) { return sourcetest.Archive(a, isRead) },
		func(_ sourcetest.Response, files map[string]string) []registry.Tool {
			return Tools(files, nil, nil).Tools
		})
}
