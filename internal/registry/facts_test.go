package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDeprecation(t *testing.T) {
	const inRegistry = "Deprecated in the official registry."
	tests := map[string]struct {
		listing *Listing
		want    string
	}{
		"no entry":       {nil, ""},
		"active":         {&Listing{Status: "active", Description: "Weather of the world"}, ""},
		"status":         {&Listing{Status: "deprecated"}, inRegistry},
		"status, reason": {&Listing{Status: "deprecated", StatusText: "use b"}, "use b"},
		"brackets":       {&Listing{Description: "[DEPRECATED] Weather"}, "[DEPRECATED] Weather"},
		"brackets later": {&Listing{Description: "Weather (deprecated)"}, "Weather (deprecated)"},
		"colon":          {&Listing{Description: "Deprecated: use b"}, "Deprecated: use b"},
		"symbol":         {&Listing{Description: "⚠️ DEPRECATED use b"}, "⚠️ DEPRECATED use b"},
		"its subject":    {&Listing{Description: "Deprecated packages of a project, found"}, ""},
		"within":         {&Listing{Description: "Lists deprecated APIs"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.listing.Deprecation(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestFacts_ToolLists_stale(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		state string
		days  int
		want  bool
	}{
		"open":         {ProbeOpen, 90, false},
		"down_30_days": {ProbeUnreachable, 30, false},
		"down_31_days": {ProbeUnreachable, 31, true},
		"gated":        {ProbeGated, 90, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Endpoints: []PackageFacts{{Probe: &Probe{State: test.state, At: at, ToolsAt: &at,
				History: ProbeHistory{Since: at.AddDate(0, 0, -test.days)}}}}}
			lists := f.ToolLists()
			if l := lists[len(lists)-1]; l.From != ToolsFromProbe || l.Stale != test.want {
				t.Errorf("%s, stale %v, want %v", l.From, l.Stale, test.want)
			}
		})
	}
}

func TestSuspiciousTexts(t *testing.T) {
	hidden := SuspiciousText{Rule: "R1", Tool: "read", Field: "description", Quote: "<U+200B>"}
	secret := SuspiciousText{Rule: "R5", Tool: "read", Field: "description", Quote: "~/.ssh/"}
	named := []Tool{{Name: "read"}}
	f := Facts{
		Detection: Detection{Tools: named, ToolsFrom: ToolsFromSource,
			Suspicious: []SuspiciousText{hidden, secret}},
		Packages: []PackageFacts{{Inspection: &Inspection{Tools: named,
			Suspicious: []SuspiciousText{hidden}}}},
	}
	hidden.Source, secret.Source = ToolsFromSource, ToolsFromSource
	if diff := cmp.Diff([]SuspiciousText{hidden, secret}, f.SuspiciousTexts()); diff != "" {
		t.Error(diff)
	}
}
