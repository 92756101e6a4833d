package readme

import (
	"strings"
)

// An entry is a tool that stands outside of sections of tools.
type entry struct {
	block int
	name  string
}

// readScattered adds tools that are written as such below headings that do not
// announce tools ("Test management", "Server usage"), if there are several in
// one form.
func (r *toolReader) readScattered() {
	if list := r.labelledEntries(); len(list) >= 2 {
		for _, e := range list {
			r.add(e.block, e.name, "")
			r.describeFrom(&r.blocks[min(e.block+1, len(r.blocks)-1)])
		}
	} else if list := r.itemEntries(); len(list) >= 3 {
		for _, e := range list {
			r.add(e.block, e.name, r.blocks[e.block].rest)
		}
	}
}

// labelledEntries returns the items "Name: `…`" with a description below them.
func (r *toolReader) labelledEntries() (list []entry) {
	for i := range r.blocks {
		name, _ := labelledTool(&r.blocks[i])
		if name == "" {
			continue
		}
		for _, next := range r.blocks[i+1 : min(i+3, len(r.blocks))] {
			if next.kind == item && descriptionLabel.MatchString(next.text) {
				list = append(list, entry{i, name})
				break
			}
		}
	}
	return list
}

// minSure is the number of entries below plain headings from which on entries
// below other headings count as well.
const minSure = 5

// itemEntries returns the list items that begin with a name in code and
// describe it.
func (r *toolReader) itemEntries() (list []entry) {
	sure := 0
	skipped := 0 // level of the heading of a section about something else
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind == heading && (skipped == 0 || b.level <= skipped) {
			skipped = 0
			if t := headingText(b); partHeading.MatchString(t) || otherHeading.MatchString(t) {
				skipped = b.level
			}
		}
		name := leadingTool(b)
		if name == "" || skipped > 0 && sure < minSure {
			continue
		}
		list = append(list, entry{i, name})
		if skipped == 0 {
			sure++
		}
	}
	return list
}

// leadingTool returns the tool in code that a list item begins with and
// describes.
func leadingTool(b *block) string {
	if b.kind != item || b.level > 0 || b.lead == "" || b.lead != b.firstCode() {
		return ""
	}
	name := codeTool(b.lead)
	if len(strings.Fields(b.rest)) < 3 || typeMark.MatchString(b.rest) || strings.Contains(name, ".") {
		return ""
	}
	return name
}
