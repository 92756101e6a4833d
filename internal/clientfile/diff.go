package clientfile

import (
	"fmt"
	"strings"

	"mcpcensus/internal/text"
)

// context is the number of unchanged lines around a change.
const context = 2

// Diff returns the lines that differ between two texts, with a space, - or + before
// each and unchanged lines around them; "" if they are equal.
func Diff(before, after string) string {
	parts := text.Diff(lines(before), lines(after))
	if len(parts) == 0 || len(parts) == 1 && parts[0].Op == ' ' {
		return ""
	}
	start := 0
	if first := &parts[0]; first.Op == ' ' {
		start = max(0, len(first.Text)-context)
		first.Text = first.Text[start:]
	}
	if last := &parts[len(parts)-1]; last.Op == ' ' {
		last.Text = last.Text[:min(len(last.Text), context)]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", start+1)
	for _, p := range parts {
		for _, l := range p.Text {
			fmt.Fprintf(&out, "%c%s\n", p.Op, strings.TrimRight(l, "\r"))
		}
	}
	return out.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
