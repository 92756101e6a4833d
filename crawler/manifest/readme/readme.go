// Package readme reads what the README of a server says of it: its summary,
// how it is configured and started, its tools, and whether it is deprecated.
package readme

import (
	"bytes"
	"cmp"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"

	"mcpcensus/crawler/manifest"
)

// A Document is what a README says.
type Document struct {
	Title      string // of the first heading
	Summary    string // the first paragraph that is a sentence
	Text       string // plain text of headings, paragraphs, lists and tables
	Characters int    // of Text, without badges, HTML and code
	Headings   []Heading
	Links      []string // addresses of links and images, in order, at most MaxList

	Servers      []manifest.ClientServer // of configuration blocks, commands and install links
	ClientConfig string                  // "json", "command", "link", or ""
	Commands     []manifest.Launch       // of configurations and shell lines, in order
	Badges       []manifest.Launch       // packages that badges name
	Endpoints    []string                // addresses of remote servers in the text
	LocalImages  []string                // images that the README builds itself
	Variables    []registry.Variable
	MCPName      string // the mark by which a package says its name in the official registry

	Tools       []registry.Tool
	ToolHeading bool // a heading announces tools
	ToolEntries int  // entries under it

	Deprecation     string // "declared", "soft" or ""
	DeprecationText string // the sentence
	Successor       string // address of what to use instead
	Alerts          []string
}

// A Heading is a heading of a README.
type Heading struct {
	Level int
	Text  string
}

// A block is a leaf of the document in reading order.
type block struct {
	kind    blockKind
	level   int    // of a heading; of a list item its depth from 0
	text    string // plain text
	lead    string // the emphasised, code or link text that it begins with
	rest    string // the plain text behind lead
	code    []string
	links   []link
	lang    string   // of code
	cells   []string // of a row, plain text
	heads   []string // of a row, the header's cells in lower case
	leads   []string // of a row, code or strong text of each cell
	quote   bool     // inside a quotation
	outer   int      // index of the enclosing list item, -1 if there is none
	inLinks int      // bytes of text that are links
	tag     string   // of marked: "summary", "tr", "li", or "end" of what a summary opened
}

type link struct{ text, url string }

type blockKind int

const (
	heading blockKind = iota
	paragraph
	item
	row
	code
	rawHTML
	marked // a part of an HTML block
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Linkify), goldmark.WithParserOptions(parser.WithAttribute()))

var (
	mcpNameRE   = regexp.MustCompile(`mcp-name:\s*([a-zA-Z0-9.-]{1,150}/[a-zA-Z0-9._-]{1,100})`)
	htmlTag     = regexp.MustCompile(`<[^<>]*>`)
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	htmlHeading = regexp.MustCompile(`(?is)<h([1-6])[^>]{0,500}>(.{0,500}?)</h[1-6]>`)
	htmlHref    = regexp.MustCompile(`(?i)\b(?:href|src)\s*=\s*["']([^"'\s]+)["']`)
	spaces      = regexp.MustCompile(`\s+`)
	repeated    = regexp.MustCompile(`(?:[>*_\[\]()~!+=#|-][ \t]*){200,}`)
)

// Parse reads a README in Markdown, or as much of it as [MaxSize] lets
// through. Files in other markup are read as if they were Markdown.
func Parse(b []byte) (r *Document, err error) {
	defer untyped.Guard(&err)
	if len(b) > untyped.MaxSize {
		b = b[:untyped.MaxSize]
	}
	b = asciidoc(untyped.Clean(b))
	r = &Document{}
	if m := mcpNameRE.FindSubmatch(b); m != nil {
		r.MCPName = string(m[1])
	}
	blocks := blocksOf(harmless(b))
	r.summarise(blocks)
	r.configuration(blocks)
	r.variables(blocks)
	r.tools(blocks)
	r.deprecation(blocks)
	return r, nil
}

// harmless returns a text without thousands of markers in a row, which mean
// nothing and cost the parser dearly.
func harmless(b []byte) []byte {
	return limitDelimiters(repeated.ReplaceAll(b, []byte("\n")))
}

