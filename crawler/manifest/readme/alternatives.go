package readme

import "mcpcensus/crawler/vocabulary"

var (
	alternativesText    = vocabulary.Expressions(rules, "variables/alternatives.txt")
	alternativesHeading = vocabulary.Expressions(rules, "variables/alternative_headings.txt")
)

// An alternative is one of several sections of which users need one, as those of
// providers. Both are indexes of headings in the blocks; above is the one over all.
type alternative struct{ above, at int }

// alternatives returns the alternative that each block is in, with index -1 in none.
func alternatives(blocks []block) []alternative {
	out := make([]alternative, len(blocks))
	says, numbered := map[int]bool{}, map[int]int{} // by the index of the heading above
	sections := map[int]int{}
	var above []int // the headings that a block is below
	for i := range blocks {
		b := &blocks[i]
		if b.kind != heading {
			if n := len(above); n > 0 && sections[above[n-1]] == 0 && b.kind != code {
				says[above[n-1]] = says[above[n-1]] || alternativesText.MatchString(b.text)
			}
			out[i] = innermost(above)
			continue
		}
		for len(above) > 0 && blocks[above[len(above)-1]].level >= b.level {
			above = above[:len(above)-1]
		}
		if n := len(above); n > 0 && b.text != "" {
			sections[above[n-1]]++
			if alternativesHeading.MatchString(b.text) {
				numbered[above[n-1]]++
			}
		}
		above = append(above, i)
		says[i] = alternativesText.MatchString(b.text)
		out[i] = innermost(above)
	}
	for i, a := range out {
		for a.above >= 0 && !(sections[a.above] > 1 && (numbered[a.above] > 1 || says[a.above] && blocks[a.above].level > 1)) {
			a = out[a.above] // the section above may be one
		}
		out[i] = a
	}
	return out
}

// innermost returns the section of the last heading, and the heading above it.
func innermost(above []int) alternative {
	if n := len(above); n > 1 {
		return alternative{above[n-2], above[n-1]}
	}
	return alternative{-1, -1}
}
