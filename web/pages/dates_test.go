package pages_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// datedServers returns a server whose facts all have a date, and another one.
func datedServers() []registry.Server {
	day := func(n int) *time.Time {
		at := time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC)
		return &at
	}
	x, downloads := webtest.Hostile("tide", "Tide"), int64(12)
	x.LastCrawledAt, x.ScoredAt, x.Health.ComputedAt = day(1), day(2), *day(2)
	x.Downloads, x.DownloadsAt = &downloads, day(3)
	x.Tools, x.ToolsFrom, x.ToolsAt = []registry.Tool{{Name: "get_tide"}}, registry.ToolsFromReadme, day(4)
	x.ToolsHash = "b482019863ab2983b794abc4ecadaed1b60a210299583bde1844144f175f3bef"
	n := 1
	chance := .91
	x.Health.CommitChance, x.Health.Version = &chance, "mh-1"
	x.Status = registry.StatusActive
	x.ToolCount = &n
	score := 90
	x.Health.Status, x.Health.Grade = registry.HealthScored, "A"
	x.Health.Score, x.Health.Low, x.Health.High = &score, &score, &score
	x.Packages = []registry.Package{{RegistryType: "npm", Identifier: "tides",
		Inspection: &registry.Inspection{Outcome: registry.InspectionCrashed, Version: "1.2.0",
			Detail: "no *tide*", Hosts: []string{"a.tide.example", "b.tide.example"}, At: *day(5)}}}
	x.Remotes = []registry.Remote{{Type: "sse", URL: "https://tide.example/sse",
		Liveness: &registry.Liveness{
			State: registry.ProbeOpen, Uptime30: new(.995), Probes: 120, Since: *day(1),
			CheckedAt: *day(6),
		}}}
	x.Health.Categories = []registry.HealthSection{{Category: "protocol", Checks: []registry.Check{
		{ID: "ci", Name: "CI", Result: "fail", Reason: "There is none.", Max: 2, Source: "osv", ObservedAt: day(7)},
		{ID: "sdk", Name: "SDK", Result: "notApplicable", Reason: "There is none.", Source: "packages"},
	}}}
	x.Health.Caps = []registry.Cap{{ID: "no_license", Max: 60, Reason: "No license file.", Applied: true}}
	x.Liveness = registry.LivenessAlive
	x.License, x.LicenseFrom = "MIT", registry.GitHub
	x.Official, x.OfficialReason, x.ReleasedAt = true, "Octo is the vendor.", day(1)
	x.SilentChange = &registry.SilentChange{Source: "probe", Version: "1.0", At: *day(9)}
	x.Health.Flags = []string{"tools_changed"}
	x.Copy = &registry.Copy{Kind: "copy", Of: "other", Reason: "The tools are the same.", Since: *day(8)}
	other := webtest.Hostile("other", "Other")
	other.Remotes, other.Health.ComputedAt = nil, *day(1)
	other.ScoredAt, other.Downloads, other.ToolCount = day(1), nil, nil
	other.Health.Score, other.Health.Low, other.Health.High = &score, &score, &score
	other.LatestVersion, other.VersionFrom, other.VersionAt = "0.3.0", registry.VersionManifest, day(1)
	other.Status, other.StatusFrom, other.StatusAt = registry.StatusDeprecated, "npm", day(10)
	other.License, other.LicenseFrom, other.LastCrawledAt = "Apache-2.0", registry.LicenseFromManifest, day(1)
	return []registry.Server{x, other}
}