// ParseTools reads a document that is all about a server's tools, such as
// TOOLS.md, and returns those that it lists.
func ParseTools(b []byte) (tools []registry.Tool, err error) {
	defer untyped.Guard(&err)
	if len(b) > untyped.MaxSize {
		b = b[:untyped.MaxSize]
	}
	// All of it stands below a heading that announces tools, which is no title.
	above := []block{{kind: paragraph, outer: -1}, {kind: paragraph, outer: -1}, {kind: paragraph, outer: -1}, {kind: heading, level: 1, text: "Tools", outer: -1}}
	blocks := above
	for _, b := range blocksOf(harmless(asciidoc(untyped.Clean(b)))) {
		if b.kind == heading {
			b.level++
		}
		if b.outer >= 0 {
			b.outer += len(above)
		}
		blocks = append(blocks, b)
	}
	var r Document
	r.tools(blocks)
	return r.Tools, nil
}

var (
	adocTitle = regexp.MustCompile(`^\s*= \S`)
	adocHead  = regexp.MustCompile(`(?m)^(={1,6}) (\S)`)
	adocFence = regexp.MustCompile(`(?m)^(?:\[source[^\]\n]*\]\n)?-{4,}[ \t]*$`)
	adocNoise = regexp.MustCompile(`(?m)^(?::[\w-]+:.*|image::?\S+\[.*\]|\[(?:source|cols|%|options|NOTE|TIP|discrete|#)[^\]\n]*\]|ifdef::.*|endif::.*)$`)
	adocLink  = regexp.MustCompile(`\b(?:link:|xref:)?(https?://[^\s\[]{1,300})\[([^\]\n]{0,200})\]`)
)

// asciidoc turns the headings, listings and links of a document that begins
// with an AsciiDoc title into Markdown.
func asciidoc(b []byte) []byte {
	if !adocTitle.Match(b) {
		return b
	}
	b = adocFence.ReplaceAll(b, []byte("```"))
	b = adocNoise.ReplaceAll(b, nil)
	b = adocLink.ReplaceAll(b, []byte("[$2]($1)"))
	return adocHead.ReplaceAllFunc(b, func(m []byte) []byte {
		return append(bytes.ReplaceAll(m[:len(m)-2], []byte("="), []byte("#")), m[len(m)-2:]...)
	})
}

// limitDelimiters blanks the emphasis and link marks of one paragraph beyond
// a number that no person writes: the parser's time grows with their square
// (minutes for a README of 256 KB made of them).
func limitDelimiters(b []byte) []byte {
	const most = 1200
	out := bytes.Clone(b)
	n, start := 0, 0
	for start < len(out) {
		end := bytes.IndexByte(out[start:], '\n')
		if end < 0 {
			end = len(out)
		} else {
			end += start
		}
		line := out[start:end]
		trimmed := bytes.TrimLeft(line, " ")
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			n = 0
		case len(line)-len(trimmed) <= 3 && len(trimmed) > 2 && trimmed[1] == ' ' && bytes.IndexByte([]byte("-*+#"), trimmed[0]) >= 0:
			n = 0 // a list item or a heading ends a paragraph
		}
		for i, c := range line {
			if c == '*' || c == '_' || c == '[' || c == '~' {
				if n++; n > most {
					line[i] = ' '
				}
			}
		}
		start = end + 1
	}
	return out
}

func blocksOf(src []byte) []block {
	root := markdown.Parser().Parse(gtext.NewReader(src))
	w := &walker{src: src}
	w.node(root, 0, 0, false, -1)
	return w.out
}

const maxBlocks = 20000

type walker struct {
	src []byte
	out []block
}

