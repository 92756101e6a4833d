package readme

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpcensus/web/format"
)

// policy allows the elements of a README on a page: text with its structure,
// and links. Tests check the output with a separate policy.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote",
		"pre", "code", "kbd", "samp", "var", "em", "strong", "b", "i", "s", "del", "ins", "sub",
		"sup",
		"table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "details", "summary", "div")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^`+idPrefix+`[a-z0-9_-]{1,90}$`)).
		OnElements("h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^wide$`)).OnElements("div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div", "pre")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?:https?://[^\s"'<>\\@/?#]+(?:[/?#]|$)|#` +
		idPrefix + `)`)).
		OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^` + rel + `$`)).OnElements("a")
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^/servers/[a-z0-9-]+/pictures/[0-9a-f]{32}$`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("width").Matching(regexp.MustCompile(`^[0-9]{1,4}$`)).OnElements("img")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(true) // to headings of this README
	p.RequireParseableURLs(true)
	return p
}()

const (
	rel = "nofollow ugc noopener" // of links to other sites
	// idPrefix is the prefix of the ids of a README's headings, so that they
	// differ from the ids of the page.
	idPrefix = "readme-"
	// maxDepth is the maximum nesting depth of elements.
	maxDepth = 60
	// maxPictures is the maximum number of pictures that are shown; others are links.
	maxPictures = 40
)

// A document is a README that is being adapted to a page.
type document struct {
	of       Repository
	dir      string            // of the README in the repository
	pictures map[string]string // URLs of the shown pictures by their names
}

// blocks returns the allowed HTML of each child of body.
func (d document) blocks(body *html.Node) []string {
	d.fitChildren(body, 0)
	var all []string
	for n := range body.ChildNodes() {
		var b strings.Builder
		if html.Render(&b, n) == nil { // it fails only for nodes that no parser creates
			all = append(all, policy.Sanitize(b.String()))
		}
	}
	return all
}

func (d document) fitChildren(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode && depth <= maxDepth {
			d.fit(c, depth)
		} else if c.Type != html.TextNode {
			n.RemoveChild(c)
		}
		c = next
	}
}

// fit changes, replaces or removes an element. It removes elements whose content must go, too;
// policy removes the tags of other disallowed elements.
func (d document) fit(n *html.Node, depth int) {
	switch n.DataAtom {
	case atom.Audio, atom.Button, atom.Form, atom.Head, atom.Iframe, atom.Math, atom.Noscript,
		atom.Object, atom.Script,
		atom.Select, atom.Style, atom.Svg, atom.Template, atom.Textarea, atom.Title, atom.Video:
		replace(n, nil)
		return
	case atom.Input:
		replace(n, checkbox(n))
		return
	case atom.Img:
		replace(n, d.picture(n))
		return
	case atom.Blockquote:
		nameAlert(n)
	}
	d.fitChildren(n, depth+1)
	attrs := n.Attr
	n.Attr = nil
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		lowerHeading(n, attribute(attrs, "id"))
	case atom.A:
		n.Attr = d.link(attribute(attrs, "href"))
		if len(n.Attr) == 0 || !hasText(n) {
			unwrap(n)
		}
	case atom.Table:
		if p := n.Parent; attribute(p.Attr, "class") != "wide" {
			wide := newElement(atom.Div, html.Attribute{Key: "class", Val: "wide"},
				html.Attribute{Key: "tabindex", Val: "0"})
			p.InsertBefore(wide, n)
			p.RemoveChild(n)
			wide.AppendChild(n)
		}
	case atom.Pre:
		n.Attr = []html.Attribute{{Key: "tabindex", Val: "0"}}
	case atom.P:
		if !hasText(n) {
			replace(n, nil)
		}
	case atom.Div, atom.Center:
		unwrap(n)
	}
}

// checkbox returns the sign for a box of a list of tasks, nil for other inputs.
func checkbox(n *html.Node) *html.Node {
	if attribute(n.Attr, "type") != "checkbox" {
		return nil
	}
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		return newText("☑")
	}
	return newText("☐")
}

// picture returns the picture, or a link to it with its description, the description alone inside
// another link, and nil for badges and for pictures without a description that are not shown.
func (d document) picture(n *html.Node) *html.Node {
	alt := strings.TrimSpace(attribute(n.Attr, "alt"))
	src := d.resolve(attribute(n.Attr, "src"), d.of.RawURL)
	switch {
	case isBadge(src):
		return nil
	case d.of.Pictures != "" && d.shows(src) && (alt != "" || !needsText(n)):
		return d.shown(n, src, alt)
	case alt == "":
		return nil
	case src == "" || insideLink(n):
		return newText(alt)
	}
	a := newElement(atom.A, d.link(src)...)
	a.AppendChild(newText("Picture: " + alt))
	return a
}

// shown returns the element of a picture that the site serves.
func (d document) shown(n *html.Node, src, alt string) *html.Node {
	sum := sha256.Sum256([]byte(src))
	name := hex.EncodeToString(sum[:16])
	d.pictures[name] = src
	img := newElement(atom.Img, html.Attribute{Key: "src", Val: d.of.Pictures + name},
		html.Attribute{Key: "alt", Val: alt}, html.Attribute{Key: "loading", Val: "lazy"})
	if width := strings.TrimSuffix(attribute(n.Attr, "width"), "px"); width != "" {
		img.Attr = append(img.Attr, html.Attribute{Key: "width", Val: width})
	}
	return img
}