// TestDates checks that the source and date of facts about a server are on its page, in its list of
// sources or a title, and in other pages and documents.
func TestDates(t *testing.T) {
	s := sitetest.New(t, datedServers())
	for address, want := range map[string][]string{
		"/servers": {`title="Scored 2 Nov 2026"`, `title="Counted by package registries on 3 Nov 2026"`,
			`title="Read from the README on 4 Nov 2026"`,
			`title="Octo is the vendor. Read from GitHub on 1 Nov 2026."`,
			`title="The tools are the same. Found on 8 Nov 2026."`,
			`title="Its tools changed on 9 Nov 2026 without a new version (1.0). ` +
				`Review the changes before you use it. (probe, 9 Nov 2026)">tools changed`},
		"/servers/tide": {`title="probe, 9 Nov 2026"><b>Its tools changed on 9 Nov 2026 ` +
			`without a new version (1.0). Review the changes before you use it.</b> ` +
			`<a href="/servers/tide/versions#tool-changes">Details</a>`, `title="comparison of servers, 8 Nov 2026"`,
			`"isBasedOn":"https://github.com/evil/tide","sdDatePublished":"2026-11-01"`,
			`"userInteractionCount":12,"startTime":"2026-10-04","endTime":"2026-11-03"`,
			`content="Tide · evil: health 90 of 100, grade A, 2 Nov 2026"`,
			`<tr><td>package registries</td><td>Downloads</td><td class="date"><time datetime="2026-11-03`,
			`<tr><td>Read from the README</td><td>Tools</td><td class="date"><time datetime="2026-11-04`,
			`<tr><td>OSV</td><td>Checks</td><td class="date"><time datetime="2026-11-07`},
		"/servers/tide/health": {`title="GitHub, 1 Nov 2026"><b>Limited to 60</b>: No license file.`,
			`<p title="OSV, 7 Nov 2026">There is none.</p>`, `title="Model mh-1, 2 Nov 2026"`},
		"/servers/tide/versions": {"Checked 5 Nov 2026", "Hosts looked up before any call: <code>a.tide.example</code>, <code>b.tide.example</code>."},
		"/servers/tide/tools": {`title="Read from the README (version unknown) on 4 Nov 2026.">Read from the README (version unknown).`,
			`<a href="/docs/tools#hashes">Hash</a> <code title="b482019863ab2983b794abc4ecadaed1b60a210299583bde1844144f175f3bef">b48201986` + "3ab</code>."},
		"/servers/tide.md": {"\nLimited to 60: No license file. (GitHub, 1 Nov 2026)\n",
			"- CI: fail, 0.0 of 2.0. There is none. (OSV, 7 Nov 2026)",
			"- SDK: not applicable. There is none.\n",
			"  - Crashed when started in a sandbox without network and with made-up values, version 1.2.0. " +
				"Checked 5 Nov 2026. `no *tide*` Hosts looked up before any call: `a.tide.example`, `b.tide.example`.", "Checked 6 Nov 2026", "GitHub, 1 Nov 2026",
			"grade A, scored 2 Nov 2026", "- Downloads in 30 days: 12 (3 Nov 2026)",
			"- 91% chance of another commit within 90 days, judging by similar servers (model mh-1, 2 Nov 2026)",
			"on 4 Nov 2026. Hash: b482019863ab.\n",
			"The tools are the same.** Use instead: `other` (comparison of servers, 8 Nov 2026)",
			"**Its tools changed on 9 Nov 2026 without a new version (1.0). " +
				"Review the changes before you use it.** (probe, 9 Nov 2026)\n"},
		"/owners/evil": {`<span class="status" title="The server is deprecated. Other (npm, 10 Nov 2026)">deprecated</span>`},
		"/servers/other": {`<p title="npm, 10 Nov 2026"><b>The server is deprecated. Other</b>`,
			`<tr><td>npm</td><td>Status</td><td class="date"><time datetime="2026-11-10`,
			`0.3.0 <small class="aged">unreleased</small>`,
			`Apache-2.0 <small class="aged">in the manifest</small>`,
			`<tr><td>manifest on the default branch at GitHub</td><td>Latest version</td>`,
			`<tr><td>manifest in the repository, not a license file</td><td>License</td>`},
		"/servers/other.md": {"**The server is deprecated. Other** (npm, 10 Nov 2026)", "- Status: npm, 10 Nov 2026",
			"- Latest version: 0.3.0 (unreleased)",
			"- License: Apache-2.0 (in the manifest)"},
		"/badge/tide.svg": {": A · 90, scored 2 Nov 2026</title>", `: A · 90, scored 2 Nov 2026">`},
		"/feed.atom":      {"(Read from GitHub on 1 Nov 2026)</summary>"},
		"/llms.txt":       {"A registry of 2 MCP (Model Context Protocol) servers on 20 Nov 2026"},
		"/compare?s=tide&s=other": {`scope="row">Package run in a sandbox`,
			"Crashed when started in a sandbox without network and with made-up values, version 1.2.0. Checked 5 Nov 2026.", "not run",
			"99.5% of 120 probes in 30 days",
			`scope="row">Latest version`, "0.3.0 (unreleased)",
			"MIT (GitHub)",
			`title="Scored 2 Nov 2026"`,
			"Apache-2.0 (in the manifest)"},
	} {
		t.Run(address, func(t *testing.T) {
			_, body := s.Get(address)
			for _, text := range want {
				if !strings.Contains(body, text) {
					t.Errorf("no %q in\n%s", text, body)
				}
			}
		})
	}
}

