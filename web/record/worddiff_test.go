package record

import (
	"strings"
	"testing"
)

func TestPassages(t *testing.T) {
	long := strings.Repeat("x ", 600) + "end"
	for name, tc := range map[string]struct{ before, after, want string }{
		"equal":   {"a b", "a  b", "a b"},
		"empty":   {"", "", ""},
		"added":   {"", "a b", "+a b"},
		"removed": {"a b", "", "-a b"},
		"middle":  {"Reads one file.", "Reads and writes one file.", "Reads|+and writes|one file."},
		"replaced": {"Returns the old list of all", "Returns a list of none",
			"Returns|-the old|+a|list of|-all|+none"},
		"repeated": {"a a", "a a a", "a a|+a"},
		"long": {long, "y " + strings.Repeat("z ", 600) + "other",
			"-" + long + "|+y " + strings.TrimSpace(strings.Repeat("z ", 600)) + " other"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range Passages(tc.before, tc.after) {
				switch {
				case p.Removed:
					p.Text = "-" + p.Text
				case p.Added:
					p.Text = "+" + p.Text
				}
				got = append(got, p.Text)
			}
			if got := strings.Join(got, "|"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