func (w *walker) node(n ast.Node, nest, depth int, quote bool, outer int) {
	if nest > 100 {
		return
	}
	for c := n.FirstChild(); c != nil && len(w.out) < maxBlocks; c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Heading:
			b := w.inline(c)
			b.kind, b.level, b.quote, b.outer = heading, t.Level, quote, outer
			w.out = append(w.out, b)
		case *ast.Paragraph, *ast.TextBlock:
			b := w.inline(c)
			b.kind, b.quote, b.outer = paragraph, quote, outer
			w.out = append(w.out, b)
		case *ast.FencedCodeBlock:
			w.out = append(w.out, block{kind: code, lang: strings.ToLower(string(t.Language(w.src))), text: w.lines(c), quote: quote, outer: outer})
		case *ast.CodeBlock:
			w.out = append(w.out, block{kind: code, text: w.lines(c), quote: quote, outer: outer})
		case *ast.HTMLBlock:
			s := w.lines(c)
			if t.HasClosure() {
				s += string(t.ClosureLine.Value(w.src))
			}
			w.html(s, quote, outer)
		case *ast.Blockquote:
			w.node(c, nest+1, depth, true, outer)
		case *ast.List:
			for li := c.FirstChild(); li != nil && len(w.out) < maxBlocks; li = li.NextSibling() {
				b := block{}
				firstChild := li.FirstChild()
				if firstChild != nil && (firstChild.Kind() == ast.KindTextBlock || firstChild.Kind() == ast.KindParagraph) {
					b = w.inline(firstChild)
				}
				b.kind, b.level, b.quote, b.outer = item, depth, quote, outer
				w.out = append(w.out, b)
				at := len(w.out) - 1
				if firstChild != nil {
					w.siblings(firstChild, b.text != "", nest+1, depth+1, quote, at)
				}
			}
		case *extast.Table:
			w.table(c, quote)
		default:
			w.node(c, nest+1, depth, quote, outer)
		}
	}
}

// siblings walks the rest of a list item behind its first paragraph.
func (w *walker) siblings(n ast.Node, skip bool, nest, depth int, quote bool, outer int) {
	parent := n.Parent()
	if skip {
		parent.RemoveChild(parent, n)
	}
	w.node(parent, nest, depth, quote, outer)
}

func (w *walker) table(t ast.Node, quote bool) {
	var heads []string
	for r := t.FirstChild(); r != nil && len(w.out) < maxBlocks; r = r.NextSibling() {
		b := block{kind: row, heads: heads, quote: quote, outer: -1}
		for c := r.FirstChild(); c != nil && len(b.cells) < 20; c = c.NextSibling() {
			in := w.inline(c)
			b.cells = append(b.cells, in.text)
			lead := in.lead
			if lead == "" && len(in.code) > 0 && strings.HasPrefix(in.text, in.code[0]) {
				lead = in.code[0]
			}
			b.leads = append(b.leads, lead)
			b.code = append(b.code, in.code...)
			b.links = append(b.links, in.links...)
		}
		b.text = strings.Join(b.cells, " ")
		if r.Kind() == extast.KindTableHeader {
			for _, c := range b.cells {
				heads = append(heads, strings.ToLower(c))
			}
			if heads == nil {
				heads = []string{}
			}
			continue
		}
		w.out = append(w.out, b)
	}
}

func (w *walker) html(s string, quote bool, outer int) {
	for _, m := range htmlHref.FindAllStringSubmatch(s, 200) {
		w.out = append(w.out, block{kind: rawHTML, links: []link{{"", html.UnescapeString(m[1])}}, quote: quote, outer: outer})
	}
	if m := htmlHeading.FindStringSubmatch(s); m != nil {
		if t := plainHTML(m[2]); t != "" {
			w.out = append(w.out, block{kind: heading, level: int(m[1][0] - '0'), text: t, quote: quote, outer: outer})
		}
	}
	for _, part := range htmlBreak.Split(htmlComment.ReplaceAllString(s, " "), 300) {
		t := plainHTML(part)
		if t == "" {
			continue
		}
		b := block{kind: rawHTML, text: t, quote: quote, outer: outer}
		for _, m := range htmlAnchor.FindAllStringSubmatch(part, 100) {
			b.inLinks += len(plainHTML(m[1]))
		}
		w.out = append(w.out, b)
	}
	w.markup(s, quote)
}

