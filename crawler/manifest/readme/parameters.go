package readme

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

// Only forms that can hardly mean anything else than parameters are read: list
// items with a type or below a label such as "Parameters:", and lists in a line
// or in a column of the table of tools.

var (
	parameterLabel = vocabulary.Expressions(rules, "parameters/labels.txt")
	otherLabel     = vocabulary.Prefix(rules, "parameters/other_labels.txt")
	noneLine       = vocabulary.Expressions(rules, "parameters/none.txt")
	noneWord       = vocabulary.Expressions(rules, "parameters/none_words.txt")

	// inlineLabel precedes parameters on the same line.
	inlineLabel = regexp.MustCompile(`(?i)^(?:(?:tool|required|optional|input) )?` +
		`(?:params?|parameters?|arguments?|args|inputs?)\s*(?:\([^)]{0,30}\))?\s*[:–—-]\s*(.+)$`)
	listHead = regexp.MustCompile(`^(?:(?:key|main|required|optional|input) )?` +
		`(?:parameters|params|arguments|args|inputs?)$`)
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_$-]+\??$`)
)

// addParameters sets the input schemas of tools.
func addParameters(tools []registry.Tool, blocks []block) {
	index := map[string]int{}
	for i, t := range tools {
		index[t.Name] = i
	}
	found := make([]parameterList, len(tools))
	under := 0 // level of the heading of the current tool
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading && b.level <= under {
			under = 0
		}
		tool := toolOf(b, index)
		if tool < 0 || found[tool].known {
			continue
		}
		switch {
		case b.kind == row:
			found[tool] = cellParameters(b)
		case under > 0:
		case b.kind == heading:
			under = b.level
			found[tool] = toolParameters(blocks, i, sectionEnd(blocks, i))
		case b.kind == item:
			end := i + 1
			for end < len(blocks) && within(blocks, end, i) {
				end++
			}
			found[tool] = toolParameters(blocks, i, end)
		}
	}
	room := maxSchemas
	for i := range found {
		if s := found[i].schema(); s != nil && len(s) <= room {
			tools[i].InputSchema = s
			room -= len(s)
		}
	}
}

// toolOf returns the index of the tool that a heading, an item or a row is
// about, -1 if there is none.
func toolOf(b *block, index map[string]int) int {
	var names []string
	switch b.kind {
	case heading, item:
		name, _ := signatureName(headingText(b))
		names = []string{b.lead, b.firstCode(), name}
	case row:
		names = slices.Concat(b.leads[:min(len(b.leads), 2)], b.cells[:min(len(b.cells), 2)])
	}
	for _, n := range names {
		if i, ok := index[bareName(n)]; ok {
			return i
		}
	}
	return -1
}

// toolParameters reads the parameters of the tool that blocks[at] is about from
// the blocks up to end.
func toolParameters(blocks []block, at, end int) parameterList {
	r := &parameterReader{
		blocks: blocks, begin: at + 1,
		labels: map[int]label{}, parameters: map[int]bool{},
	}
	if blocks[at].kind == heading {
		r.level = blocks[at].level
	}
	for i := r.begin; i < end; i++ {
		r.block(i)
	}
	return r.list
}

// A parameterReader reads the parameters of one tool from the blocks below it.
type parameterReader struct {
	blocks []block
	begin  int // index of the first block
	level  int // of the tool's heading, 0 if it has none

	list       parameterList
	last       label         // the last heading's or paragraph's
	labels     map[int]label // of items and of items with a label in them
	parameters map[int]bool  // items that are parameters: nothing in them is one
}

// A label is over what follows it.
type label struct {
	kind     labelKind
	required bool
}

type labelKind int

const (
	noLabel labelKind = iota
	parametersBelow
	othersBelow
)

func labelOf(text string) label {
	text = strings.TrimSpace(strings.Trim(text, "*_ "))
	l := label{required: strings.HasPrefix(strings.ToLower(text), "required")}
	switch {
	case parameterLabel.MatchString(text):
		l.kind = parametersBelow
	case otherLabel.MatchString(text) && len(strings.Fields(text)) <= 8:
		l.kind = othersBelow
	}
	return l
}

// context returns the label that a block stands under. It reports false for
// blocks inside a parameter.
func (r *parameterReader) context(i int) (l label, ok bool) {
	for o := r.blocks[i].outer; o >= r.begin; o = r.blocks[o].outer {
		if r.parameters[o] {
			return l, false
		}
		if l.kind == noLabel {
			l = r.labels[o]
		}
	}
	if l.kind == noLabel {
		l = r.last
	}
	return l, true
}

func (r *parameterReader) block(i int) {
	b := &r.blocks[i]
	l, ok := r.context(i)
	if !ok {
		return
	}
	switch {
	case b.kind == heading:
		r.heading(b)
	case b.kind == paragraph:
		r.paragraph(b, l)
	case l.kind == othersBelow:
	case b.kind == item:
		r.item(i, l)
	}
}

func (r *parameterReader) heading(b *block) {
	r.last = labelOf(headingText(b))
	if r.last.kind == noLabel && r.level > 0 && !parameterColumn.MatchString(strings.ToLower(b.text)) {
		r.last.kind = othersBelow
	}
}

func (r *parameterReader) paragraph(b *block, l label) {
	if l.kind != othersBelow && r.inline(b) {
		return
	}
	own := labelOf(b.text)
	switch {
	case b.outer >= r.begin:
		if own.kind != noLabel {
			r.labels[b.outer] = own
		}
	case own.kind != noLabel || strings.HasSuffix(b.text, ":"):
		r.last = own
	}
}

func (r *parameterReader) item(i int, l label) {
	b := &r.blocks[i]
	if !b.leadsWithCode() {
		if r.inline(b) {
			r.parameters[i] = true
			return
		}
		if l.kind == parametersBelow && noneWord.MatchString(b.text) {
			r.list.known = true
			return
		}
		if own := labelOf(b.text); own.kind != noLabel {
			r.labels[i] = own
			return
		}
	}
	if p, ok := parseParameter(b.text, b.lead, b.code, l.kind == parametersBelow); ok {
		p.required = p.required || l.required && p.Default == nil
		r.list.add(p)
		r.parameters[i] = true
	}
}

// inline reads "Parameters: `path` (string), `depth` (number)" and "Takes no
// parameters".
func (r *parameterReader) inline(b *block) bool {
	if noneLine.MatchString(b.text) {
		r.list.known = true
		return true
	}
	m := inlineLabel.FindStringSubmatch(b.text)
	if m == nil {
		return false
	}
	l := inlineParameters(m[1], b.code)
	if l.known {
		r.list.add(l.all...)
	}
	return l.known
}

// inlineParameters reads "`path` (string), `depth` (number, optional)" up to
// where a sentence goes on.
func inlineParameters(s string, code []string) (list parameterList) {
	if noneWord.MatchString(s) {
		return parameterList{known: true}
	}
	sure := false
	for i, part := range splitTop(s) {
		part = strings.TrimPrefix(strings.TrimSpace(part), "and ")
		part = strings.TrimSpace(strings.TrimSuffix(part, "."))
		coded := codeAt(part, code)
		p, ok := parseParameter(part, "", coded, true)
		if ok = ok && (i == 0 || len(strings.Fields(p.Description)) <= 8); !ok && coded == nil && i > 0 {
			break // a sentence
		}
		marked := coded != nil || p.Type != ""
		if !ok || !marked && !plainWord.MatchString(part) {
			return parameterList{}
		}
		sure = sure || marked || len(code) == 0 && strings.Contains(p.name, "_")
		list.add(p)
	}
	if !sure {
		return parameterList{}
	}
	return list
}

// codeAt returns the code span that a text begins with, nil if there is none.
func codeAt(text string, code []string) []string {
	at := slices.IndexFunc(code, func(c string) bool { return strings.HasPrefix(text, c) })
	if at < 0 {
		return nil
	}
	return code[at : at+1]
}

// splitTop splits a text at commas and semicolons outside brackets.
func splitTop(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		return (r == ',' || r == ';') && depth == 0
	})
}

// cellParameters reads the cell of a tool's row that lists its parameters.
func cellParameters(b *block) (list parameterList) {
	for col := 1; col < min(len(b.heads), len(b.cells)); col++ {
		head, cell := b.heads[col], strings.TrimSpace(b.cells[col])
		if cell == "" || !listHead.MatchString(head) {
			continue
		}
		l := inlineParameters(cell, b.code)
		for _, p := range l.all {
			p.required = p.required || strings.HasPrefix(head, "required")
			list.add(p)
		}
		list.known = list.known || l.known
	}
	return list
}
