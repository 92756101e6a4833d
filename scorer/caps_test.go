package scorer

import (
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestHiddenInstructions(t *testing.T) {
	finding := func(rule, tool string) registry.SuspiciousText {
		return registry.SuspiciousText{Rule: rule, Tool: tool, Field: "description"}
	}
	archive := func(f *registry.Facts, found ...registry.SuspiciousText) {
		f.Packages[0].Archive = &registry.ArchiveTools{Tools: f.Detection.Tools, Suspicious: found}
	}
	for _, tt := range []struct {
		name string
		set  func(f *registry.Facts)
		want []string // parts of the reason; nil for no cap
	}{
		{"one tool", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "read"), finding("R3", "read")}
		}, []string{"The texts of the tool read hide characters (R1) and override instructions (R3)."}},
		{"one tool that breaks all, after another", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "write"), finding("R1", "read"),
				finding("R4", "read")}
		}, []string{"The texts of the tool read hide characters (R1) and conceal"}},
		{"two tools of a list", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R4", "read"), finding("R1", "write")}
		}, []string{"The texts of the tool write hide characters (R1), and those of ",
			"the tool read conceal something from the user (R4)."}},
		{"two tools of different lists", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "write")}
			archive(f, finding("R3", "read"))
		}, nil},
		{"two tools of an archive", func(f *registry.Facts) {
			archive(f, finding("R1", "write"), finding("R3", "read"))
		}, []string{"the tool read override instructions (R3)."}},
		{"invisible characters only", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "write"), finding("R5", "read")}
		}, nil},
		{"concealment only", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R3", "write"), finding("R4", "read")}
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := load(t, "hidden_instructions")
			f.Detection.Suspicious = nil
			tt.set(&f)
			h := Health(f, testNow)
			at := slices.IndexFunc(h.Caps,
				func(c registry.Cap) bool { return c.ID == "hidden_instructions" })
			if (at >= 0) != (tt.want != nil) {
				t.Fatalf("caps: %+v", h.Caps)
			}
			for _, part := range tt.want {
				if !strings.Contains(h.Caps[at].Reason, part) {
					t.Errorf("the reason %q lacks %q", h.Caps[at].Reason, part)
				}
			}
			if at >= 0 && h.Grade != "F" {
				t.Errorf("grade %s", h.Grade)
			}
		})
	}
}
