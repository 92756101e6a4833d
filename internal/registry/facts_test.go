package registry

import "testing"

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
