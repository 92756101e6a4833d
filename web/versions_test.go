package web

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestPagesOfPackages(t *testing.T) {
	for _, c := range [][3]string{
		{"npm", "@octo/weather", "https://deps.dev/npm/@octo%2Fweather"},
		{"pypi", "mcp-server-git", "https://deps.dev/pypi/mcp-server-git"},
		{"go", "github.com/octo/weather", "https://deps.dev/go/github.com%2Focto%2Fweather"},
		{"oci", "ghcr.io/octo/weather:1.2.0", "https://github.com/octo/pkgs/container/weather"},
		{"oci", "docker.io/mcp/git@sha256:00", "https://hub.docker.com/r/mcp/git"},
		{"oci", "mcp/git", "https://hub.docker.com/r/mcp/git"},
		{"oci", "quay.io/octo/weather", ""},
		{"oci", "ghcr.io/../x", ""},
		{"oci", "ghcr.io/a/b?c", ""},
		{"oci", "", ""},
		{"npm", `"><script>alert(1)</script>`, "https://deps.dev/npm/%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E"},
		{"npm", strings.Repeat("a", 400), ""},
		{"mcpb", "https://octo.example/weather.mcpb", "https://octo.example/weather.mcpb"},
		{"mcpb", "javascript:alert(1)", ""},
		{"other", "x", ""},
	} {
		if got := packagePage(c[0], c[1]); got != c[2] {
			t.Errorf("%s %.40s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestAServerPageShowsVersionsWithTheirDates(t *testing.T) {
	first, latest, older := now.AddDate(-1, 0, 0), now.AddDate(0, 0, -12), now.AddDate(0, 0, -60)
	notice, versions := "use <b>another</b>", 17
	s := hostile("weather", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.6.0"}, {RegistryType: "pypi", Identifier: "weather"}}
	releases := []registry.Release{{Tag: "v1.6.0", PublishedAt: &latest}, {Tag: "v1.5.0/<i>", PublishedAt: &older, Prerelease: true}}
	facts := []registry.PackageFacts{{RegistryType: "pypi", Identifier: "other"}, {RegistryType: "npm", Identifier: "@octo/weather", Latest: "1.6.0", LatestAt: &latest, FirstAt: &first, Versions: &versions, Deprecated: &notice}}
	figures := &fakeFigures{of: map[string]registry.Published{"weather": {Packages: facts, Releases: releases}}}
	page := newSite(t, []registry.Server{s}, func(o *Options) { o.Figures = figures }).page("/servers/weather", 200)
	_, section, _ := strings.Cut(page, `<h2 id="packages">Versions</h2>`)
	section, _, _ = strings.Cut(section, "</section>")
	for _, want := range []string{
		`href="https://deps.dev/npm/@octo%2Fweather"`, ">17<", first.Format("2 Jan 2006"), latest.Format("2 Jan 2006"), older.Format("2 Jan 2006"),
		"use &lt;b&gt;another&lt;/b&gt;", "/releases/tag/v1.6.0\"", "/releases/tag/v1.5.0%2F%3Ci%3E", "pre-release", "Newest releases", "<td>unknown</td>",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("no %s in\n%s", want, section)
		}
	}
	// What the service says of another version than the newest known one is no
	// date of that.
	s.Packages[0].Version = "2.0.0"
	if p := packagesOf(s.Packages, facts); p[0].LatestAt != nil || p[0].Version != "2.0.0" || p[0].FirstAt == nil {
		t.Errorf("%+v", p[0])
	}
	bare := hostile("bare", "Bare")
	bare.Packages = nil
	figures.of["bare"] = registry.Published{Releases: []registry.Release{{Tag: "v0.1", PublishedAt: &older}}}
	if page := newSite(t, []registry.Server{bare}, func(o *Options) { o.Figures = figures }).page("/servers/bare", 200); !strings.Contains(page, "<h3>Newest release") || strings.Contains(page, "Newest releases") || !strings.Contains(page, "v0.1") {
		t.Error("a lone tag is not shown")
	}
	if page := newSite(t, []registry.Server{bare}).page("/servers/bare", 200); strings.Contains(page, ">Versions<") {
		t.Error("a part about versions without any")
	}
}

func TestDownloadsAreNamedWhereTheyMayBe(t *testing.T) {
	n := int64(30)
	p := serverPage{record: record{DownloadsBreakdown: map[string]*int64{"npm": &n, "pypi": nil, "oci": nil}}}
	p.Packages = []registry.Package{{RegistryType: "npm"}, {RegistryType: "oci"}}
	got := p.DownloadsFrom()
	if len(got) != 2 || got[0].Of != "npm" || *got[0].Count != 30 || got[1].Of != "container" || got[1].Count != nil {
		t.Errorf("%+v", got)
	}
	p.Repository.URL = "https://github.com/Octo/Weather"
	for home, want := range map[string]string{"https://github.com/octo/weather#readme": "", "https://github.com/octo/weather/tree/main/a": "", "https://weather.example": "https://weather.example", "": ""} {
		if p.Homepage = home; p.OwnSite() != want {
			t.Errorf("%s: %q", home, p.OwnSite())
		}
	}
}