var (
	htmlBreak  = regexp.MustCompile(`(?i)</?(?:p|div|h[1-6]|li|tr|table|center|summary|details)\b[^<>]*>|<br\s*/?>\s*<br\s*/?>`)
	htmlAnchor = regexp.MustCompile(`(?is)<a\b[^>]*>(.*?)</a>`)
	htmlPart   = regexp.MustCompile(`(?is)<summary[^>]{0,200}>(.*?)</summary>|<tr[^>]{0,200}>(.*?)</tr>|<li[^>]{0,200}>(.*?)(?:</li>|<li|</ul|$)|(</details>)`)
	htmlCell   = regexp.MustCompile(`(?is)<(t[hd])[^>]{0,200}>(.*?)</t[hd]>`)
	htmlLead   = regexp.MustCompile(`(?is)^(?:\s|<(?:p|a|span|br|b|strong|em|i)[^>]{0,300}>|[^\pL\pN<])*<(code|b|strong)>(.{1,200}?)</(?:code|b|strong)>`)
	htmlCode   = regexp.MustCompile(`(?is)<code>(.{1,200}?)</code>`)
)

// markup gives what stands in summaries, rows and list items written in HTML
// as blocks of their own. Only what looks for lists reads them: their text is
// part of the HTML block already.
func (w *walker) markup(s string, quote bool) {
	var heads []string
	for _, m := range htmlPart.FindAllStringSubmatch(htmlComment.ReplaceAllString(s, " "), 500) {
		if len(w.out) >= maxBlocks {
			return
		}
		b := block{kind: marked, quote: quote, outer: -1}
		switch {
		case m[1] != "":
			b.tag, b.text = "summary", plainHTML(m[1])
			b.code = codesHTML(m[1])
			b.lead = leadHTML(m[1])
		case m[2] != "":
			b.tag, b.heads = "tr", heads
			header := false
			for _, c := range htmlCell.FindAllStringSubmatch(m[2], 20) {
				header = header || strings.EqualFold(c[1], "th")
				b.cells = append(b.cells, plainHTML(c[2]))
				b.leads = append(b.leads, leadHTML(c[2]))
				b.code = append(b.code, codesHTML(c[2])...)
			}
			if len(b.cells) == 0 {
				continue
			}
			if header {
				heads = nil
				for _, c := range b.cells {
					heads = append(heads, strings.ToLower(c))
				}
				continue
			}
			b.text = strings.Join(b.cells, " ")
		case m[3] != "":
			b.tag, b.text, b.lead, b.code = "li", plainHTML(m[3]), leadHTML(m[3]), codesHTML(m[3])
			b.rest = b.text
			if i := strings.Index(b.text, b.lead); b.lead != "" && i >= 0 {
				b.rest = strings.TrimSpace(strings.TrimLeft(b.text[i+len(b.lead):], " \t:-–—.)|*"))
			}
		default:
			b.tag = "end"
		}
		w.out = append(w.out, b)
	}
}

func leadHTML(s string) string {
	if m := htmlLead.FindStringSubmatch(s); m != nil {
		return plainHTML(m[2])
	}
	return ""
}

func codesHTML(s string) []string {
	var out []string
	for _, m := range htmlCode.FindAllStringSubmatch(s, 100) {
		if t := plainHTML(m[1]); t != "" {
			out = append(out, t)
		}
	}
	return out
}

func plainHTML(s string) string {
	s = htmlComment.ReplaceAllString(s, " ")
	s = htmlTag.ReplaceAllString(s, " ")
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(s), " "))
}

func (w *walker) lines(n ast.Node) string {
	var b strings.Builder
	l := n.Lines()
	for i := range l.Len() {
		s := l.At(i)
		b.Write(s.Value(w.src))
		if b.Len() > 64<<10 {
			break
		}
	}
	return b.String()
}

