package jobs

import (
	"slices"
	"testing"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// TestSilentChange checks that a change of an endpoint's tools counts only within a version.
func TestSilentChange(t *testing.T) {
	listed := func(day int, version string, names ...string) registry.Probe {
		at := time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC)
		p := registry.Probe{State: registry.ProbeOpen, ServerVersion: version, At: at, ToolsAt: &at}
		for _, n := range names {
			p.Tools = append(p.Tools, registry.Tool{Name: n})
		}
		return p
	}
	unlisted := listed(6, "2.0")
	unlisted.ToolsAt = nil
	for _, tt := range []struct {
		name   string
		probes []registry.Probe
		want   int // day of the change, 0 for none
	}{
		{"first", []registry.Probe{listed(1, "1.0", "a")}, 0},
		{"same", []registry.Probe{listed(1, "1.0", "a"), listed(2, "1.0", "a")}, 0},
		{"changed", []registry.Probe{listed(1, "1.0", "a"), listed(2, "1.0", "b")}, 2},
		{"stays", []registry.Probe{listed(1, "1.0", "a"), listed(2, "1.0", "b"), listed(3, "1.0", "b")}, 2},
		{"new version", []registry.Probe{listed(1, "1.0", "a"), listed(2, "1.0", "b"), listed(3, "1.1", "b")}, 0},
		{"with a new version", []registry.Probe{listed(1, "1.0", "a"), listed(2, "1.1", "b")}, 0},
		{"no version", []registry.Probe{listed(1, "", "a"), listed(2, "", "b")}, 0},
		{"a new version without a list", []registry.Probe{listed(1, "1.0", "a"), unlisted, listed(7, "2.0", "b")}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var last *registry.Probe
			for _, got := range tt.probes {
				next, _ := follow(last, got, true)
				last = &next
			}
			f := registry.Facts{Endpoints: []registry.PackageFacts{{Identifier: "https://a.example", Probe: last}}}
			change, day := f.SilentChange(), 0
			if change != nil {
				day = change.At.Day()
			}
			if day != tt.want {
				t.Errorf("changed on day %d, want %d", day, tt.want)
			}
			if flags := scorer.Health(f, last.At).Flags; slices.Contains(flags, scorer.FlagToolsChanged) != (tt.want > 0) {
				t.Errorf("flags %v", flags)
			}
		})
	}
}
