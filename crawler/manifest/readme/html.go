package readme

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTokens is the maximum number of tags and texts of one HTML block.
const maxTokens = 5000

// html adds the blocks of an HTML block, which may be any part of a document.
func (w *walker) html(source string, at place) {
	h := &htmlReader{walker: w, at: at}
	h.start(paragraph, 0)
	z := html.NewTokenizer(strings.NewReader(source))
	for range maxTokens {
		switch z.Next() {
		case html.ErrorToken:
			h.endCode()
			h.endRow()
			h.flush()
			return
		case html.TextToken:
			h.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			h.open(z.Token())
		case html.EndTagToken:
			h.close(z.Token().DataAtom)
		}
	}
}

// An htmlReader converts tags to blocks.
type htmlReader struct {
	*walker
	at      place
	current *inline // the block, or the cell of the row, that text belongs to
	spans   []htmlSpan
	row     *block // the open table row, nil outside of rows
	cell    bool   // a cell of the row is open
	header  bool   // all cells of the row are header cells
	heads   []string
	lists   int    // open lists
	breaks  int    // line breaks since the last text
	hidden  bool   // inside a script or a style
	pre     *block // the open block of code, nil outside of these
}

type htmlSpan struct {
	span
	tag atom.Atom
	url string
}

func (h *htmlReader) start(kind blockKind, level int) {
	h.current = &inline{block: block{kind: kind, level: level, html: true}}
	h.spans = h.spans[:0]
}

// flush adds the current block unless it is empty, and starts a paragraph.
func (h *htmlReader) flush() {
	if b := h.current.finish(); (b.text != "" || len(b.links) > 0) && len(h.out) < maxBlocks {
		h.add(b, b.kind, h.at)
	}
	h.start(paragraph, 0)
}

func (h *htmlReader) text(s string) {
	if strings.TrimSpace(s) != "" {
		h.breaks = 0
	}
	switch {
	case h.hidden:
	case h.pre != nil:
		h.pre.text += s
	default:
		h.current.write(s)
	}
}

// endCode adds the open block of code.
func (h *htmlReader) endCode() {
	if h.pre != nil && h.pre.text != "" && len(h.out) < maxBlocks {
		h.add(*h.pre, code, h.at)
	}
	h.pre = nil
}

func (h *htmlReader) open(t html.Token) {
	for _, u := range addresses(t) {
		if t.DataAtom != atom.A {
			h.current.addImage(attribute(t, "alt"), u)
		}
	}
	if t.DataAtom != atom.Br {
		h.breaks = 0
	}
	switch t.DataAtom {
	case atom.Pre:
		if h.endCode(); h.row == nil {
			h.flush()
			h.pre = &block{html: true, lang: strings.ToLower(attribute(t, "lang"))}
		}
	case atom.Br:
		if h.pre != nil {
			h.pre.text += "\n"
		}
		if h.breaks++; h.breaks == 2 && h.row == nil {
			h.flush()
		}
		h.current.write(" ")
	case atom.Script, atom.Style:
		h.hidden = true
	case atom.A, atom.Code, atom.B, atom.Strong, atom.Del, atom.S, atom.Strike:
		url := strings.Join(addresses(t), "")
		h.spans = append(h.spans, htmlSpan{h.current.begin(), t.DataAtom, url})
	case atom.Tr:
		h.endRow()
		h.flush()
		h.row, h.header = &block{html: true, heads: h.heads}, true
	case atom.Td, atom.Th:
		h.endCell()
		h.cell = h.row != nil
		h.header = h.header && t.DataAtom == atom.Th
	default:
		h.openBlock(t.DataAtom)
	}
}

