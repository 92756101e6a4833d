package web

import (
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// TestDates checks that every page and document names the source and date of facts about a
// server.
func TestDates(t *testing.T) {
	day := func(n int) *time.Time {
		at := time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC)
		return &at
	}
	x, downloads := hostile("tide", "Tide"), int64(12)
	x.LastCrawledAt, x.ScoredAt, x.Health.ComputedAt = day(1), day(2), *day(2)
	x.Downloads, x.DownloadsAt = &downloads, day(3)
	x.Tools, x.ToolsFrom, x.ToolsAt = []registry.Tool{{Name: "get_tide"}}, registry.ToolsFromReadme, day(4)
	n := 1
	x.Status = registry.StatusActive
	x.ToolCount = &n
	score := 90
	x.Health.Status, x.Health.Grade = registry.HealthScored, "A"
	x.Health.Score, x.Health.Low, x.Health.High = &score, &score, &score
	x.Packages = []registry.Package{{RegistryType: "npm", Identifier: "tides",
		Inspection: &registry.Inspection{Outcome: registry.InspectionCrashed, Version: "1.2.0",
			Detail: "no *tide*", Hosts: []string{"a.tide.example", "b.tide.example"}, At: *day(5)}}}
	x.Remotes = []registry.Remote{{Type: "sse", URL: "https://tide.example/sse",
		Liveness: &registry.Liveness{State: registry.ProbeOpen, Since: *day(1), CheckedAt: *day(6)}}}
	x.Health.Categories = []registry.HealthSection{{Category: "protocol", Checks: []registry.Check{
		{ID: "ci", Name: "CI", Result: "fail", Reason: "There is none.", Max: 2, Source: "osv", ObservedAt: day(7)},
		{ID: "sdk", Name: "SDK", Result: "notApplicable", Reason: "There is none.", Source: "packages"},
	}}}
	x.Official, x.OfficialReason, x.ReleasedAt = true, "Octo is the vendor.", day(1)
	x.Copy = &registry.Copy{Kind: "copy", Of: "other", Reason: "The tools are the same.", Since: *day(8)}
	other := hostile("other", "Other")
	other.Remotes = nil
	s := newSite(t, []registry.Server{x, other})
	for address, want := range map[string][]string{
		"/servers": {`title="Scored 2 Nov 2026"`, `title="Counted by package registries on 3 Nov 2026"`,
			`title="Read from the README on 4 Nov 2026"`, ">1 Nov 2026</time>",
			`class="path" title="Read from GitHub on 1 Nov 2026"`,
			`title="Octo is the vendor. Read from GitHub on 1 Nov 2026."`,
			`title="The tools are the same. Found on 8 Nov 2026."`},
		"/categories": {`title="Scored 2 Nov 2026"`, `title="Read from GitHub on 1 Nov 2026"`},
		"/":           {`title="Scored 2 Nov 2026"`, `checked <time datetime="2026-11-01T09:00:00Z">1 Nov 2026</time>`},
		"/servers/tide": {`There is none. <span class="quiet">OSV, <time datetime="2026-11-07T09:00:00Z">7 Nov 2026`,
			"Checked 5 Nov 2026", "Hosts looked up before any call: <code>a.tide.example</code>, <code>b.tide.example</code>.",
			"Checked 6 Nov 2026", `title="OSV, 7 Nov 2026"><a href="#ci">`, `Found on <time datetime="2026-11-08`,
			`12 <small>as of <time datetime="2026-11-03T09:00:00Z">3 Nov 2026`,
			"Read from the README on 4 Nov 2026.",
			`"isBasedOn":"https://github.com/evil/tide","sdDatePublished":"2026-11-01"`,
			`"userInteractionCount":12,"startTime":"2026-10-04","endTime":"2026-11-03"`,
			`content="Tide · evil: health 90 of 100, grade A, 2 Nov 2026"`,
			"Downloads: package registries, <time datetime=\"2026-11-03"},
		"/servers/tide.md": {"- CI: fail, 0.0 of 2.0. There is none. (OSV, 2026-11-07)",
			"- SDK: not applicable. There is none.\n",
			"  - Crashed when started in a sandbox without network and with made-up values, version 1.2.0. " +
				"Checked 5 Nov 2026. `no *tide*` Hosts looked up before any call: `a.tide.example`, `b.tide.example`.", "Checked 6 Nov 2026", "GitHub, 2026-11-01",
			"grade A, scored 2026-11-02", "- Downloads in 30 days: 12 (2026-11-03)", "on 4 Nov 2026.", "Found on 2026-11-08."},
		"/badge/tide.svg": {": A · 90, scored 2 Nov 2026</title>", `: A · 90, scored 2 Nov 2026">`},
		"/feed.atom":      {"(Read from GitHub on 1 Nov 2026)</summary>"},
		"/llms.txt":       {"A registry of 2 MCP (Model Context Protocol) servers on 20 Nov 2026"},
		"/compare?s=tide&s=other": {`scope="row">Repository read`, ">1 Nov 2026</time>",
			`scope="row">Downloads counted`, ">3 Nov 2026</time>",
			`scope="row">Remote checked`, ">6 Nov 2026</time>", "no remote", `scope="row">Scored`, ">2 Nov 2026</time>"},
	} {
		t.Run(address, func(t *testing.T) {
			_, body := s.get(address)
			for _, text := range want {
				if !strings.Contains(body, text) {
					t.Errorf("no %q in\n%s", text, body)
				}
			}
		})
	}
}