// inline returns the plain text of a node's inline content with what stands
// out in it. Images and links that hold only an image are left out.
func (w *walker) inline(n ast.Node) block {
	var b block
	var text strings.Builder
	nest := 0
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		if nest++; nest > 60 {
			nest--
			return
		}
		defer func() { nest-- }()
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if text.Len() > 32<<10 {
				return
			}
			switch t := c.(type) {
			case *ast.Text:
				text.WriteString(html.UnescapeString(string(unescape(t.Segment.Value(w.src)))))
				if t.SoftLineBreak() || t.HardLineBreak() {
					text.WriteByte(' ')
				}
			case *ast.String:
				text.Write(t.Value)
			case *ast.CodeSpan:
				var s strings.Builder
				for g := t.FirstChild(); g != nil; g = g.NextSibling() {
					if gt, ok := g.(*ast.Text); ok {
						s.Write(gt.Segment.Value(w.src))
					}
				}
				v := strings.TrimSpace(s.String())
				if unlettered(text.String()) && b.lead == "" {
					b.lead = v
				}
				if len(b.code) < 200 {
					b.code = append(b.code, v)
				}
				text.WriteString(v)
			case *ast.Image:
				b.links = append(b.links, link{"", string(t.Destination)})
			case *ast.Link:
				before := text.Len()
				lead := unlettered(text.String())
				walk(c)
				s := strings.TrimSpace(text.String()[before:])
				b.links = append(b.links, link{s, string(t.Destination)})
				b.inLinks += len(s)
				if lead && b.lead == "" {
					b.lead = s
				}
			case *ast.AutoLink:
				u := string(t.URL(w.src))
				b.links = append(b.links, link{u, u})
				text.WriteString(u)
			case *ast.Emphasis:
				before := text.Len()
				lead := unlettered(text.String())
				walk(c)
				if lead && b.lead == "" {
					b.lead = strings.TrimSpace(text.String()[before:])
				}
			case *ast.RawHTML:
				for i := range t.Segments.Len() {
					s := t.Segments.At(i)
					v := string(s.Value(w.src))
					for _, m := range htmlHref.FindAllStringSubmatch(v, 5) {
						b.links = append(b.links, link{"", html.UnescapeString(m[1])})
					}
					if strings.HasPrefix(strings.ToLower(v), "<br") {
						text.WriteByte(' ')
					}
				}
			default:
				walk(c)
			}
		}
	}
	walk(n)
	b.text = strings.TrimSpace(spaces.ReplaceAllString(text.String(), " "))
	b.lead = strings.TrimSpace(spaces.ReplaceAllString(b.lead, " "))
	b.rest = b.text
	if i := strings.Index(b.text, b.lead); b.lead != "" && i >= 0 && i < 24 {
		b.rest = b.text[i+len(b.lead):]
	} else {
		b.lead = ""
	}
	b.rest = strings.TrimSpace(strings.TrimLeft(b.rest, " \t:-–—.)|*"))
	return b
}

// unlettered says whether a text has nothing to read yet: marks, numbers and
// pictures at most.
func unlettered(s string) bool {
	return len(s) <= 20 && strings.IndexFunc(s, unicode.IsLetter) < 0
}

func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) && (b[i+1] < 0x80 && unicode.IsPunct(rune(b[i+1])) || strings.IndexByte("`<>$+=^|~", b[i+1]) >= 0) {
			i++
		}
		out = append(out, b[i])
	}
	return out
}

var (
	notSummary = regexp.MustCompile(`(?i)^(?:english\b|中文|简体中文|繁體中文|日本語|\[?!?\[|>|\.\. |:target:|image:|note\b|tip:|that (?:server|project|repository|package)\b|the (?:replacement|successor|tools? below)\b|(?:connect|point|configure) your\b|table of contents|contents\b|quick links|badge|important|warning|caution|license|status|update[sd]?:|news|announcement|new[:!]|coming soon|⚠|🚨|this (?:project|repository|repo|package|server) (?:is|has been) (?:deprecated|archived|no longer|moved)|(?:npm|npx|uvx?|pip|pipx|docker|brew|cargo|go) \w|(?:to )?(?:install|run|start|clone|download|watch|visit|join|follow|click|star|read|see|check out|try it|learn more|built (?:with|by)|made (?:with|by)|powered by|sponsored by|maintained by|created by|developed by|translated|last updated|available in|supported by|for more|requires|prerequisites?|before|you (?:can|need|must|will|should|may|cannot)|to (?:use|set up|get|configure|enable|connect)|make sure|please|if you|once|after|first)\b)|\bsponsor(?:s|ed|ing)?\b|\bproduct hunt\b`)
	// practical is a heading under which nobody says what the project is.
	practical  = regexp.MustCompile(`(?i)\b(?:instal\w*|connect(?:ing)?|migrat\w*|access(?:ing)? (?:the|this|from)|set ?up|getting started|quick ?start|config\w*|usage|prerequisites?|requirements?|contents|tools?|develop\w*|licen[cs]e|contribut\w*|security|authentication|api keys?|environment|deploy\w*|debugging|testing|troubleshooting|support|changelog|roadmap|acknowledg\w*|credits|examples?|demo|sponsors?|news|updates?|community|star history)\b|安装|配置|使用`)
	definition = regexp.MustCompile(`(?i)^(?:the |anthropic's )?(?:model context protocol|mcp)\b(?:\s*\(mcp\))?,?\s+(?:is\b|standardi[sz]es|provides a standard|was\b|defines|(?:enables|allows|lets) (?:ai|llms?|large|seamless|applications|developers))`)
	separators = regexp.MustCompile(`\s[|•·‧∙⋅▪/–—-]\s`)
	pictures   = regexp.MustCompile(`[\x{2190}-\x{2BFF}\x{1F000}-\x{1FAFF}]`)
)

