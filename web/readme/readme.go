// Package readme renders READMEs of repositories as safe HTML: goldmark renders the Markdown, the
// document is adapted to the page (heading levels, links, pictures), and bluemonday applies
// [policy].
package readme

import (
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

	maxLines   = 12 // of Beginning, of lineLength characters
	lineLength = 100
)

// A Readme is a rendered README.
type Readme struct {
	Text      template.HTML
	Beginning template.HTML // the first lines of Text
	Whole     bool          // Beginning has everything
	Path      string        // of the file in the repository
	URL       string        // of the file at the code host
	Cut       bool          // Text is only the beginning of the file
	// Pictures are the URLs of the pictures in Text, by the last elements of their addresses there.
	Pictures map[string]string
}

// A Repository is where a README comes from.
type Repository struct {
	registry.RepoRef
	Commit string // "" means the default branch
	// Pictures is the address below which the pictures are served, as in "/servers/SLUG/pictures/";
	// "" means that they are links.
	Pictures string
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
	d := document{of: of, dir: path.Dir("/" + r.Path), pictures: map[string]string{}}
	out := &Readme{Path: r.Path, URL: of.BlobURL(of.Commit, r.Path)}
	source := strings.ToValidUTF8(strings.ReplaceAll(r.Text, "\x00", ""), "\uFFFD")
	source, out.Cut = shorten(source)
	if !slices.Contains(markdownFiles, strings.ToLower(path.Ext(r.Path))) || slow(source) {
		if strings.TrimSpace(source) == "" {
			return nil
		}
		plain := func(s string) template.HTML {
			return template.HTML(`<pre tabindex="0">` + html.EscapeString(s) + `</pre>`)
		}
		first := strings.SplitAfterN(strings.TrimSpace(source), "\n", maxLines+1)
		out.Text, out.Whole = plain(source), len(first) <= maxLines && !out.Cut
		out.Beginning = plain(text.Cut(strings.Join(first[:min(len(first), maxLines)], ""), maxLines*lineLength))
		return out
	}
	var b strings.Builder
	if err := gfm.Convert([]byte(source), &b); err != nil {
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
	blocks := d.blocks(body)
	out.Text = template.HTML(strings.TrimSpace(strings.Join(blocks, "")))
	if out.Text == "" {
		return nil
	}
	out.Pictures = d.pictures
	out.Beginning, out.Whole = begin(blocks)
	out.Whole = out.Whole && !out.Cut
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

// begin returns the first blocks of a README, up to maxLines lines, and whether they are all.
// Headings at its ends, and blocks that consist of links, such as lists of languages, are omitted;
// other headings are paragraphs in bold type, because those above them may be missing, and pictures
// are omitted.
func begin(blocks []string) (beginning template.HTML, whole bool) {
	var chosen []string
	lines, whole := 0, true
	for _, b := range blocks {
		b = withoutText.ReplaceAllString(images.ReplaceAllString(b, ""), "")
		words := tags.ReplaceAllString(links.ReplaceAllString(b, ""), "")
		if !strings.ContainsFunc(words, unicode.IsLetter) || heading.MatchString(b) && chosen == nil {
			continue
		}
		if lines += linesOf(b); lines > maxLines {
			whole = false
			break
		}
		chosen = append(chosen, b)
	}
	for len(chosen) > 0 && heading.MatchString(chosen[len(chosen)-1]) {
		chosen = chosen[:len(chosen)-1]
	}
	joined := headingStart.ReplaceAllString(strings.Join(chosen, ""), "<p><b>")
	return template.HTML(headingEnd.ReplaceAllString(joined, "</b></p>")), whole
}

var (
	images       = regexp.MustCompile(`<img [^>]*>`)
	withoutText  = regexp.MustCompile(`<a [^>]*>\s*</a>`)
	links        = regexp.MustCompile(`(?s)<a [^>]*>.*?</a>`)
	tags         = regexp.MustCompile(`<[^>]*>`)
	heading      = regexp.MustCompile(`^<h[3-6][ >]`)
	headingStart = regexp.MustCompile(`<h[3-6](?: [^>]*)?>`)
	headingEnd   = regexp.MustCompile(`</h[3-6]>`)

	breaks = regexp.MustCompile(`<(?:p|li|tr|h[3-6]|br|pre|dt|dd)[ />]`)
)

// linesOf estimates the number of lines of a block on a page.
func linesOf(block string) int {
	lines := len(breaks.FindAllStringIndex(block, -1)) + len(tags.ReplaceAllString(block, ""))/lineLength
	if strings.HasPrefix(block, "<pre") {
		lines += strings.Count(block, "\n")
	}
	return lines
}
