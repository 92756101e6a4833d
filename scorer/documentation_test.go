package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestDocumentation(t *testing.T) {
	testChecks(t, []checkCase{
		{"readme", "no README", func(f *registry.Facts) {
			f.Readme = nil
		}, StateOK, 0, "No README."},
		{"readme", "a README that could not be read", func(f *registry.Facts) {
			f.Readme, f.Failures = nil, map[string]string{"texts": "time was up"}
		}, StateUnknown, 0, "time was up"},
		{"tools_documented", "tools unknown, a heading only", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom, f.Readme.ToolEntries = nil, "", 1
		}, StateOK, .5, "heading"},
		{"tools_documented", "no tools", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{}
		}, StateNA, 0, "no tools"},
		{"config_documented", "undescribed settings", func(f *registry.Facts) {
			f.Readme.VariablesDescribed = nil
		}, StateOK, .5, "1 of 2"},
		{"changelog", "tags only", func(f *registry.Facts) {
			f.Tree.Changelog, f.Repo.LatestReleases, f.Repo.Releases = "", nil, ptr(0)
		}, StateOK, .6, "14 releases or tags"},
	})
}
