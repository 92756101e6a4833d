package export

import (
	"bytes"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpcensus/internal/text"
	"mcpcensus/web/site"
)

// staticPolicy is the part of the content security policy that a page may set
// itself.
const staticPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; " +
	"img-src 'self'; form-action 'self'; base-uri 'none'"

// rewrite returns a page as the file of that name. Links lead to other files,
// relative to it. Parts that need a server are left out. Times relative to now
// become dates. The page of all servers loads the script that searches.
func (e *exporter) rewrite(page []byte, name string) []byte {
	w := rewriter{exporter: e, name: name, up: strings.Repeat("../", strings.Count(name, "/"))}
	if name == "404.html" { // hosts show it at any depth
		if u, err := url.Parse(e.site.BaseURL); err == nil {
			w.up = u.Path + "/"
		}
	}
	w.out.Grow(len(page) + 1024)
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return w.out.Bytes()
		case html.TextToken:
			w.text(z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := bytes.Clone(z.Raw()) // Token changes it
			w.start(z.Token(), raw)
		case html.EndTagToken:
			raw := bytes.Clone(z.Raw())
			w.end(z.Token(), raw)
		default:
			w.out.Write(z.Raw())
		}
	}
}

// A rewriter writes one page. Tags that do not change are copied as they are.
type rewriter struct {
	*exporter
	name, up string
	out      bytes.Buffer

	skipped string // name of the element that is being left out, "" for none
	depth   int    // of elements of that name inside it

	links int    // open links whose tags are left out
	menus int    // open <nav> and <footer> elements
	dot   bool   // a link of a menu was left out, and the dot behind it is too
	time  string // datetime of the open <time>
}

func (w *rewriter) text(raw []byte) {
	switch {
	case w.skipped != "":
		return
	case w.time != "":
		w.out.WriteString(absolute(w.time, string(raw)))
		w.time = ""
	case w.dot && strings.TrimSpace(string(raw)) == "·":
		w.out.WriteByte(' ')
	default:
		w.out.Write(raw)
	}
	w.dot = false
}

func (w *rewriter) end(t html.Token, raw []byte) {
	if w.skipped != "" {
		if t.Data == w.skipped {
			if w.depth--; w.depth == 0 {
				w.skipped = ""
			}
		}
		return
	}
	switch t.DataAtom {
	case atom.A:
		if w.links > 0 {
			w.links--
			return
		}
	case atom.Nav, atom.Footer:
		w.menus--
	case atom.Time:
		w.time = ""
	}
	w.out.Write(raw)
}

func (w *rewriter) start(t html.Token, raw []byte) {
	if w.skipped != "" {
		if t.Data == w.skipped && t.Type == html.StartTagToken {
			w.depth++
		}
		return
	}
	if attribute(&t, "data-needs-server") != nil {
		w.skip(&t)
		return
	}
	change := unchanged
	switch t.DataAtom {
	case atom.A:
		change = w.anchor(&t)
	case atom.Form:
		change = w.form(&t)
	case atom.Link:
		change = w.resource(&t, "href")
	case atom.Img, atom.Script:
		change = w.resource(&t, "src")
	case atom.Nav, atom.Footer:
		w.menus++
	case atom.Time:
		w.time = value(&t, "datetime")
	case atom.Div, atom.Section, atom.Pre:
		change = max(remove(&t, "data-clicks"), remove(&t, "data-poll"))
	}
	switch change {
	case unchanged:
		w.out.Write(raw)
	case changed:
		w.out.WriteString(t.String())
	case leftOut:
		return
	}
	w.add(&t)
}

// add writes the additional content of exported pages after the start of an
// element.
func (w *rewriter) add(t *html.Token) {
	switch {
	case t.DataAtom == atom.Head:
		w.out.WriteString("\n" + `<meta http-equiv="Content-Security-Policy" content="` +
			html.EscapeString(staticPolicy) + `">`)
	case w.name != "servers.html":
	case t.DataAtom == atom.Script && strings.Contains(value(t, "src"), "static/site-"):
		w.out.WriteString("</script>\n" + `<script src="static/find-` + w.site.Version() +
			`.js" defer>`)
	case t.DataAtom == atom.Div && value(t, "id") == "results":
		w.out.WriteString(`<noscript><p class="notice">This is a static copy. Search, filters and sorting need ` +
			`JavaScript. ` +
			`The lists of categories do not.</p></noscript>`)
	}
}

// A change is the edit of a tag.
type change int

const (
	unchanged change = iota
	changed
	leftOut
)

// skip omits an element with its content.
func (w *rewriter) skip(t *html.Token) change {
	if t.Type == html.StartTagToken {
		w.skipped, w.depth = t.Data, 1
	}
	return leftOut
}

