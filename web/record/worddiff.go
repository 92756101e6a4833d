package record

import (
	"slices"
	"strings"
)

// A Segment is a part of a text that two versions have in common, or that only
// one has.
type Segment struct {
	Text           string
	Removed, Added bool // neither: both versions have it
}

// maxCompared is the maximum product of the lengths, in words, of two texts that
// are compared word by word.
const maxCompared = 250_000

// Passages compares two texts word by word. Joined with spaces, the passages
// without the added ones are the words of the first text.
func Passages(before, after string) (all []Segment) {
	a, b := strings.Fields(before), strings.Fields(after)
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	tail := a[len(a)-end:]
	all = addPassage(all, Segment{}, a[:start])
	all = compareWords(all, a[start:len(a)-end], b[start:len(b)-end])
	return addPassage(all, Segment{}, tail)
}

// compareWords appends the passages of two lists of words, by their longest
// common subsequence.
func compareWords(all []Segment, a, b []string) []Segment {
	if len(a)*len(b) > maxCompared {
		all = addPassage(all, Segment{Removed: true}, a)
		return addPassage(all, Segment{Added: true}, b)
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			all = addPassage(all, Segment{}, a[i:i+1])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			all = addPassage(all, Segment{Removed: true}, a[i:i+1])
			i++
		default:
			all = addPassage(all, Segment{Added: true}, b[j:j+1])
			j++
		}
	}
	all = addPassage(all, Segment{Removed: true}, a[i:])
	return addPassage(all, Segment{Added: true}, b[j:])
}

// addPassage appends words of a kind to the last passage, or a new one.
func addPassage(all []Segment, kind Segment, words []string) []Segment {
	if len(words) == 0 {
		return all
	}
	kind.Text = strings.Join(words, " ")
	if n := len(all) - 1; n >= 0 && all[n].Removed == kind.Removed && all[n].Added == kind.Added {
		all[n].Text += " " + kind.Text
		return all
	}
	return append(all, kind)
}
