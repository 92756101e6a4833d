package record

import (
	"strings"

	"mcpcensus/internal/text"
)

// A Segment is a part of a text that two versions have in common, or that only
// one has.
type Segment struct {
	Text           string
	Removed, Added bool // neither: both versions have it
}

// Passages compares two texts word by word. Joined with spaces, the passages
// without the added ones are the words of the first text.
func Passages(before, after string) (all []Segment) {
	for _, p := range text.Diff(strings.Fields(before), strings.Fields(after)) {
		all = append(all, Segment{strings.Join(p.Text, " "), p.Op == '-', p.Op == '+'})
	}
	return all
}
