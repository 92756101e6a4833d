package web

import (
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// TestDates checks that pages say when what they show of a server was read, and where.
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
	s := newSite(t, []registry.Server{x, hostile("other", "Other")})
	for address, want := range map[string][]string{
		"/servers": {`title="Scored 2 Nov 2026"`, `title="Counted 3 Nov 2026"`,
			`title="Source: readme, 4 Nov 2026"`, ">1 Nov 2026</time>"},
		"/": {`title="Scored 2 Nov 2026"`, `checked <time datetime="2026-11-01T09:00:00Z">1 Nov 2026</time>`},
		"/servers/tide": {`There is none. <span class="quiet">OSV, <time datetime="2026-11-07T09:00:00Z">7 Nov 2026`,
			"Checked 5 Nov 2026", "Looked up before any call: <code>a.tide.example</code>, <code>b.tide.example</code>.",
			"Checked 6 Nov 2026"},
		"/servers/tide.md": {"- CI: fail, 0.0 of 2.0. There is none. (OSV, 2026-11-07)",
			"- SDK: not applicable. There is none.\n",
			"  - Crashed when started in a sandbox without network and with made-up values, version 1.2.0. " +
				"Checked 5 Nov 2026. `no *tide*` Looked up before any call: `a.tide.example`, `b.tide.example`.", "Checked 6 Nov 2026", "GitHub, 2026-11-01"},
		"/badge/tide.svg": {"<title>", ": A · 90, 2 Nov 2026</title>"},
		"/compare?s=tide&s=other": {`scope="row">Repository read`, ">1 Nov 2026</time>",
			`scope="row">Downloads counted`, ">3 Nov 2026</time>",
			`scope="row">Remote checked`, ">6 Nov 2026</time>", `scope="row">Scored`, ">2 Nov 2026</time>"},
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
