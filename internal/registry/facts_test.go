package registry

import (
	"testing"

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
	if diff := cmp.Diff([]SuspiciousText{hidden, secret}, f.SuspiciousTexts()); diff != "" {
		t.Error(diff)
	}
}
