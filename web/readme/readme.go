// Package readme renders READMEs of repositories as safe HTML: goldmark renders the Markdown, the
// document is adapted to the page (heading levels, links, pictures), and bluemonday applies
// [policy].
package readme

import (
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	// maxSource is the maximum size in bytes of the rendered part of a README.
	maxSource = 40 << 10
	// maxMarks is the maximum number of Markdown marks in a paragraph, because parsing time
	// is quadratic. Code counts too, because a Markdown parser may read it as text.
	maxMarks = 3000
	// maxCells is the maximum number of table cells in a README: rows are filled up to the
	// width of the first, so a few bytes can expand to many.
	maxCells = 20_000

	minFirst = 2000 // minimum size in bytes of First
	minRest  = 1200 // minimum size in bytes of Rest
)

// A Readme is a rendered README.
type Readme struct {
	First template.HTML // shown immediately
	Rest  template.HTML // folded; "" if everything is in First
	Path  string        // of the file in the repository
	URL   string        // of the file at the code host
	Cut   bool          // First and Rest are only the beginning of the file
}

// A Repository is where a README comes from.
type Repository struct {
	registry.RepoRef
	Commit string // "" means the default branch
}

var (
	// gfm reads GitHub's Markdown and lets raw HTML through.
	gfm = goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(markdown.WithUnsafe()))

	markdownFiles = []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ""}
)

// Render renders a README. Markup other than Markdown, and Markdown that would be slow to
// parse, is shown as plain text. It returns nil if nothing is left to show.
func Render(r registry.Readme, of Repository) *Readme {
	d := document{of: of, dir: path.Dir("/" + r.Path)}
	out := &Readme{Path: r.Path, URL: of.BlobURL(of.Commit, r.Path)}
	text := strings.ToValidUTF8(strings.ReplaceAll(r.Text, "\x00", ""), "\uFFFD")
	text, out.Cut = shorten(text)
	if !slices.Contains(markdownFiles, strings.ToLower(path.Ext(r.Path))) || slow(text) {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		out.First = template.HTML(`<pre tabindex="0">` + html.EscapeString(text) + `</pre>`)
		return out
	}
	var b strings.Builder
	if err := gfm.Convert([]byte(text), &b); err != nil {
		return nil
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(b.String()), body)
	if err != nil {
		return nil
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	out.First, out.Rest = fold(d.blocks(body))
	if out.First == "" {
		return nil
	}
	return out
}

// shorten cuts a text to maxSource, at the end of a paragraph if possible, and closes an open
// code block.
func shorten(source string) (short string, cut bool) {
	if len(source) <= maxSource {
		return source, false
	}
	source = text.Cut(strings.ToValidUTF8(source, ""), maxSource)
	if i := strings.LastIndex(source, "\n\n"); i > maxSource/2 {
		source = source[:i]
	}
	if strings.Count(source, "\n```")%2 == 1 {
		source += "\n```\n"
	}
	return source, true
}

// slow reports whether a text would be slow to parse as Markdown.
func slow(text string) bool {
	marks, columns, cells := 0, 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			marks, columns = 0, 0
			continue
		}
		for i := range len(line) {
			if strings.IndexByte("*_[>~", line[i]) >= 0 {
				marks++
			}
		}
		rule := strings.Contains(line, "-") && strings.Trim(line, "|:->*+.0123456789 \t\r\n") == ""
		if n := strings.Count(line, "|"); n > 0 && rule {
			// the line below a table's head, also in a list or a quotation
			columns = max(columns, n+1)
		}
		if cells += columns; marks > maxMarks || cells > maxCells {
			return true
		}
	}
	return false
}

// fold splits blocks in two: at the first heading after minFirst bytes, otherwise at an
// element after twice as many. Short READMEs are not split.
func fold(blocks []string) (first, rest template.HTML) {
	join := func(blocks []string) template.HTML {
		return template.HTML(strings.TrimSpace(strings.Join(blocks, "")))
	}
	size, split := 0, len(blocks)
	left := len(strings.Join(blocks, ""))
	for i, b := range blocks {
		if left < minRest {
			break
		}
		if size >= minFirst && strings.HasPrefix(b, "<h") && !strings.HasPrefix(b, "<hr") {
			split = i
			break
		}
		if size >= 2*minFirst && strings.HasPrefix(b, "<") && split == len(blocks) {
			split = i
		}
		size += len(b)
		left -= len(b)
	}
	return join(blocks[:split]), join(blocks[split:])
}
