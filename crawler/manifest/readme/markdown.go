package readme

import (
	"cmp"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxBlocks  = 20000
	maxNesting = 100
	maxCells   = 20
	maxCode    = 64 << 10 // bytes of a code or HTML block
)

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Linkify, extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAttribute()),
)

// blocksOf parses Markdown.
func blocksOf(source []byte) []block {
	w := &walker{source: source}
	root := markdown.Parser().Parse(text.NewReader(source))
	w.siblings(root.FirstChild(), place{outer: -1})
	return w.out
}

// A walker converts a parsed document to blocks.
type walker struct {
	source []byte
	out    []block
}

// A place is the position of a node in the document.
type place struct {
	nesting int // of nodes
	depth   int // of lists
	quote   bool
	outer   int // index of the enclosing list item, -1 if there is none
}

func (w *walker) add(b block, kind blockKind, at place) {
	b.kind, b.quote, b.outer = kind, at.quote, at.outer
	w.out = append(w.out, b)
}

// siblings walks a node and its following siblings.
func (w *walker) siblings(n ast.Node, at place) {
	if at.nesting++; at.nesting > maxNesting {
		return
	}
	for ; n != nil && len(w.out) < maxBlocks; n = n.NextSibling() {
		w.node(n, at)
	}
}

func (w *walker) node(n ast.Node, at place) {
	switch t := n.(type) {
	case *ast.Heading:
		b := w.inline(n)
		b.level = t.Level
		w.add(b, heading, at)
	case *ast.Paragraph, *ast.TextBlock:
		w.add(w.inline(n), paragraph, at)
	case *ast.FencedCodeBlock:
		lang := strings.ToLower(string(t.Language(w.source)))
		w.add(block{lang: lang, text: w.lines(n)}, code, at)
	case *ast.CodeBlock:
		w.add(block{text: w.lines(n)}, code, at)
	case *ast.HTMLBlock:
		s := w.lines(n)
		if t.HasClosure() {
			s += string(t.ClosureLine.Value(w.source))
		}
		w.html(s, at)
	case *ast.Blockquote:
		at.quote = true
		w.siblings(n.FirstChild(), at)
	case *ast.ListItem:
		w.listItem(n, at)
	case *extast.Table:
		w.table(n, at)
	default:
		w.siblings(n.FirstChild(), at)
	}
}

// listItem adds an item with the text of its first paragraph. The rest is added as blocks inside
// the item.
func (w *walker) listItem(n ast.Node, at place) {
	var b block
	rest := n.FirstChild()
	if rest != nil && (rest.Kind() == ast.KindTextBlock || rest.Kind() == ast.KindParagraph) {
		b = w.inline(rest)
		rest = rest.NextSibling()
	}
	b.level = at.depth
	w.add(b, item, at)
	at.outer = len(w.out) - 1
	at.depth++
	w.siblings(rest, at)
}

func (w *walker) table(t ast.Node, at place) {
	heads := []string{}
	for r := t.FirstChild(); r != nil && len(w.out) < maxBlocks; r = r.NextSibling() {
		b := block{heads: heads}
		for c := r.FirstChild(); c != nil && len(b.cells) < maxCells; c = c.NextSibling() {
			b.addCell(w.inline(c))
		}
		if r.Kind() == extast.KindTableHeader {
			heads = lowerCase(b.cells)
			continue
		}
		w.add(b, row, place{quote: at.quote, outer: -1})
	}
}

func (b *block) addCell(cell block) {
	if len(b.cells) > 0 {
		b.text += " "
	}
	b.text += cell.text
	b.cells = append(b.cells, cell.text)
	b.leads = append(b.leads, cell.lead)
	b.code = append(b.code, cell.code...)
	b.links = append(b.links, cell.links...)
}

func lowerCase(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

// lines returns the source of a code or HTML block.
func (w *walker) lines(n ast.Node) string {
	b := n.Lines().Value(w.source)
	return string(b[:min(len(b), maxCode)])
}

// inline returns the plain text of a node's inline content, with its code, links and lead. Images
// are links without text.
func (w *walker) inline(n ast.Node) block {
	in := &inline{}
	w.inlineNodes(in, n, 0)
	return in.finish()
}

func (w *walker) inlineNodes(in *inline, n ast.Node, nesting int) {
	if nesting > maxNesting {
		return
	}
	for c := n.FirstChild(); c != nil && !in.full(); c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Text:
			w.text(in, t)
		case *ast.CodeSpan:
			s := in.begin()
			for text := c.FirstChild(); text != nil; text = text.NextSibling() {
				if t, ok := text.(*ast.Text); ok {
					in.write(string(t.Segment.Value(w.source)))
				}
			}
			in.addCode(in.end(s))
		case *ast.Image:
			in.addImage(altOf(t, w.source), string(t.Destination))
		case *extast.Strikethrough:
			s := in.begin()
			w.inlineNodes(in, c, nesting+1)
			in.deleted = cmp.Or(in.deleted, in.end(s))
		case *ast.Link:
			s := in.begin()
			w.inlineNodes(in, c, nesting+1)
			in.addLink(in.end(s), string(t.Destination))
		case *ast.AutoLink:
			u := string(t.URL(w.source))
			in.links = append(in.links, link{text: u, url: u})
			in.write(u)
		case *ast.Emphasis:
			s := in.begin()
			w.inlineNodes(in, c, nesting+1)
			in.end(s)
		case *ast.RawHTML:
			inlineTag(in, string(t.Segments.Value(w.source)))
		default:
			w.inlineNodes(in, c, nesting+1)
		}
	}
}

// text writes a text with the blank of a line break.
func (w *walker) text(in *inline, t *ast.Text) {
	source := util.UnescapePunctuations(t.Segment.Value(w.source))
	in.write(html.UnescapeString(string(source)))
	if t.SoftLineBreak() || t.HardLineBreak() {
		in.write(" ")
	}
}

func altOf(image ast.Node, source []byte) string {
	var b strings.Builder
	for c := image.FirstChild(); c != nil && b.Len() < maxAlt; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	return oneLine(b.String())
}

// maxAlt is the maximum number of bytes of an alternative text that are read.
const maxAlt = 200
