package web

import (
	"bytes"
	"html/template"
	"net/url"
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
)

// longestReadme is how much of a README is shown, in bytes of its source.
const longestReadme = 40 << 10

// A readme is a README that can be shown.
type readme struct {
	Body template.HTML
	Path string
	URL  string // of the file at its code host
	Cut  bool   // there is more of it there
	fold int    // bytes of Body that stand in full view; 0: all
}

// readmeMarkdown reads GitHub's Markdown. What HTML it lets through is gone
// over afterwards, and [writeReadme] writes nothing but what may be shown.
var readmeMarkdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(markdown.WithUnsafe()))

// showReadme renders a README of a repository at a commit. It returns nil if
// there is nothing to show.
func showReadme(r registry.Readme, repo repository) *readme {
	at := repo.Commit
	if at == "" {
		at = "HEAD"
	}
	out := &readme{Path: r.Path}
	base := "https://github.com/" + url.PathEscape(repo.Owner) + "/" + url.PathEscape(repo.Name)
	out.URL = base + "/blob/" + url.PathEscape(at) + "/" + escapedPath(r.Path)
	text := strings.ToValidUTF8(strings.ReplaceAll(r.Text, "\x00", ""), "\uFFFD")
	if len(text) > longestReadme {
		out.Cut = true
		text = strings.ToValidUTF8(text[:longestReadme], "")
		if i := strings.LastIndex(text, "\n\n"); i > longestReadme/2 {
			text = text[:i]
		}
		if strings.Count(text, "\n```")%2 == 1 {
			text += "\n```\n"
		}
	}
	kind := strings.ToLower(path.Ext(r.Path))
	if !slices.Contains([]string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ""}, kind) || dense(text) { // as it is written
		if strings.TrimSpace(text) == "" {
			return nil
		}
		out.Body = template.HTML(`<pre tabindex="0">` + html.EscapeString(text) + `</pre>`)
		return out
	}
	var b bytes.Buffer
	b.Grow(2 * len(text))
	if err := readmeMarkdown.Convert([]byte(text), &b); err != nil {
		return nil
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(&b, body)
	if err != nil {
		return nil
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	(&tidying{base: base, at: url.PathEscape(at), dir: path.Dir("/" + r.Path)}).children(body, 0)
	b.Reset()
	writeReadme(&b, body)
	clean := bytes.TrimSpace(b.Bytes())
	if len(clean) == 0 {
		return nil
	}
	out.Body = template.HTML(clean)
	out.fold = foldAt(string(clean))
	return out
}

// densest is how many marks of Markdown one paragraph may have. Reading them
// takes time that grows with their square: a paragraph of nothing else takes
// seconds. Code counts like text, since what looks like the edge of code to us
// may be none to Markdown.
const densest = 3000

// mostCells is how many cells the tables of a README may have together: each
// row is filled up to the columns of the first, so a few bytes make many.
const mostCells = 20_000

// dense says whether a text would take long to read as Markdown.
func dense(text string) bool {
	marks, columns, cells := 0, 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			marks, columns = 0, 0
			continue
		}
		for i := range len(line) {
			switch line[i] {
			case '*', '_', '[', '>', '~':
				marks++
			}
		}
		if n := strings.Count(line, "|"); n > 0 && strings.Contains(line, "-") && strings.Trim(line, "|:->*+.0123456789 \t\r\n") == "" {
			columns = max(columns, n+1) // the line below a table's head, in a list or a quotation too
		}
		if cells += columns; marks > densest || cells > mostCells {
			return true
		}
	}
	return false
}

// A tidying makes a README's document fit for a page: headings below ours,
// pictures as links, addresses resolved.
type tidying struct {
	base, at, dir string
}

// deepest is how deep elements of a README may be nested.
const deepest = 60

var badgeHosts = []string{"img.shields.io", "badge.fury.io", "badgen.net", "smithery.ai", "glama.ai", "codecov.io", "snyk.io", "github.com/actions"}

func (t *tidying) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.CommentNode || c.Type == html.DoctypeNode || depth > deepest {
			n.RemoveChild(c)
		} else if c.Type == html.ElementNode {
			t.element(n, c, depth)
		}
		c = next
	}
}

