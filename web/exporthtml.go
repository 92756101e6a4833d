package web

import (
	"bytes"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// staticPolicy is the content security policy of pages, as far as a page may
// name it itself.
const staticPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'"

// rewrite returns a page as the file of that name: its links lead to other
// files, relative to it; what needs a server is taken out; times that say how
// long ago something was, which would be wrong tomorrow, become days; and the
// page of all servers searches by itself.
func (e *exporter) rewrite(page []byte, name string) []byte {
	var out bytes.Buffer
	e.rewriteTo(&out, page, name)
	return out.Bytes()
}

func (e *exporter) rewriteTo(out *bytes.Buffer, page []byte, name string) {
	w := rewriter{exporter: e, out: out, name: name, up: strings.Repeat("../", strings.Count(name, "/"))}
	if name == "404.html" {
		if u, err := url.Parse(e.site.BaseURL); err == nil {
			w.up = u.Path + "/"
		}
	}
	w.out.Grow(len(page) + 1024)
	for len(page) > 0 {
		text, tag, rest := nextTag(page)
		if len(text) > 0 {
			w.text(text)
		}
		if len(tag) > 0 {
			w.tag(tag)
		}
		page = rest
	}
}

// nextTag cuts a page behind its first tag; tag is empty at the end. It reads
// what html/template writes, where "<" and ">" are escaped in texts and values,
// and takes comments and declarations for tags and what is in a script for
// text.
func nextTag(page []byte) (text, tag, rest []byte) {
	for from := 0; ; {
		at := bytes.IndexByte(page[from:], '<')
		if at < 0 {
			return page, nil, nil
		}
		if at += from; at+1 < len(page) && (page[at+1] == '/' || page[at+1] == '!' || page[at+1] >= 'a' && page[at+1] <= 'z' || page[at+1] >= 'A' && page[at+1] <= 'Z') {
			end := bytes.IndexByte(page[at:], '>')
			if end < 0 {
				return page, nil, nil
			}
			return page[:at], page[at : at+end+1], page[at+end+1:]
		}
		from = at + 1
	}
}

type rewriter struct {
	*exporter
	name, up string
	out      *bytes.Buffer

	gone  string // the element that is being left out
	depth int    // of elements of its name inside
	// bare is how many links are open whose tags are left out.
	bare int
	menu int  // inside so many <nav> and <footer>
	dot  bool // a link of a menu was left out: so is the dot behind it
	when string
	read html.Token // the tag that was read last
}

func (w *rewriter) text(raw []byte) {
	switch {
	case w.gone != "":
		return
	case w.when != "":
		w.out.WriteString(absolute(w.when, string(raw)))
		w.when = ""
	case w.dot && strings.TrimSpace(string(raw)) == "·":
		w.out.WriteByte(' ')
	default:
		w.out.Write(raw)
	}
	w.dot = false
}

func (w *rewriter) tag(raw []byte) {
	inner := raw[1 : len(raw)-1]
	closing := inner[0] == '/'
	if closing {
		inner = inner[1:]
	}
	end := bytes.IndexAny(inner, " \t\r\n\f/")
	if end < 0 {
		end = len(inner)
	}
	name := string(inner[:end])
	if w.gone != "" {
		if name == w.gone && !closing {
			w.depth++
		} else if name == w.gone {
			if w.depth--; w.depth == 0 {
				w.gone = ""
			}
		}
		return
	}
	if closing {
		switch name {
		case "a":
			if w.bare > 0 {
				w.bare--
				return
			}
		case "nav", "footer":
			w.menu--
		case "time":
			w.when = ""
		}
		w.out.Write(raw)
		return
	}
	switch name {
	case "a", "form", "link", "img", "script", "time", "section", "div", "pre":
		if attrs := bytes.TrimSpace(inner[end:]); len(attrs) > 0 {
			tagOf(&w.read, name, attrs)
			w.element(&w.read, raw)
			return
		}
	case "nav", "footer":
		w.menu++
	case "head":
		w.out.Write(raw)
		w.out.WriteString("\n" + `<meta http-equiv="Content-Security-Policy" content="` + html.EscapeString(staticPolicy) + `">`)
		return
	}
	w.out.Write(raw)
}

// tagOf reads a tag that html/template has written, with its attributes, into t.
func tagOf(t *html.Token, name string, attrs []byte) {
	*t = html.Token{Type: html.StartTagToken, Data: name, Attr: t.Attr[:0]}
	for {
		attrs = bytes.TrimLeft(attrs, " \t\r\n\f")
		if len(attrs) == 0 {
			return
		}
		if string(attrs) == "/" {
			t.Type = html.SelfClosingTagToken
			return
		}
		end := bytes.IndexAny(attrs, "= \t\r\n\f")
		if end < 0 {
			end = len(attrs)
		}
		a := html.Attribute{Key: string(attrs[:end])}
		if attrs = attrs[end:]; len(attrs) > 1 && attrs[0] == '=' {
			attrs = attrs[1:]
			var value []byte
			if q := attrs[0]; q == '"' || q == '\'' {
				value, attrs, _ = bytes.Cut(attrs[1:], attrs[:1])
			} else if end := bytes.IndexAny(attrs, " \t\r\n\f"); end >= 0 {
				value, attrs = attrs[:end], attrs[end:]
			} else {
				value, attrs = attrs, nil
			}
			a.Val = html.UnescapeString(string(value))
		}
		t.Attr = append(t.Attr, a)
	}
}

func attr(t *html.Token, key string) *string {
	for n := range t.Attr {
		if t.Attr[n].Key == key {
			return &t.Attr[n].Val
		}
	}
	return nil
}

func value(t *html.Token, key string) string {
	if v := attr(t, key); v != nil {
		return *v
	}
	return ""
}

// leave leaves an element out with all that is in it.
func (w *rewriter) leave(t *html.Token) {
	if t.Type == html.StartTagToken {
		w.gone, w.depth = t.Data, 1
	}
}

func (w *rewriter) element(t *html.Token, raw []byte) {
	if attr(t, "data-needs-server") != nil {
		w.leave(t)
		return
	}
	changed := false
	drop := func(key string) {
		for n := range t.Attr {
			if t.Attr[n].Key == key {
				t.Attr = append(t.Attr[:n], t.Attr[n+1:]...)
				changed = true
				return
			}
		}
	}
	switch t.Data {
	case "a":
		href := attr(t, "href")
		if href == nil || !strings.HasPrefix(*href, "/") || strings.HasPrefix(*href, "//") {
			break
		}
		to, ok := w.link(*href)
		if !ok {
			if w.menu > 0 {
				w.leave(t)
				w.dot = true
			} else {
				w.bare++
			}
			return
		}
		if filter, only := onlyFilter(*href); only && w.name == "servers.html" && value(t, "rel") == "nofollow" {
			t.Attr = append(t.Attr, html.Attribute{Key: "data-filter", Val: filter})
			href = attr(t, "href")
		}
		*href, changed = to, true
	case "form":
		action := attr(t, "action")
		path, _, _ := strings.Cut(value(t, "action"), "?")
		if action == nil || strings.EqualFold(value(t, "method"), "post") || path != "/servers" {
			w.leave(t)
			return
		}
		*action, changed = w.up+"servers.html", true
		if attr(t, "data-live") != nil && w.name == "servers.html" {
			t.Attr = append(t.Attr, html.Attribute{Key: "data-find"})
		}
		drop("data-live")
	case "link":
		href := attr(t, "href")
		if href == nil || !strings.HasPrefix(*href, "/") || strings.HasPrefix(*href, "//") {
			break
		}
		to, ok := w.link(*href)
		if !ok {
			return
		}
		*href, changed = to, true
	case "img", "script":
		src := attr(t, "src")
		if src == nil || !strings.HasPrefix(*src, "/") || strings.HasPrefix(*src, "//") {
			break
		}
		to, ok := w.link(*src)
		if !ok {
			if t.Data == "script" {
				w.leave(t)
			}
			return
		}
		*src, changed = to, true
	case "time":
		w.when = value(t, "datetime")
	case "div", "section", "pre":
		drop("data-clicks")
		drop("data-poll")
	}
	if !changed {
		w.out.Write(raw)
	} else {
		w.out.WriteString(t.String())
	}
	if w.name == "servers.html" {
		switch {
		case t.Data == "script" && strings.Contains(value(t, "src"), "static/site-"):
			w.out.WriteString(`</script>` + "\n" + `<script src="static/find-` + w.site.version + `.js" defer>`)
		case t.Data == "div" && value(t, "id") == "results":
			w.out.WriteString(`<noscript><p class="notice">This is a copy made of files: words, filters and orders need the script here. The lists of categories do not.</p></noscript>`)
		}
	}
}

// link returns what leads from the page to an address of the site, if that is
// written too. Lists with filters or another order are found by the script of
// the page of all servers.
func (w *rewriter) link(address string) (string, bool) {
	address, fragment, marked := strings.Cut(address, "#")
	if marked {
		fragment = "#" + fragment
	}
	path, query, _ := strings.Cut(address, "?")
	if q, err := url.ParseQuery(query); err == nil && query != "" && browsed(path) {
		q.Del("page")
		if len(q) > 0 { // the page is one of a list that is not written
			q, _ = url.ParseQuery(query)
			folder, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
			if name, err := url.PathUnescape(name); err == nil && name != "" {
				q.Add(map[string]string{"categories": "category", "owners": "owner", "tags": "tag"}[folder], name)
			}
			return w.up + "servers.html?" + q.Encode() + fragment, true
		}
	}
	name := fileOf(address)
	if !w.has(name, address) {
		return "", false
	}
	return w.up + name + fragment, true
}

// browsed says whether a path is that of a list.
func browsed(path string) bool {
	folder, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch folder {
	case "servers":
		return rest == ""
	case "categories", "owners", "tags":
		return rest != "" && !strings.Contains(rest, "/")
	}
	return false
}

// onlyFilter returns the one condition of a list, as "sdk=go".
func onlyFilter(address string) (string, bool) {
	path, query, _ := strings.Cut(address, "?")
	if category, ok := strings.CutPrefix(path, "/categories/"); ok && query == "" {
		return "category=" + category, true
	}
	return query, path == "/servers" && query != "" && !strings.Contains(query, "&") && !strings.HasPrefix(query, "page=") && !strings.HasPrefix(query, "sort=")
}

// absolute is the text of a time, as a day if it says how long ago it was.
func absolute(when, text string) string {
	if trimmed := strings.TrimSpace(text); !strings.HasSuffix(trimmed, " ago") && trimmed != "just now" {
		return text
	}
	t, err := time.Parse(time.RFC3339, when)
	if err != nil {
		return text
	}
	return t.UTC().Format("2 Jan 2006")
}
