package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestDistribution(t *testing.T) {
	testChecks(t, []checkCase{
		{"package_published", "a package nobody was asked about", func(f *registry.Facts) {
			f.Packages, f.Listing = nil, nil
		}, StateUnknown, 0, ""},
		{"package_published", "a package nobody was asked about, and a remote", func(f *registry.Facts) {
			f.Packages, f.Listing = nil, nil
			f.Detection.Remotes = []registry.Remote{{Type: "streamable-http",
				URL: "https://mcp.weather.dev/mcp"}}
		}, StateOK, .8, "Unknown whether npm"},
		{"package_published", "a package that is not there", func(f *registry.Facts) {
			f.Packages[0] = registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather-mcp",
				Found: ptr(false)}
			f.Listing = nil
		}, StateOK, 0, "is not published"},
		{"package_published", "a listed package that is not there", func(f *registry.Facts) {
			f.Packages[0] = registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather-mcp",
				Found: ptr(false)}
		}, StateOK, 0, "is not published"},
		{"ownership_link", "named only by the registry", func(f *registry.Facts) {
			f.Detection.Packages[0].Doubt = registry.DoubtUnnamed
		}, StateUnknown, 0, "the repository does not"},
		{"package_published", "from source", func(f *registry.Facts) {
			f.Packages, f.Detection.Packages, f.Listing, f.Detection.SourceInstall = nil, nil, nil,
				"go install example.org/x@latest"
		}, StateOK, .4, "go install"},
		{"ownership_link", "marked for another entry", func(f *registry.Facts) {
			f.Packages[0].Archive = &registry.ArchiveTools{MCPName: "io.github.other/x"}
		}, StateOK, 0, "io.github.other/x"},
		{"ownership_link", "not marked, but listed", func(f *registry.Facts) {
			f.Packages[0].Archive = nil
		}, StateOK, 1, "names this repository"},
		{"ownership_link", "no repository named", func(f *registry.Facts) {
			f.Packages[0].RepoURL = ""
		}, StateOK, .5, "but no repository"},
		{"ownership_link", "a former name", func(f *registry.Facts) {
			f.Packages[0].RepoURL, f.FormerNames = "https://github.com/former/forecasts",
				[]string{"github:former/forecasts"}
		}, StateOK, 1, "names this repository"},
		{"ownership_link", "another repository of the owner", func(f *registry.Facts) {
			f.Packages[0].RepoURL = "https://github.com/octo/forecasts"
		}, StateOK, .5, "another repository of the same owner"},
		{"ownership_link", "the same name at another owner", func(f *registry.Facts) {
			f.Packages[0].RepoURL = "https://github.com/former/weather-mcp"
		}, StateUnknown, 0, "may be a former address"},
		{"ownership_link", "the parent of a fork", func(f *registry.Facts) {
			f.Packages[0].RepoURL, f.Repo.Fork = "https://github.com/former/weather-mcp", true
		}, StateOK, 0, "names another repository"},
		{"registry_listed", "not listed, with server.json", func(f *registry.Facts) {
			f.Listing = nil
		}, StateOK, .5, "server.json"},
		{"registry_listed", "the registry was never read", func(f *registry.Facts) {
			f.Listing, f.ListingKnown = nil, false
		}, StateUnknown, 0, ""},
		{"version_sync", "behind for a hundred days", func(f *registry.Facts) {
			f.Listing.Version, f.Packages[0].LatestAt = "1.3.0", ptr(testNow.AddDate(0, 0, -100))
		}, StateOK, 0, "The official registry has 1.3.0, but the package has had 1.4.0 for 100 days."},
		{"version_sync", "ahead on the branch for four weeks", func(f *registry.Facts) {
			f.Detection.Version = "1.5.0"
		}, StateOK, 1, "for 28 days"},
		{"version_sync", "a manifest that nobody keeps", func(f *registry.Facts) {
			f.Detection.Version = "1.2.0"
		}, StateOK, 1, "The package has 1.4.0, newer than 1.2.0 in the manifest"},
		{"version_sync", "a placeholder in the manifest", func(f *registry.Facts) {
			f.Detection.Version, f.Listing = "0.0.0-development", nil
		}, StateNA, 0, ""},
		{"package_published", "listed, and not known to its service", func(f *registry.Facts) {
			f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: f.Packages[0].Identifier,
				MissingSince: ptr(testNow), ObservedAt: ptr(testNow)}}
			f.Detection.Remotes = nil
		}, StateUnknown, 0, "Its registry has not had"},
		{"install_docs", "an image by its short name", func(f *registry.Facts) {
			f.Detection.Packages = []registry.Package{{RegistryType: "oci", Identifier: "docker.io/library/tides:1.0"}}
			f.Packages, f.Listing, f.Readme.InstallNames = nil, nil, []string{"tides"}
		}, StateOK, 1, "docker.io/library/tides"},
		{"install_docs", "an image of another registry", func(f *registry.Facts) {
			f.Detection.Packages = []registry.Package{{RegistryType: "oci", Identifier: "octo/tides"}}
			f.Packages, f.Listing, f.Readme.InstallNames = nil, nil, []string{"ghcr.io/octo/tides"}
		}, StateOK, .6, "which is not"},
		{"install_docs", "a Python package in another spelling", func(f *registry.Facts) {
			f.Detection.Packages = []registry.Package{{RegistryType: "pypi", Identifier: "octo-tides"}}
			f.Packages, f.Listing, f.Readme.InstallNames = nil, nil, []string{"Octo_Tides"}
		}, StateOK, 1, "octo-tides"},
		{"install_docs", "a command for something else", func(f *registry.Facts) {
			f.Readme.InstallNames = []string{"other"}
		}, StateOK, .6, "npx"},
	})
}
