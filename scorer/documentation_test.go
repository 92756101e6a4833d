package scorer

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestDocumentation(t *testing.T) {
	testChecks(t, []checkCase{
		{"readme", "no README", func(f *registry.Facts) {
			f.Readme = nil
		}, StateOK, 0, "No README."},
		{"readme", "a README that could not be read", func(f *registry.Facts) {
			f.Readme, f.Failures = nil, map[string]string{"readme": "time was up"}
		}, StateUnknown, 0, "The README was not read."},
		{"tools_documented", "tools unknown, a heading only", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom, f.Readme.ToolEntries = nil, "", 1
		}, StateOK, .35, "heading"},
		{"tools_documented", "tools that cannot be read", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom, f.Detection.ToolsPartial = nil, "", true
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
		}, StateUnknown, 0, "could not be read"},
		{"tools_documented", "tools that only the README lists", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom, f.Detection.ToolsPartial = nil, "", true
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = true, 3, 0
		}, StateOK, .7, "lists 3 tools"},
		{"tools_documented", "no tools", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{}
		}, StateNA, 0, "no tools"},
		{"config_documented", "undescribed settings", func(f *registry.Facts) {
			f.Detection.Variables[0].Description = ""
			f.Listing.Packages[0].EnvironmentVariables = nil
		}, StateOK, .5, "1 of 2"},
		{"config_documented", "a name in words", func(f *registry.Facts) {
			v := &f.Detection.Variables[0]
			f.Listing.Packages[0].EnvironmentVariables = nil
			v.Name, v.Description = "SOME_KEY", "Some key"
		}, StateOK, .5, "1 of 2"},
		{"tools_documented", "a description of two words", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things"}, {Name: "b", Description: "b"}}
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
		}, StateOK, .5, "1 of 2"},
		{"tools_documented", "a description of one word", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Ships."}}
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
		}, StateOK, 0, "No description, or only one word or a placeholder, for 1 of 1 tools."},
		{"tools_documented", "more tools in the source than in the README", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things"}, {Name: "b"}, {Name: "c"}}
			f.Readme.ToolsNamed, f.Readme.ToolsExplained = 2, 2
		}, StateOK, 1, "No description for 2 of 3 tools. The README describes 2 of the 2"},
		{"tools_documented", "an incomplete list", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things"}}
			f.Detection.ToolsPartial = true
		}, StateUnknown, 0, "Not all of its tools, or not all of their descriptions, could be read."},
		{"tools_documented", "descriptions in files that were not read", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", DescriptionUnread: true}}
		}, StateUnknown, 0, "Not all of its tools, or not all of their descriptions, could be read."},
		{"tools_documented", "one description is not read", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", DescriptionUnread: true}, {Name: "b"},
				{Name: "c", Description: "Lists things"}}
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
		}, StateOK, .5, "No description for 1 of 2 tools"},
		{"tools_documented", "an endpoint completes the list", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things"}}
			f.Detection.ToolsPartial = true
			probed(f, registry.Tool{Name: "a", Description: "Lists things"}, registry.Tool{Name: "b"})
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
		}, StateOK, .5, "No description for 1 of 2 tools that the endpoint lists"},
		{"tools_documented", "an endpoint describes them", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a"}, {Name: "b"}}
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
			probed(f, registry.Tool{Name: "a", Description: "Lists things"}, registry.Tool{Name: "b", Description: "Adds things"})
		}, StateOK, 1, "2 of 2 tools that the endpoint lists"},
		{"tools_documented", "an endpoint describes fewer", func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things"}, {Name: "b"}}
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = false, 0, 0
			probed(f, registry.Tool{Name: "a"}, registry.Tool{Name: "b"})
		}, StateOK, .5, "No description for 1 of 2 tools."},
		{"tools_documented", "only an endpoint has tools", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom = nil, ""
			f.Readme.ToolHeading, f.Readme.ToolEntries, f.Readme.ToolsNamed = true, 2, 0
			probed(f, registry.Tool{Name: "a", Description: "Lists things"}, registry.Tool{Name: "b"}, registry.Tool{Name: "c"})
		}, StateOK, .7, "The README lists 2 tools"},
		{"tools_documented", "a README of the folder that was not read", func(f *registry.Facts) {
			f.Detection.Tools, f.Detection.ToolsFrom, f.Readme = nil, "", nil
			f.Failures = map[string]string{"readme": "too many files"}
		}, StateUnknown, 0, "Neither the tools nor the README were read."},
		{"config_documented", "no settings found", func(f *registry.Facts) {
			f.Detection.Variables, f.Listing.Packages[0].EnvironmentVariables = nil, nil
		}, StateUnknown, 0, "Unknown which environment variables it needs."},
		{"config_documented", "no settings read", func(f *registry.Facts) {
			f.Detection.Variables, f.Listing.Packages[0].EnvironmentVariables = nil, nil
			f.Detection.ReadsNoVariables = true
		}, StateNA, 0, "No environment variables."},
		{"config_documented", "undescribed settings, an unread README", func(f *registry.Facts) {
			f.Detection.Variables[0].Description = ""
			f.Listing.Packages[0].EnvironmentVariables = nil
			f.Readme, f.Failures = nil, map[string]string{"readme": "too many files"}
		}, StateUnknown, 0, "which may describe the environment variables, was not read."},
		{"changelog", "tags only", func(f *registry.Facts) {
			f.Tree.Changelog, f.Repo.LatestReleases, f.Repo.Releases = "", nil, ptr(0)
		}, StateOK, .6, "14 releases or tags"},
	})
}

