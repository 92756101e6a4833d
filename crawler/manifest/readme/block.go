package readme

import (
	"strings"
	"unicode"
)

// A block is a leaf of a document. Documents are lists of blocks in reading order. Markdown and
// HTML have the same kinds.
type block struct {
	kind  blockKind
	level int      // of a heading 1 to 6, or folded; of a list item its depth from 0
	text  string   // plain text
	lead  string   // the emphasised, code or link text at its beginning
	rest  string   // plain text after lead
	code  []string // code spans
	links []link
	lang  string   // of code
	cells []string // of a row, plain text
	leads []string // of a row, the lead of each cell
	heads []string // of a row, the header's cells in lower case
	quote bool     // inside a quotation
	html  bool     // written in HTML
	outer int      // index of the enclosing list item, -1 if there is none

	linked  int    // bytes of text that are links
	deleted string // the first text that is struck out
	notice  bool   // it says that the project has ended or is to be replaced
}

// A link is a link or an image, which has an alternative text instead of a text.
type link struct{ text, url, alt string }

func (l link) isWeb() bool {
	return strings.HasPrefix(l.url, "https://") || strings.HasPrefix(l.url, "http://")
}

type blockKind int

const (
	heading blockKind = iota
	paragraph
	item
	row
	code
)

// folded is the level of the heading for an HTML summary, below all others. The end of the
// details is a heading of this level without text.
const folded = 7

// leadsWithCode reports whether the block begins with its first code span.
func (b *block) leadsWithCode() bool {
	return len(b.code) > 0 && strings.HasPrefix(b.text, b.code[0])
}

const (
	maxInline = 32 << 10 // bytes of text in one block
	maxSpans  = 200      // code spans of one block
)

// inline collects the inline content of a block.
type inline struct {
	block
	buf    strings.Builder
	struck span // of the last tag that strikes out text
}

func (in *inline) full() bool { return in.buf.Len() > maxInline }

func (in *inline) write(s string) {
	if !in.full() {
		in.buf.WriteString(s)
	}
}

// A span is an open part of the text.
type span struct {
	start int
	leads bool // nothing readable precedes it
}

func (in *inline) begin() span {
	before := in.buf.String() // at most marks, numbers and emoji
	return span{len(before), in.lead == "" && len(before) <= 20 && !strings.ContainsFunc(before, unicode.IsLetter)}
}

// end returns the text of a span. Emphasis, code and links are the block's lead if nothing
// readable precedes them.
func (in *inline) end(s span) string {
	text := oneLine(in.buf.String()[min(s.start, in.buf.Len()):])
	if s.leads && in.lead == "" {
		in.lead = text
	}
	return text
}

func (in *inline) addCode(s string) {
	if s != "" && len(in.code) < maxSpans {
		in.code = append(in.code, s)
	}
}

func (in *inline) addLink(text, url string) {
	in.links = append(in.links, link{text: text, url: url})
	in.linked += len(text)
}

func (in *inline) addImage(alt, url string) {
	in.links = append(in.links, link{url: url, alt: alt})
}

// longestIndent is the maximum number of bytes before a lead: numbers, marks and emoji.
const longestIndent = 24

func (in *inline) finish() block {
	b := in.block
	b.text = oneLine(in.buf.String())
	b.rest = b.text
	if i := strings.Index(b.text, b.lead); b.lead != "" && i >= 0 && i < longestIndent {
		b.rest = b.text[i+len(b.lead):]
	} else {
		b.lead = ""
	}
	b.rest = strings.TrimSpace(strings.TrimLeft(b.rest, " \t:-–—.)|*"))
	return b
}

// oneLine joins the words of a text by single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
