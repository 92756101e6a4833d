package clientfile

import (
	"fmt"
	"strings"
)

// context is the number of unchanged lines around a change.
const context = 2

// Diff returns the lines that differ between two texts, with a space, - or + before
// each and unchanged lines around them; "" if they are equal.
func Diff(before, after string) string {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if head == len(a) && head == len(b) {
		return ""
	}
	start := max(0, head-context)
	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", start+1)
	write := func(sign string, lines []string) {
		for _, l := range lines {
			out.WriteString(sign + strings.TrimRight(l, "\r") + "\n")
		}
	}
	write(" ", a[start:head])
	middle(a[head:len(a)-tail], b[head:len(b)-tail], write)
	write(" ", a[len(a)-tail:min(len(a), len(a)-tail+context)])
	return out.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// middle writes the differences between a and b by their longest common
// subsequence, or all lines if there are too many to compare.
func middle(a, b []string, write func(sign string, lines []string)) {
	if len(a)*len(b) > 1<<20 {
		write("-", a)
		write("+", b)
		return
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			write(" ", a[i:i+1])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			write("-", a[i:i+1])
			i++
		default:
			write("+", b[j:j+1])
			j++
		}
	}
}