// sentenceLike says whether a text tells something in words: no bar of links,
// no row of badges, no install line.
func (b *block) sentenceLike() bool {
	n := utf8.RuneCountInString(b.text)
	words := len(strings.Fields(b.text))
	switch {
	case n < 30 && (n < 14 || letters(b.text) == len(b.text)), words < 4 && n == len(b.text), n > 4000:
		return false
	case strings.HasSuffix(b.text, ":"), noticeRE.MatchString(b.text), notSummary.MatchString(b.text):
		return false
	case letters(b.text)*2 <= n:
		return false
	case b.inLinks*10 > len(b.text)*6, len(separators.FindAllString(b.text, -1)) >= 3 && words < 40:
		return false
	case len(pictures.FindAllString(b.text, -1)) >= 2 && words < 12 && !strings.ContainsAny(b.text, ".,"):
		return false
	}
	return true
}

func (r *Document) summarise(blocks []block) {
	var plain strings.Builder
	for _, b := range blocks {
		for _, l := range b.links {
			if len(r.Links) < 5*untyped.MaxList {
				r.Links = append(r.Links, l.url)
			}
		}
		switch b.kind {
		case code, marked:
			continue
		case rawHTML:
			if plain.Len() < untyped.MaxSize {
				plain.WriteString(b.text + "\n")
			}
			continue
		case heading:
			if r.Title == "" && b.level <= 2 {
				r.Title = untyped.Short(b.text)
			}
			if len(r.Headings) < untyped.MaxList {
				r.Headings = append(r.Headings, Heading{b.level, untyped.Short(b.text)})
			}
		}
		r.Characters += utf8.RuneCountInString(b.text)
		plain.WriteString(b.text + "\n")
	}
	r.Text = strings.TrimSpace(plain.String())
	r.Summary = summary(blocks)
}

// summary returns the first paragraph that says what the project is: a
// paragraph, or one in HTML above all headings but the title, before a quoted
// one; what MCP is in general only if nothing else is said.
func summary(blocks []block) string {
	var inHTML, quoted, general string
	sections, aside := 0, false
	notice := -1 // the last block of a quotation that is a notice
	for i := range blocks {
		b := &blocks[i]
		if b.kind == heading && b.level >= 2 {
			if sections++; sections > 4 {
				break
			}
			aside = practical.MatchString(b.text) || noticeRE.MatchString(b.text)
		}
		if b.quote && (noticeRE.MatchString(b.text) || alertRE.MatchString(b.text)) {
			for notice = i; notice+1 < len(blocks) && blocks[notice+1].quote; notice++ {
				continue
			}
		}
		if i <= notice {
			continue // what to use instead is not what this is
		}
		if b.kind != paragraph && b.kind != rawHTML || aside || b.outer >= 0 || !strings.Contains(b.text, " ") && len(b.text) == utf8.RuneCountInString(b.text) || !b.sentenceLike() {
			continue
		}
		switch {
		case definition.MatchString(b.text):
			general = cmp.Or(general, b.text)
		case b.kind == rawHTML:
			if sections == 0 && len(b.text) < 1000 {
				inHTML = cmp.Or(inHTML, b.text)
			}
		case b.quote:
			quoted = cmp.Or(quoted, b.text)
		case inHTML != "" && sections > 0:
			return untyped.Short(inHTML)
		default:
			return untyped.Short(b.text)
		}
	}
	return untyped.Short(cmp.Or(inHTML, quoted, general))
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