func TestToolsDocumentedEvidence(t *testing.T) {
	described := []registry.Tool{{Name: "a", Description: "Lists things"}}
	npm := func(f *registry.Facts) *registry.PackageFacts {
		f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "@octo/weather-mcp"}}
		return &f.Packages[0]
	}
	for name, tc := range map[string]struct {
		set    func(f *registry.Facts)
		source string
		want   string // types and references of the evidence
	}{
		"readme": {func(f *registry.Facts) {
			f.Detection.ToolsFrom, f.Detection.Tools = registry.ToolsFromReadme, described
		}, "github", "file README.md"},
		"source": {func(f *registry.Facts) { f.Detection.Tools = described },
			"github", "source source code"},
		"source described in the README": {func(f *registry.Facts) {
			f.Detection.Tools = []registry.Tool{{Name: "a", Description: "Lists things",
				DescriptionFrom: registry.ToolsFromReadme}}
		}, "github", "source source code, file README.md"},
		"manifest": {func(f *registry.Facts) {
			f.Detection.ToolsFrom, f.Detection.Tools = registry.ToolsFromManifest, described
		}, "github", "source manifest"},
		"archive": {func(f *registry.Facts) {
			f.Detection.Tools = f.Detection.Tools[2:]
			npm(f).Archive = &registry.ArchiveTools{Tools: described, Version: "1.2.0"}
		}, "npm", "package npm:@octo/weather-mcp"},
		"run": {func(f *registry.Facts) {
			f.Detection.Tools = f.Detection.Tools[2:]
			npm(f).Inspection = &registry.Inspection{Tools: described, At: testNow}
		}, "run", "package npm:@octo/weather-mcp"},
		"probe": {func(f *registry.Facts) {
			f.Detection.Tools = f.Detection.Tools[2:]
			probed(f, described...)
		}, "probe", "endpoint https://tides.dev/mcp"},
		"run with the same tools": {func(f *registry.Facts) {
			f.Detection.Tools = described
			npm(f).Inspection = &registry.Inspection{Tools: described, At: testNow}
		}, "run", "package npm:@octo/weather-mcp"},
		"probe with the same tools": {func(f *registry.Facts) {
			f.Detection.Tools = described
			probed(f, described...)
		}, "probe", "endpoint https://tides.dev/mcp"},
		"more in the README": {func(f *registry.Facts) {
			f.Detection.Tools = f.Detection.Tools[2:]
		}, "github", "file README.md"},
	} {
		t.Run(name, func(t *testing.T) {
			f := load(t, "healthy")
			tc.set(&f)
			c := find(t, Health(f, testNow), "tools_documented")
			var got []string
			for _, e := range c.Evidence {
				got = append(got, e.Type+" "+e.Ref)
			}
			if list := strings.Join(got, ", "); list != tc.want || c.Source != tc.source {
				t.Errorf("got %s from %s, want %s from %s: %s", list, c.Source, tc.want, tc.source, c.Reason)
			}
		})
	}
}

// probed adds an endpoint that listed tools.
func probed(f *registry.Facts, tools ...registry.Tool) {
	at := f.Repo.ObservedAt
	f.Endpoints = append(f.Endpoints, registry.PackageFacts{RegistryType: registry.RemoteType,
		Identifier: "https://tides.dev/mcp", Probe: &registry.Probe{Tools: tools, ToolsAt: &at}})
}
