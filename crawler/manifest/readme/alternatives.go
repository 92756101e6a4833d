package readme

import "mcpcensus/crawler/vocabulary"

var (
	alternativesText    = vocabulary.Expressions(rules, "variables/alternatives.txt")
	alternativesHeading = vocabulary.Expressions(rules, "variables/alternative_headings.txt")
)

// An alternative is one of several sections of which users need one, such as those of providers.
// Both fields are indexes of headings in the blocks; above is the heading of all alternatives.
type alternative struct{ above, at int }

// A headed is a heading with facts about the sections below it.
type headed struct {
	block           *block
	sections        int  // headings directly below it
	choice          bool // the text states that users need one of them
	numbered        int  // sections that are numbered as options
	above, position int  // index of the heading above, -1 for none; index in the blocks
}

// alternatives returns the alternative that contains each block, with indexes -1 for none.
func alternatives(blocks []block) []alternative {
	var all []headed
	within := make([]int, len(blocks)) // the heading above each block
	current := -1
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading {
			for current >= 0 && all[current].block.level >= b.level {
				current = all[current].above
			}
			all = append(all, headed{block: b, choice: alternativesText.MatchString(b.text), above: current,
				position: i})
			if current >= 0 && b.text != "" {
				all[current].sections++
				if alternativesHeading.MatchString(b.text) {
					all[current].numbered++
				}
			}
			current = len(all) - 1
		} else if current >= 0 && all[current].sections == 0 && b.kind != code {
			all[current].choice = all[current].choice || alternativesText.MatchString(b.text)
		}
		within[i] = current
	}
	out := make([]alternative, len(blocks))
	for i, at := range within {
		out[i] = innermost(all, at)
	}
	return out
}

// innermost returns the innermost alternative that a heading begins or is in.
func innermost(all []headed, at int) alternative {
	for ; at >= 0 && all[at].above >= 0; at = all[at].above {
		h := &all[all[at].above]
		if h.sections > 1 && (h.numbered > 1 || h.choice && h.block.level > 1) {
			return alternative{h.position, all[at].position}
		}
	}
	return alternative{-1, -1}
}