// anchor points a link to a file. A link to a page that is not exported is omitted from menus,
// and becomes plain text elsewhere.
func (w *rewriter) anchor(t *html.Token) change {
	href := attribute(t, "href")
	if href == nil || !ownPath(*href) {
		return unchanged
	}
	to, ok := w.link(*href)
	switch {
	case !ok && w.menus > 0:
		w.dot = true
		return w.skip(t)
	case !ok:
		w.links++
		return leftOut
	}
	filter, single := onlyFilter(*href)
	*href = to
	if single && w.name == "servers.html" && value(t, "rel") == "nofollow" {
		t.Attr = append(t.Attr, html.Attribute{Key: "data-filter", Val: filter})
	}
	return changed
}

// form omits all forms except those that search for servers.
func (w *rewriter) form(t *html.Token) change {
	action := attribute(t, "action")
	path, _, _ := strings.Cut(value(t, "action"), "?")
	if action == nil || strings.EqualFold(value(t, "method"), "post") || path != "/servers" {
		return w.skip(t)
	}
	*action = w.up + "servers.html"
	if remove(t, "data-live") == changed && w.name == "servers.html" {
		t.Attr = append(t.Attr, html.Attribute{Key: "data-find"})
	}
	return changed
}

// resource changes the address of a resource that the page loads or names.
func (w *rewriter) resource(t *html.Token, key string) change {
	address := attribute(t, key)
	if address == nil || !ownPath(*address) {
		return unchanged
	}
	to, ok := w.link(*address)
	if !ok {
		if t.DataAtom == atom.Script {
			return w.skip(t)
		}
		return leftOut
	}
	*address = to
	return changed
}

func ownPath(address string) bool {
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}

// attribute returns the value of an attribute, nil if t does not have it.
func attribute(t *html.Token, key string) *string {
	for n := range t.Attr {
		if t.Attr[n].Key == key {
			return &t.Attr[n].Val
		}
	}
	return nil
}

func value(t *html.Token, key string) string {
	if v := attribute(t, key); v != nil {
		return *v
	}
	return ""
}

func remove(t *html.Token, key string) change {
	before := len(t.Attr)
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return a.Key == key })
	if len(t.Attr) < before {
		return changed
	}
	return unchanged
}

// link returns the relative link from the page to an address of the site; ok is
// false if that is not exported. Lists with filters or another order are found
// by the script of the page of all servers.
func (w *rewriter) link(address string) (to string, ok bool) { return w.linkUp(w.up, address) }

// linkFrom returns a function that links from a file to paths of the site, ""
// for those that are not exported.
func (e *exporter) linkFrom(name string) func(path string) string {
	up := strings.Repeat("../", strings.Count(name, "/"))
	return func(path string) string {
		to, _ := e.linkUp(up, path)
		return to
	}
}

// linkUp is link for a file from which up leads to the root of the export.
func (e *exporter) linkUp(up, address string) (to string, ok bool) {
	address, fragment, marked := strings.Cut(address, "#")
	if marked {
		fragment = "#" + fragment
	}
	if query := listQuery(address); query != "" {
		return up + "servers.html?" + query + fragment, true
	}
	name := site.FileOf(address)
	if !e.has(name) {
		return "", false
	}
	if strings.HasPrefix(address, "/avatars/") {
		name = e.avatars.file(address)
	}
	return up + name + fragment, true
}

// listQuery returns the conditions of a list without files, "" for other addresses.
func listQuery(address string) string {
	path, rawQuery, _ := strings.Cut(address, "?")
	q, err := url.ParseQuery(rawQuery)
	if err != nil || !isList(path) {
		return ""
	}
	conditions := maps.Clone(q)
	conditions.Del("page")
	if len(conditions) == 0 {
		return ""
	}
	folder, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if name, err := url.PathUnescape(name); err == nil && name != "" {
		q.Add(map[string]string{"categories": "category", "owners": "owner", "tags": "tag"}[folder],
			name)
	}
	return q.Encode()
}

func isList(path string) bool {
	folder, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch folder {
	case "servers":
		return rest == ""
	case "categories", "owners", "tags":
		return rest != "" && !strings.Contains(rest, "/")
	}
	return false
}

// onlyFilter returns the single condition of a list, such as "sdk=go".
func onlyFilter(address string) (string, bool) {
	path, query, _ := strings.Cut(address, "?")
	if category, ok := strings.CutPrefix(path, "/categories/"); ok && query == "" {
		return "category=" + category, true
	}
	single := path == "/servers" && query != "" && !strings.Contains(query, "&") &&
		!strings.HasPrefix(query, "page=") && !strings.HasPrefix(query, "sort=")
	return query, single
}

// absolute returns a relative time as a date, and other texts unchanged.
func absolute(when, shown string) string {
	if trimmed := strings.TrimSpace(shown); !strings.HasSuffix(trimmed, " ago") &&
		trimmed != "just now" {
		return shown
	}
	t, err := time.Parse(time.RFC3339, when)
	if err != nil {
		return shown
	}
	return text.Day(t)
}
