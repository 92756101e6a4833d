package web

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A shownAs says how an element of a README is written.
type shownAs uint8

const (
	asText  shownAs = iota // not itself, but what is in it
	asIs                   // without attributes
	asVoid                 // without content
	asLink                 // with where it leads; as text if that is nowhere
	asTitle                // with its id
	asBlock                // div: with its class and tabindex
	asCode                 // pre: with its tabindex
	asNone                 // not at all
)

// inReadme is what may be in a README that is shown: text with its structure,
// and links to elsewhere. What is not here is as text.
var inReadme = func() map[atom.Atom]shownAs {
	all := map[atom.Atom]shownAs{
		atom.H3: asTitle, atom.H4: asTitle, atom.H5: asTitle, atom.H6: asTitle,
		atom.Br: asVoid, atom.Hr: asVoid, atom.A: asLink, atom.Div: asBlock, atom.Pre: asCode,
		atom.Frame: asNone, atom.Frameset: asNone, atom.Noembed: asNone, atom.Noframes: asNone,
	}
	for _, a := range []atom.Atom{atom.P, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Code, atom.Kbd, atom.Samp, atom.Var, atom.Em, atom.Strong,
		atom.B, atom.I, atom.S, atom.Del, atom.Ins, atom.Sub, atom.Sup, atom.Table, atom.Thead, atom.Tbody, atom.Tr, atom.Th, atom.Td,
		atom.Dl, atom.Dt, atom.Dd, atom.Details, atom.Summary} {
		all[a] = asIs
	}
	return all
}()

// outsideRel is the rel of links that others have written.
const outsideRel = "nofollow ugc noopener"

// writeReadme writes what is in n. It has the last word about READMEs, and
// holds by its form: every "<" and every attribute that it writes is one of
// the constants here, with the name of an element of inReadme, and all else,
// texts and values, is escaped. Values are checked where they are written,
// whoever put them into the document. Tests hold it against a sanitiser that
// knows nothing of it.
func writeReadme(b *bytes.Buffer, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			writeText(b, c.Data)
		case html.ElementNode:
			writeElement(b, c)
		}
	}
}

func writeElement(b *bytes.Buffer, n *html.Node) {
	as := inReadme[n.DataAtom]
	if n.Namespace != "" {
		as = asNone
	}
	name := n.DataAtom.String()
	switch as {
	case asNone:
		return
	case asText:
		writeReadme(b, n)
		return
	case asVoid:
		b.WriteString("<" + name + "/>")
		return
	case asLink:
		href := safeHref(attribute(n, "href"))
		if href == "" {
			writeReadme(b, n)
			return
		}
		b.WriteString(`<a href="`)
		writeText(b, href)
		if !strings.HasPrefix(href, "#") {
			b.WriteString(`" rel="` + outsideRel)
		}
		b.WriteString(`">`)
	default:
		b.WriteString("<" + name)
		if as == asTitle {
			if id := attribute(n, "id"); isHeadingID(id) {
				b.WriteString(` id="` + id + `"`)
			}
		}
		if as == asBlock && attribute(n, "class") == "wide" {
			b.WriteString(` class="wide"`)
		}
		if (as == asBlock || as == asCode) && attribute(n, "tabindex") == "0" {
			b.WriteString(` tabindex="0"`)
		}
		b.WriteByte('>')
		// A parser leaves out a newline at the beginning of these.
		if c := n.FirstChild; as == asCode && c != nil && c.Type == html.TextNode && strings.HasPrefix(c.Data, "\n") {
			b.WriteByte('\n')
		}
	}
	writeReadme(b, n)
	b.WriteString("</" + name + ">")
}

// writeText writes a text, or the value of an attribute, so that no sign of it
// means anything in HTML.
func writeText(b *bytes.Buffer, s string) {
	from := 0
	for i := range len(s) {
		var as string
		switch s[i] {
		case '&':
			as = "&amp;"
		case '\'':
			as = "&#39;"
		case '<':
			as = "&lt;"
		case '>':
			as = "&gt;"
		case '"':
			as = "&#34;"
		case '\r':
			as = "&#13;"
		default:
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(as)
		from = i + 1
	}
	b.WriteString(s[from:])
}

// safeHref returns an address that a README may link to: of http or https, or
// of a heading of its own; else "".
func safeHref(s string) string {
	if id, own := strings.CutPrefix(s, "#"); own {
		if isHeadingID(id) {
			return s
		}
		return ""
	}
	if outside(s) == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// isHeadingID says whether an id is one of those that [headingID] makes.
func isHeadingID(id string) bool {
	rest, ok := strings.CutPrefix(id, headingPrefix)
	if !ok || rest == "" || len(rest) > 100 {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
