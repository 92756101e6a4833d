package others

import (
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/internal/registry"
)

// A span is the code between two positions.
type span struct {
	source   *source
	from, to int
}

// hinted are the hints of some code. They are unknown where it states both values.
type hinted struct {
	hints   registry.ToolAnnotations
	unknown registry.ToolAnnotations
}

// annotate sets the hints of a tool that the code between two positions states, or else those of what
// the code names as its annotations, and the title of annotations if it has none.
func (s *source) annotate(t *registry.Tool, from, to int) {
	var h hinted
	h.read(span{s, from, to})
	names := 0
	for _, k := range s.marked(from, to) {
		if s.at(k).kind != tokenWord || !namesAnnotations(s.at(k).text) || names == maxValues {
			continue
		}
		names++
		of := span{s, k + 1, s.partEnd(k+1, to)}
		if h == (hinted{}) {
			h.named(of, maxValues, new(maxNames))
		}
		for i := of.from; i < of.to && t.Title == ""; i++ {
			if s.is(i, "title") && s.is(i+1, "=", ":") {
				t.Title = s.textOf(&argument{from: i + 2, to: s.partEnd(i+2, of.to)})
			}
		}
	}
	if h.hints != (registry.ToolAnnotations{}) {
		t.Annotations = &h.hints
	}
}

// partEnd returns the end of the argument or the call that continues at i.
func (s *source) partEnd(i, to int) int {
	for end := i + maxHeader; i < min(to, end) && !s.is(i, ",", ";", ")", "]", "}"); i++ {
		if s.is(i, "(", "[", "{") {
			i = s.end(i)
		}
	}
	return min(i, to)
}

const (
	maxValues = 3    // constants and functions that name each other, and names for annotations
	maxNames  = 100  // values that are read for one tool
	maxPart   = 60   // tokens of what names them
	maxMarks  = 200  // in the code of a tool
	maxSpans  = 2000 // values of a file
)

func namesAnnotations(word string) bool { return strings.Contains(strings.ToLower(word), "annotat") }

// mark notes the positions of hints and of names for annotations.
func (s *source) mark() {
	for i, t := range s.tokens {
		isName := t.kind == tokenWord || t.kind == tokenString && len(t.text) < 40
		if isName && (listing.Hint(&registry.ToolAnnotations{}, t.text) != nil || namesAnnotations(t.text)) {
			s.marks = append(s.marks, i)
		}
	}
}

// marked returns the first noted positions between two positions.
func (s *source) marked(from, to int) []int {
	first, _ := slices.BinarySearch(s.marks, from)
	last, _ := slices.BinarySearch(s.marks, max(from, to))
	return s.marks[first:min(last, first+maxMarks)]
}

// named reads the hints of the constants and functions that code names.
func (h *hinted) named(of span, depth int, left *int) {
	for k := of.from; k < min(of.to, of.from+maxPart) && depth > 0; k++ {
		if of.source.at(k).kind != tokenWord || of.source.is(k+1, ":", "=") {
			continue
		}
		for _, value := range of.source.values[of.source.at(k).text] {
			if *left--; *left < 0 {
				return
			}
			before := *h
			if h.read(value); *h == before {
				h.named(value, depth-1, left)
			}
		}
	}
}

// read reads the hints that code states itself: as members, arguments or calls with a constant, or as
// the positional arguments of ToolAnnotations, of which the first is the title.
func (h *hinted) read(of span) {
	s := of.source
	for _, k := range s.marked(of.from, of.to) {
		if name := s.at(k).text; listing.Hint(&h.hints, name) != nil {
			h.set(name, s.hintValue(k))
		} else if isAnnotations(name) && s.is(k+1, "(") {
			for i, a := range s.arguments(k + 1) {
				if a.name == "" && a.to == a.from+1 && i > 0 && i < 5 {
					h.set([]string{"read_only", "destructive", "idempotent", "open_world"}[i-1], s.boolean(&a))
				}
			}
		}
	}
}

func (h *hinted) set(name string, value *bool) {
	known, unknown := listing.Hint(&h.hints, name), listing.Hint(&h.unknown, name)
	switch {
	case value == nil || *unknown != nil:
	case *known != nil && **known != *value:
		*known, *unknown = nil, value
	default:
		*known = value
	}
}

// hintValue returns the constant that the hint at i has, nil if there is none. A setter of one without
// an argument sets it.
func (s *source) hintValue(i int) *bool {
	if s.is(i+1, "(") && s.is(i+2, ")") && strings.HasPrefix(s.at(i).text, "set") {
		return new(true)
	}
	if !s.is(i+1, "=", ":", "=>", "(") {
		return nil
	}
	k := i + 2
	for s.is(k, "Some", "(", "Boolean", ".") {
		k++
	}
	return s.boolean(&argument{from: k, to: k + 1})
}

// collectValues collects the constants, variables and functions that may be annotations: those with a
// hint, or with the type of annotations.
func (s *source) collectValues() {
	s.mark()
	left := maxSpans
	for i := range s.tokens {
		id, from := "", 0
		if left == 0 || len(s.marked(i, i+maxHeader)) == 0 {
			continue
		}
		switch {
		case s.is(i, functionWords...) && s.at(i+1).kind == tokenWord:
			id, from = s.at(i+1).text, i+2
		case isAnnotations(s.at(i).text) && s.at(i+1).kind == tokenWord && s.is(i+2, "("):
			id, from = s.at(i+1).text, i+2
		case s.is(i, "=") && !s.is(i-1, ")", "]"):
			id, from = s.assigned(i), i+1
		}
		if id == "" {
			continue
		}
		left--
		if v := (span{s, from, s.statementEnd(from)}); len(s.marked(v.from, v.to)) > 0 {
			s.values[id] = append(s.values[id], v)
		}
	}
}

// assigned returns the name of what the = at i assigns to, which may have a type.
func (s *source) assigned(i int) string {
	k := i - 1
	for s.at(k-1).kind == tokenOperator && s.is(k-1, ".", "::", "&") {
		k -= 2
	}
	if s.is(k-1, ":") {
		k -= 2
	}
	return s.at(k).text
}

func (s *source) statementEnd(i int) int {
	for from := i; i < min(len(s.tokens), from+maxHeader); i++ {
		switch {
		case s.is(i, ";", ")", "]", "}"), i > from && s.at(i).line && !s.is(i, ".", "{"):
			return i
		case s.is(i, "{"):
			if i = s.end(i); !s.is(i+1, ".", "else") {
				return i
			}
		case s.is(i, "(", "["):
			i = s.end(i)
		}
	}
	return i
}

// isAnnotations reports whether a word is the type of annotations.
func isAnnotations(word string) bool { return strings.HasSuffix(word, "ToolAnnotations") }