func (t *tidying) element(parent, n *html.Node, depth int) {
	switch n.DataAtom {
	case atom.Input: // a box of a list of things to do
		if attribute(n, "type") == "checkbox" {
			box := "☐"
			if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
				box = "☑"
			}
			parent.InsertBefore(&html.Node{Type: html.TextNode, Data: box}, n)
		}
		parent.RemoveChild(n)
		return
	case atom.Blockquote:
		alert(n)
	case atom.Script, atom.Style, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Math, atom.Template, atom.Noscript, atom.Textarea, atom.Select,
		atom.Form, atom.Button, atom.Video, atom.Audio, atom.Source, atom.Title, atom.Head, atom.Link, atom.Meta, atom.Base:
		parent.RemoveChild(n)
		return
	case atom.Img:
		alt := strings.TrimSpace(attribute(n, "alt"))
		src := t.resolve(attribute(n, "src"), "raw")
		text := &html.Node{Type: html.TextNode, Data: alt}
		if alt == "" || inLink(n) || isBadge(src) || src == "" {
			if alt == "" || isBadge(src) {
				parent.RemoveChild(n)
				return
			}
			parent.InsertBefore(text, n)
			parent.RemoveChild(n)
			return
		}
		a := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: src}, {Key: "rel", Val: outsideRel}}}
		text.Data = "Picture: " + alt
		a.AppendChild(text)
		parent.InsertBefore(a, n)
		parent.RemoveChild(n)
		return
	}
	t.children(n, depth+1)
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		level := min(6, int(n.Data[1]-'0')+2)
		n.Data = "h" + string(rune('0'+level))
		n.DataAtom = atom.Lookup([]byte(n.Data))
		id := headingID(attribute(n, "id"))
		n.Attr = nil
		if !hasText(n) {
			parent.RemoveChild(n)
			return
		}
		if id != "" {
			n.Attr = []html.Attribute{{Key: "id", Val: id}}
		}
	case atom.A:
		href := attribute(n, "href")
		n.Attr = nil
		if strings.HasPrefix(href, "#") {
			if id := headingID(href[1:]); id != "" {
				n.Attr = []html.Attribute{{Key: "href", Val: "#" + id}}
			}
		} else if href = t.resolve(href, "blob"); href != "" {
			n.Attr = []html.Attribute{{Key: "href", Val: href}, {Key: "rel", Val: outsideRel}}
		}
		if len(n.Attr) == 0 || !hasText(n) {
			unwrap(parent, n)
		}
	case atom.Table:
		n.Attr = nil
		if parent.Type == html.ElementNode && attribute(parent, "class") == "wide" {
			return
		}
		wide := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div, Attr: []html.Attribute{{Key: "class", Val: "wide"}, {Key: "tabindex", Val: "0"}}}
		parent.InsertBefore(wide, n)
		parent.RemoveChild(n)
		wide.AppendChild(n)
	case atom.Pre:
		n.Attr = []html.Attribute{{Key: "tabindex", Val: "0"}}
	case atom.P:
		n.Attr = nil
		if !hasText(n) {
			parent.RemoveChild(n)
		}
	case atom.Center, atom.Font, atom.Span, atom.Picture, atom.Div:
		unwrap(parent, n)
	default:
		n.Attr = nil
	}
}

// alerts are what GitHub makes of a quotation that begins with a mark.
var alerts = map[string]string{"[!NOTE]": "Note", "[!TIP]": "Tip", "[!IMPORTANT]": "Important", "[!WARNING]": "Warning", "[!CAUTION]": "Caution"}

// alert puts a word in the place of the mark of a quotation.
func alert(n *html.Node) {
	p := n.FirstChild
	for p != nil && p.Type == html.TextNode && strings.TrimSpace(p.Data) == "" {
		p = p.NextSibling
	}
	if p == nil || p.DataAtom != atom.P || p.FirstChild == nil || p.FirstChild.Type != html.TextNode {
		return
	}
	mark, rest, _ := strings.Cut(strings.TrimLeft(p.FirstChild.Data, " "), "\n")
	word := alerts[strings.ToUpper(strings.TrimSpace(mark))]
	if word == "" {
		return
	}
	p.FirstChild.Data = rest
	head, bold := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}, &html.Node{Type: html.ElementNode, Data: "strong", DataAtom: atom.Strong}
	bold.AppendChild(&html.Node{Type: html.TextNode, Data: word})
	head.AppendChild(bold)
	n.InsertBefore(head, p)
}

// resolve returns where an address of the README leads, at the repository's
// commit if it is relative; "" if nowhere that may be linked to.
func (t *tidying) resolve(ref, kind string) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil || u.User != nil {
		return ""
	}
	if u.Scheme == "" && u.Host == "" {
		if u.Path == "" {
			return ""
		}
		p := u.Path
		if !strings.HasPrefix(p, "/") {
			p = t.dir + "/" + p
		}
		p = strings.TrimPrefix(path.Clean("/"+p), "/")
		out := t.base + "/" + kind + "/" + t.at + "/" + escapedPath(p)
		if u.Fragment != "" {
			out += "#" + u.EscapedFragment()
		}
		return outside(out)
	}
	if u.Scheme == "" {
		u.Scheme = "https"
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return outside(u.String())
}

func escapedPath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

func isBadge(src string) bool {
	for _, h := range badgeHosts {
		if strings.Contains(src, "//"+h) || strings.Contains(src, "/badge") {
			return true
		}
	}
	return false
}

// headingPrefix is how the ids of a README's headings begin, so that none can
// be one of the page's own.
const headingPrefix = "readme-"

// headingID makes the id of a heading from what a README calls it, "" if
// nothing is left of that or it is too long.
func headingID(id string) string {
	out := make([]byte, 0, len(headingPrefix)+len(id))
	out = append(out, headingPrefix...)
	for _, r := range strings.ToLower(id) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			out = append(out, byte(r))
		}
	}
	if n := len(out) - len(headingPrefix); n == 0 || n > 90 {
		return ""
	}
	return string(out)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// hasText says whether there is anything to read in n.
func hasText(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" {
			return true
		}
	}
	return false
}

func inLink(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// unwrap puts the children of n in its place.
func unwrap(parent, n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		n.RemoveChild(c)
		parent.InsertBefore(c, n)
		c = next
	}
	parent.RemoveChild(n)
}
