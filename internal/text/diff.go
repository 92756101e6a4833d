package text

import "slices"

// A Part is a run of elements that two lists have in common or that only one has.
type Part struct {
	Op   byte // ' ' for both lists, '-' for the first only, '+' for the second only
	Text []string
}

// maxCompared is the maximum product of the lengths of two lists that are compared
// element by element.
const maxCompared = 250_000

// Diff compares two lists by their longest common subsequence. Their common prefix is one
// part, and so is their common suffix.
func Diff(a, b []string) (parts []Part) {
	add := func(op byte, elements []string) {
		if n := len(parts) - 1; n >= 0 && parts[n].Op == op {
			parts[n].Text = slices.Concat(parts[n].Text, elements)
		} else if len(elements) > 0 {
			parts = append(parts, Part{op, elements})
		}
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	add(' ', a[:head])
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	end := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	i, j := compare(a, b, add)
	add('-', a[i:])
	add('+', b[j:])
	add(' ', end)
	return parts
}

// compare adds the parts of two lists up to the end of one of them, and returns the number
// of elements of each that it has added. It adds none of lists that are too long.
func compare(a, b []string, add func(op byte, elements []string)) (i, j int) {
	if len(a)*len(b) > maxCompared {
		return 0, 0
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
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			add(' ', a[i:i+1])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			add('-', a[i:i+1])
			i++
		default:
			add('+', b[j:j+1])
			j++
		}
	}
	return i, j
}
