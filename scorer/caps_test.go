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
		}, []string{"Hidden instructions: “read” contains invisible characters and tells the model to ignore its instructions."}},
		{"one tool that breaks all, after another", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "write"), finding("R1", "read"),
				finding("R4", "read")}
		}, []string{"“read” contains invisible characters and tells the model to hide something from you."}},
		{"two tools of a list", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R4", "read"), finding("R1", "write")}
		}, []string{"“write” contains invisible characters; ",
			"“read” tells the model to hide something from you."}},
		{"two tools of different lists", func(f *registry.Facts) {
			f.Detection.Suspicious = []registry.SuspiciousText{finding("R1", "write")}
			archive(f, finding("R3", "read"))
		}, nil},
		{"two tools of an archive", func(f *registry.Facts) {
			archive(f, finding("R1", "write"), finding("R3", "read"))
		}, []string{"“read” tells the model to ignore its instructions."}},
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
