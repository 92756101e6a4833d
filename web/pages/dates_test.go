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
	x.Health.Caps = []registry.Cap{{ID: "no_license", Max: 60, Reason: "No licence file.", Applied: true}}
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

// TestDates checks that every page and document names the source and date of facts about a
// server.
func TestDates(t *testing.T) {
	s, originals := sitetest.New(t, datedServers()), datedServers()
	originals[0].Copy = nil
	home := sitetest.New(t, originals) // which has no copies
	for address, want := range map[string][]string{
		"/servers": {`title="Scored 2 Nov 2026"`, `title="Counted by package registries on 3 Nov 2026"`,
			`title="Read from the README on 4 Nov 2026"`,
			"Grades: computed by this registry, 1 Nov 2026 to 2 Nov 2026. Downloads: package registries, 3 Nov 2026. Tools: READMEs, 4 Nov 2026.",
			`<dt>Read from GitHub</dt><dd><time datetime="2026-11-01T09:00:00Z">1 Nov 2026</time>`,
			`class="path" title="Read from GitHub on 1 Nov 2026"`,
			`title="Octo is the vendor. Read from GitHub on 1 Nov 2026."`,
			`title="The tools are the same. Found on 8 Nov 2026."`,
			`title="Its tools changed on 9 Nov 2026 without a new version (1.0). (probe, 9 Nov 2026)">tools changed`},
		"/categories": {
			`title="Scored 2 Nov 2026"`,
			"Grades: computed by this registry, 1 Nov 2026 to 2 Nov 2026.",
			`<p class="meta">Read from GitHub on 1 Nov 2026</p>`,
		},
		"/": {
			`title="Scored 2 Nov 2026"`, "Grades: computed by this registry, 2 Nov 2026.",
			`read from GitHub <time datetime="2026-11-01T09:00:00Z">1 Nov 2026</time>`,
		},
		"/servers/tide": {`<b>Limited to 60</b> <span class="quiet">No licence file.</span> <span class="quiet">(GitHub, <time datetime="2026-11-01`,
			`<b>Limited to 60</b>: No licence file. <span class="quiet">(GitHub, <time datetime="2026-11-01`,
			`There is none. <span class="quiet">(OSV, <time datetime="2026-11-07T09:00:00Z">7 Nov 2026`,
			`<b>Its tools changed on 9 Nov 2026 without a new version (1.0).</b> Review the changes before you use it. ` +
				`<a href="#tools">Details</a> <span class="quiet">(probe, <time datetime="2026-11-09T09:00:00Z">9 Nov 2026`,
			"Checked 5 Nov 2026", "Hosts looked up before any call: <code>a.tide.example</code>, <code>b.tide.example</code>.",
			"Checked 6 Nov 2026", `There is none.</a> <span class="quiet">(OSV, <time datetime="2026-11-07`, `Found on <time datetime="2026-11-08`,
			`12 <small>as of <time datetime="2026-11-03T09:00:00Z">3 Nov 2026`,
			"Read from the README (version unknown) on 4 Nov 2026. " +
				`<a href="/docs/tools#hashes">Hash</a> <code title="b482019863ab2983b794abc4ecadaed1b60a210299583bde1844144f175f3bef">b48201986` + "3ab</code>.",
			`<p>Estimated chance of a commit by a person in the next 90 days: 91%, based on the commits of other MCP servers. <a href="/docs/scoring#chance-of-a-commit">How it is estimated</a> <span class="quiet">(model mh-1, <time datetime="2026-11-02`,
			`"isBasedOn":"https://github.com/evil/tide","sdDatePublished":"2026-11-01"`,
			`"userInteractionCount":12,"startTime":"2026-10-04","endTime":"2026-11-03"`,
			`content="Tide · evil: health 90 of 100, grade A, 2 Nov 2026"`,
			"Downloads: package registries, <time datetime=\"2026-11-03"},
		"/servers/tide.md": {"\nLimited to 60: No licence file. (GitHub, 1 Nov 2026)\n",
			"- CI: fail, 0.0 of 2.0. There is none. (OSV, 7 Nov 2026)",
			"- SDK: not applicable. There is none.\n",
			"  - Crashed when started in a sandbox without network and with made-up values, version 1.2.0. " +
				"Checked 5 Nov 2026. `no *tide*` Hosts looked up before any call: `a.tide.example`, `b.tide.example`.", "Checked 6 Nov 2026", "GitHub, 1 Nov 2026",
			"grade A, scored 2 Nov 2026", "- Downloads in 30 days: 12 (3 Nov 2026)",
			"- Estimated chance of a commit by a person in the next 90 days: 91%, based on the commits of other MCP servers (model mh-1, 2 Nov 2026)", "on 4 Nov 2026. Hash: b482019863ab.\n", "Found on 8 Nov 2026 by comparing listed servers.",
			"**Its tools changed on 9 Nov 2026 without a new version (1.0).** Review the changes before you use it. (probe, 9 Nov 2026)\n"},
		"/owners/evil": {`<span class="status" title="The server is deprecated. (npm, 10 Nov 2026)">deprecated</span>`},
		"/servers/other": {`<p class="quiet origin">Read from npm on 10 Nov 2026.</p></div>`,
			`Status: npm, <time datetime="2026-11-10`,
			"<dd>0.3.0 <small>in the manifest, not released</small>",
			"Apache-2.0 <small>in the manifest</small>",
			"Latest version: manifest on the default branch at GitHub, <time datetime=\"2026-11-01",
			"Licence: manifest in the repository, not a licence file, <time datetime=\"2026-11-01"},
		"/servers/other.md": {"**Deprecated.** Other Read from npm on 10 Nov 2026.", "- Status: npm, 10 Nov 2026",
			"- Latest version: 0.3.0 (in the manifest, not released)",
			"- Licence: Apache-2.0 (in the manifest)"},
		"/badge/tide.svg": {": A · 90, scored 2 Nov 2026</title>", `: A · 90, scored 2 Nov 2026">`},
		"/feed.atom":      {"(Read from GitHub on 1 Nov 2026)</summary>"},
		"/llms.txt":       {"A registry of 2 MCP (Model Context Protocol) servers on 20 Nov 2026"},
		"/compare?s=tide&s=other": {`scope="row">Repository read`, ">1 Nov 2026</time>",
			`scope="row">Downloads counted`, ">3 Nov 2026</time>",
			`scope="row">Package run in a sandbox`,
			"Crashed when started in a sandbox without network and with made-up values, version 1.2.0. Checked 5 Nov 2026.", "not run",
			`scope="row">Endpoint uptime`, "99% of 120 probes in 30 days",
			`scope="row">Latest version`, "0.3.0 (in the manifest, not released)", `scope="row">Latest version read`,
			"MIT (GitHub)",
			`scope="row">Remote checked`, ">6 Nov 2026</time>", "no remote", `scope="row">Scored`, ">2 Nov 2026</time>",
			"Apache-2.0 (in the manifest)"},
	} {
		t.Run(address, func(t *testing.T) {
			_, body := s.Get(address)
			if address == "/" {
				_, body = home.Get(address)
			}
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

// isPart reports whether an element is a part of a server's page that must name the source and
// date of its facts: a section, a banner, or a check.
func isPart(n *html.Node) bool {
	attr := func(key string) string {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return ""
	}
	switch n.Data {
	case "section":
		return !slices.Contains([]string{"strengths", "weaknesses", "history"}, attr("aria-labelledby"))
	case "div":
		return strings.HasPrefix(attr("class"), "notice") || attr("class") == "summary"
	case "li":
		return attr("id") != "" || slices.Contains([]string{"pass", "partial", "fail"}, attr("class"))
	}
	return n.Data == "aside" || attr("id") == "official" || attr("id") == "linked"
}

// visible returns the text of an element.
func visible(n *html.Node) string {
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
	"Stars": "stars", "Latest version": "Latest version", "Last commit": "commits", "Licence": "Licence",
	"Last checked": "README", "Discovered via": "Registry entry",
	"Owner": "Owner", "Website": "website", "Popularity": "popularity", "Downloads in 30 days": "Downloads",
	"Forks": "forks", "Contributors": "contributors", "Open issues": "open issues", "Language": "language",
	"Repository created": "creation date", "In the official registry": "Registry entry",
	"Official": "status", "Tags": "tags", "Linked": "link to the repository",
}

// checkSources checks that the column of a page names the source of each fact of the page.
func checkSources(t *testing.T, doc *html.Node, column string) {
	facts, sources, _ := strings.Cut(column, " Sources ")
	for n := range doc.Descendants() {
		if n.Data != "dt" {
			continue
		}
		fact := strings.TrimSuffix(visible(n), " (whole repository)")
		if facts += fact + " "; sourcesOf[fact] == "" {
			t.Errorf("the test does not know the source of %s", fact)
		}
	}
	for fact, source := range sourcesOf {
		if !strings.Contains(facts, fact) || !strings.Contains(sources, source) {
			t.Errorf("%s is not among the facts %q or, as %q, among the sources %q", fact, facts, source, sources)
		}
	}
}

// TestServerFactsHaveOrigins walks pages of servers of several kinds. Each part must have a
// visible source and date.
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
		o.Figures = &sitetest.Figures{Text: registry.Readme{Path: "README.md", Text: "# Tide"},
			Facts: map[string]registry.Published{"tide": {
				Packages: []registry.PackageFacts{{RegistryType: "npm", Identifier: "tides", ObservedAt: &at}},
				Releases: []registry.Release{{Tag: "v1", PublishedAt: &at}}}}}
	})
	for slug, s := range map[string]*sitetest.Site{"tide": read, "ended": read, "toolless": read, "listed": unread} {
		doc, err := html.Parse(strings.NewReader(s.Page("/servers/"+slug, 200)))
		if err != nil {
			t.Fatal(err)
		}
		parts, column := 0, ""
		for n := range doc.Descendants() {
			if n.Data == "aside" {
				column = visible(n)
			}
			if n.Type != html.ElementNode || !isPart(n) {
				continue
			}
			parts++
			if text := visible(n); !isUnknown(text) && !isDated(text) {
				t.Errorf("%s: no source or date in %s: %s", slug, n.Data, text)
			}
		}
		if parts < 5 {
			t.Errorf("%s: only %d parts", slug, parts)
		}
		if slug == "tide" {
			checkSources(t, doc, column)
		}
		_, markdown := s.Get("/servers/" + slug + ".md")
		for _, section := range strings.Split(markdown, "\n## ") {
			if !strings.HasPrefix(section, "Links") && !isUnknown(section) && !isDated(section) {
				t.Errorf("%s.md: no source or date in %s", slug, section)
			}
		}
	}
}