var (
	aSource = regexp.MustCompile(
		"(?i)GitHub|npm|OSV|official registry|package registries|README|endpoint|probe|model|comparing",
	)
	aDate = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} 20\d\d\b`)
)

// printed returns the text that readers see of an element before they open anything.
func printed(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
		for c := range n.ChildNodes() {
			if n.Data != "details" || c.Data == "summary" {
				walk(c)
			}
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// whole returns the text of an element.
func whole(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// isDated reports whether a text names a source and a date.
func isDated(text string) bool { return aSource.MatchString(text) && aDate.MatchString(text) }

// isUnknown reports whether a part of a page states no facts.
func isUnknown(text string) bool {
	return slices.ContainsFunc([]string{"Unknown: the repository has not been read yet.",
		"Not enough data for a score yet.", "Not checked yet."}, func(s string) bool {
		return strings.Contains(text, s) && !strings.Contains(text, "Model")
	})
}

// sourcesOf are the names of the facts of a server's page, with their names in its list of
// sources and dates.
var sourcesOf = map[string]string{
	"Stars": "stars", "Latest version": "Latest version", "Last commit": "commits", "License": "License",
	"Discovered via": "Registry entry", "Released": "releases", "Category": "category",
	"Owner": "Owner", "Website": "website", "Popularity": "popularity", "Downloads in 30 days": "Downloads",
	"Forks": "forks", "Contributors": "contributors", "Open issues": "open issues", "Language": "language",
	"Repository created": "creation date", "In the official registry": "Registry entry",
	"Official": "status", "Tags": "tags", "Linked": "link to the repository", "SDK": "SDK",
	"Transports": "transports", "Tools": "Tools",
}

// TestServerFactsHaveOrigins checks that a server's page prints at most five dates, that its list of
// sources, one step away, names the source of each fact, and that each part of its Markdown has a
// source and a date.
func TestServerFactsHaveOrigins(t *testing.T) {
	servers := datedServers()
	at := time.Date(2026, 11, 9, 9, 0, 0, 0, time.UTC)
	full := &servers[0]
	full.Verified, full.VerifiedReason, full.Forks, full.Contributors = true, "They name each other.", new(3), new(2)
	full.Homepage, full.Sources = "https://tide.example", []registry.Discovery{{Name: "official-registry", LastSeenAt: at}}
	full.Health.Categories[0].Checks[1].ObservedAt = &at
	full.VersionFrom, full.VersionAt = registry.VersionRelease, &at
	ended := webtest.Hostile("ended", "Ended")
	ended.Tools, ended.ToolCount, ended.Health.Categories = nil, nil, full.Health.Categories
	ended.Status, ended.StatusFrom, ended.StatusAt = registry.StatusDeprecated, "npm", &at
	toolless := webtest.Hostile("toolless", "Toolless")
	toolless.Tools, toolless.ToolCount, toolless.Health.Categories = nil, new(0), nil
	listed := webtest.Hostile("listed", "Listed") // in the official registry, but not read yet
	listed.LastCrawledAt, listed.Sources, listed.Health = nil, full.Sources, registry.Health{Grade: "N"}
	listed.Tools, listed.ToolCount = nil, nil
	listed.StatusFrom, listed.StatusAt = registry.VersionListing, &at
	all := append(servers, ended, toolless, listed)
	unread := sitetest.New(t, all)
	read := sitetest.New(t, all, func(o *web.Options) {
		o.Pages.Figures = &sitetest.Figures{Text: registry.Readme{Path: "README.md", Text: "# Tide"},
			Facts: map[string]registry.Published{"tide": {
				Packages: []registry.PackageFacts{{RegistryType: "npm", Identifier: "tides", ObservedAt: &at}},
				Releases: []registry.Release{{Tag: "v1", PublishedAt: &at}}}}}
	})
	for slug, s := range map[string]*sitetest.Site{"tide": read, "ended": read, "toolless": read, "listed": unread} {
		doc, err := html.Parse(strings.NewReader(s.Page("/servers/"+slug, 200)))
		if err != nil {
			t.Fatal(err)
		}
		var facts, sources string
		for n := range doc.Descendants() {
			switch {
			case n.Data == "main":
				if dates := aDate.FindAllString(printed(n), -1); len(dates) > 5 {
					t.Errorf("%s: %d dates are printed: %v", slug, len(dates), dates)
				}
			case n.Data == "details" && strings.HasPrefix(printed(n), "Checked"):
				sources = whole(n)
			case n.Data == "dt" && slug == "tide":
				fact := strings.TrimSuffix(whole(n), " (whole repository)")
				if facts += fact + " "; sourcesOf[fact] == "" {
					t.Errorf("the test does not know the source of %s", fact)
				}
			}
		}
		if slug != "listed" && !isDated(sources) {
			t.Errorf("%s: no list of sources: %s", slug, sources)
		}
		if slug == "tide" {
			for fact, source := range sourcesOf {
				if !strings.Contains(facts, fact) || !strings.Contains(sources, source) {
					t.Errorf("%s is not among the facts %q or, as %q, among the sources %q", fact, facts, source, sources)
				}
			}
		}
		_, markdown := s.Get("/servers/" + slug + ".md")
		for _, section := range strings.Split(markdown, "\n## ") {
			if !strings.HasPrefix(section, "Links") && !isUnknown(section) && !isDated(section) {
				t.Errorf("%s.md: no source or date in %s", slug, section)
			}
		}
	}
}

// TestListDates checks that lists print no dates.
func TestListDates(t *testing.T) {
	s := sitetest.New(t, datedServers())
	for _, path := range []string{"/", "/servers", "/categories", "/owners/evil"} {
		doc, err := html.Parse(strings.NewReader(s.Page(path, 200)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "main" {
				if dates := aDate.FindAllString(whole(n), -1); dates != nil {
					t.Errorf("%s: %v", path, dates)
				}
			}
		}
	}
}