// openBlock starts a block. Blocks in a table cell are part of its text.
func (h *htmlReader) openBlock(tag atom.Atom) {
	if h.row != nil {
		h.current.write(" ")
		return
	}
	if !blockTags[tag] {
		return
	}
	h.endCode() // which is not closed
	h.flush()
	switch tag {
	case atom.Table:
		h.heads = nil
	case atom.Ul, atom.Ol:
		h.lists++
	case atom.Li:
		h.start(item, max(0, h.lists-1))
	case atom.Summary:
		h.start(heading, folded)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.start(heading, int(tag.String()[1]-'0'))
	}
}

var blockTags = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Center: true, atom.Details: true, atom.Table: true, atom.Ul: true,
	atom.Ol: true, atom.Li: true, atom.Summary: true, atom.H1: true, atom.H2: true, atom.H3: true,
	atom.H4: true, atom.H5: true, atom.H6: true,
}

func (h *htmlReader) close(tag atom.Atom) {
	h.breaks = 0
	switch tag {
	case atom.Script, atom.Style:
		h.hidden = false
	case atom.A, atom.Code, atom.B, atom.Strong, atom.Del, atom.S, atom.Strike:
		h.closeSpan(tag)
	case atom.Pre:
		h.endCode()
	case atom.Td, atom.Th:
		h.endCell()
	case atom.Tr, atom.Table:
		h.endRow()
	case atom.Details:
		h.endRow()
		h.flush()
		h.add(block{level: folded, html: true}, heading, h.at)
	default:
		switch {
		case !blockTags[tag]:
		case h.row != nil:
			h.current.write(" ")
		default:
			h.flush()
		}
		if tag == atom.Ul || tag == atom.Ol {
			h.lists = max(0, h.lists-1)
		}
	}
}

// closeSpan ends the innermost span of a tag and those inside it.
func (h *htmlReader) closeSpan(tag atom.Atom) {
	for i := len(h.spans) - 1; i >= 0; i-- {
		s := h.spans[i]
		if s.tag != tag {
			continue
		}
		h.spans = h.spans[:i]
		switch tag {
		case atom.A:
			h.current.addLink(oneLine(h.current.buf.String()[s.start:]), s.url)
		case atom.Code:
			h.current.addCode(h.current.end(s.span))
		case atom.Del, atom.S, atom.Strike:
			h.current.deleted = cmp.Or(h.current.deleted, h.current.end(s.span))
		default:
			h.current.end(s.span)
		}
		return
	}
}

func (h *htmlReader) endCell() {
	if h.cell && len(h.row.cells) < maxCells {
		h.row.addCell(h.current.finish())
	}
	h.cell = false
	h.start(paragraph, 0)
}

// endRow adds the open row, or makes it the header of the next rows.
func (h *htmlReader) endRow() {
	if h.row == nil {
		return
	}
	h.endCell()
	switch {
	case len(h.row.cells) == 0 || len(h.out) >= maxBlocks:
	case h.header:
		h.heads = lowerCase(h.row.cells)
	default:
		h.add(*h.row, row, place{quote: h.at.quote, outer: -1})
	}
	h.row = nil
}

// addresses returns the URLs that a tag links to or embeds.
func addresses(t html.Token) (out []string) {
	for _, a := range t.Attr {
		if u := strings.TrimSpace(a.Val); (a.Key == "href" || a.Key == "src") && u != "" {
			out = append(out, u)
		}
	}
	return out
}

// attribute returns an attribute of a tag, "" if it lacks it.
func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return oneLine(a.Val[:min(len(a.Val), maxAlt)])
		}
	}
	return ""
}

// inlineTag handles a tag inside Markdown text.
func inlineTag(in *inline, source string) {
	z := html.NewTokenizer(strings.NewReader(source))
	z.Next()
	t := z.Token()
	for _, u := range addresses(t) {
		in.addImage(attribute(t, "alt"), u)
	}
	switch t.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		if t.Type == html.StartTagToken {
			in.struck = in.begin()
		} else if t.Type == html.EndTagToken {
			in.deleted = cmp.Or(in.deleted, in.end(in.struck))
		}
	}
	if t.DataAtom == atom.Br {
		in.write(" ")
	}
}