// shows reports whether one more picture is shown, and a URL may be that of one that can be
// re-encoded.
func (d document) shows(src string) bool {
	u, err := url.Parse(src)
	return err == nil && u.Scheme == "https" && !strings.EqualFold(path.Ext(u.Path), ".svg") &&
		len(d.pictures) < maxPictures
}

// link returns the attributes of a link, none if its address is not allowed.
func (d document) link(href string) []html.Attribute {
	if fragment, ok := strings.CutPrefix(href, "#"); ok {
		if id := headingID(fragment); id != "" {
			return []html.Attribute{{Key: "href", Val: "#" + id}}
		}
	} else if to := d.resolve(href, d.of.BlobURL); to != "" {
		return []html.Attribute{{Key: "href", Val: to}, {Key: "rel", Val: rel}}
	}
	return nil
}

// lowerHeading lowers a heading below the levels of the page, and removes empty ones.
func lowerHeading(n *html.Node, id string) {
	if !hasText(n) {
		replace(n, nil)
		return
	}
	n.Data = "h" + string(rune('0'+min(6, headingLevel(n)+2)))
	n.DataAtom = atom.Lookup([]byte(n.Data))
	if id = headingID(id); id != "" {
		n.Attr = []html.Attribute{{Key: "id", Val: id}}
	}
}

// headingLevel is 1 to 6 for h1 to h6, 0 for other elements.
func headingLevel(n *html.Node) int {
	levels := []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
	return 1 + slices.Index(levels, n.DataAtom)
}

// headingID returns the id of a heading for the page, "" if it has no allowed characters or is
// too long.
func headingID(id string) string {
	id = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(id))
	if id == "" || len(id) > 90 {
		return ""
	}
	return idPrefix + id
}

// alerts are the markers that make a quotation an alert on GitHub.
var alerts = map[string]string{
	"[!NOTE]": "Note", "[!TIP]": "Tip", "[!IMPORTANT]": "Important", "[!WARNING]": "Warning",
	"[!CAUTION]": "Caution",
}

// nameAlert replaces the marker of an alert by its name.
func nameAlert(quote *html.Node) {
	p := quote.FirstChild
	for p != nil && p.Type == html.TextNode && strings.TrimSpace(p.Data) == "" {
		p = p.NextSibling
	}
	if p == nil || p.DataAtom != atom.P || p.FirstChild == nil ||
		p.FirstChild.Type != html.TextNode {
		return
	}
	mark, rest, _ := strings.Cut(strings.TrimLeft(p.FirstChild.Data, " "), "\n")
	name := alerts[strings.ToUpper(strings.TrimSpace(mark))]
	if name == "" {
		return
	}
	p.FirstChild.Data = rest
	head, bold := newElement(atom.P), newElement(atom.Strong)
	bold.AppendChild(newText(name))
	head.AppendChild(bold)
	quote.InsertBefore(head, p)
}

// resolve returns the absolute address of an address in the README, at the
// README's commit if it is relative; "" if it may not be linked to. page
// returns the address of a file at a commit.
func (d document) resolve(ref string, page func(commit, path string) string) string {
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
			p = d.dir + "/" + p
		}
		to := page(d.of.Commit, strings.TrimPrefix(path.Clean("/"+p), "/"))
		if to == "" {
			return ""
		}
		if u.Fragment != "" {
			to += "#" + u.EscapedFragment()
		}
		return format.SafeURL(to)
	}
	u.Scheme = cmp.Or(u.Scheme, "https")
	if u.Host == "" {
		return ""
	}
	return format.SafeURL(u.String())
}

var badgeHosts = []string{
	"img.shields.io", "badge.fury.io", "badgen.net", "smithery.ai", "glama.ai", "codecov.io",
	"snyk.io", "github.com/actions",
}

func isBadge(src string) bool {
	return strings.Contains(src, "/badge") ||
		slices.ContainsFunc(badgeHosts,
			func(host string) bool { return strings.Contains(src, "//"+host) })
}

func newText(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func newElement(a atom.Atom, attrs ...html.Attribute) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: a.String(), DataAtom: a, Attr: attrs}
}

func attribute(attrs []html.Attribute, key string) string {
	if i := slices.IndexFunc(attrs, func(a html.Attribute) bool { return a.Key == key }); i >= 0 {
		return attrs[i].Val
	}
	return ""
}

// hasText reports whether n contains visible text or a picture.
func hasText(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Img || d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" {
			return true
		}
	}
	return false
}

// needsText reports whether n is inside a link or heading, which must not be without text.
func needsText(n *html.Node) bool {
	for p := range n.Ancestors() {
		if p.DataAtom == atom.A || headingLevel(p) > 0 {
			return true
		}
	}
	return false
}

func insideLink(n *html.Node) bool {
	for p := range n.Ancestors() {
		if p.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// replace replaces n by another node, or removes n if that is nil.
func replace(n, by *html.Node) {
	if by != nil {
		n.Parent.InsertBefore(by, n)
	}
	n.Parent.RemoveChild(n)
}

// unwrap replaces n by its children.
func unwrap(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	n.Parent.RemoveChild(n)
}
