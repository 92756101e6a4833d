package lint

import (
	"slices"
	"strings"

	"mcpcensus/internal/text"
)

var (
	// prose are the members that people read.
	prose = map[string]bool{"title": true, "description": true, "placeholder": true}
	// inLines are the members whose values may have line breaks.
	inLines = map[string]bool{"value": true, "default": true, "choices": true}

	lineBreaks = strings.NewReplacer("\r", "", "\n", "", "\t", "")
)

// characters checks the texts below a place, which is in a member, for hidden characters.
// Members that clients do not know, and the data of publishers in _meta, may have any.
func (c *checker) characters(at place, member string) {
	switch {
	case at.is(str) && prose[member]:
		if r := text.Hidden(at.text); r != "" {
			c.rule(at, "hidden-character", "This text contains the character %s, which people do not see.", r)
		}
	case at.is(str) && inLines[member]:
		c.safe(at, lineBreaks.Replace(at.text))
	case at.is(str):
		c.safe(at, at.text)
	case at.is(array):
		for _, v := range at.all() {
			c.characters(v, member)
		}
	case at.is(object):
		for i, v := range at.all() {
			if at.names[i] == "_meta" || c.isUnknown(v) {
				continue
			}
			if member == "variables" {
				c.safe(v, at.names[i])
			}
			c.characters(v, at.names[i])
		}
	}
}

// isUnknown reports whether there is an issue of an unknown member at a place.
func (c *checker) isUnknown(at place) bool {
	return slices.ContainsFunc(c.found, func(f found) bool {
		return f.Reference == "unknown-member" && f.Path == at.path
	})
}

// safe checks a value, or the name of a member, that clients run or send.
func (c *checker) safe(at place, s string) {
	if r := text.Unsafe(s); r != "" {
		c.rule(at, "unsafe-character", "This contains the character %s, which cannot be shown safely: %s", r,
			quote(s))
	}
}
