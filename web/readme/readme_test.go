package readme

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpcensus/internal/registry"
	"mcpcensus/web/webtest"
)

var octo = Repository{RepoRef: registry.RepoRef{Host: registry.GitHub, Owner: "octo", Name: "weather"}, Commit: strings.Repeat("ab", 20)}

// readmePolicy is what may be in a README that is shown, to a sanitiser that
// knows nothing of how it is made.
var readmePolicy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "kbd", "samp", "var", "em", "strong",
		"b", "i", "s", "del", "ins", "sub", "sup", "table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "details", "summary", "div")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^readme-[a-z0-9_-]{1,100}$`)).OnElements("h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^wide$`)).OnElements("div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div", "pre")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^nofollow ugc noopener$`)).OnElements("a")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(true) // to headings of this README
	p.RequireParseableURLs(true)
	return p
}()

// checkHarmless fails if a rendered README holds anything but text, its
// structure, and links to elsewhere that say what they are.
func checkHarmless(t *testing.T, out string) {
	t.Helper()
	if clean := readmePolicy.Sanitize(out); clean != out {
		t.Errorf("the sanitiser takes something away:\n%s\n%s", out, clean)
	}
	body := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(out), body)
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields("h3 h4 h5 h6 p br hr ul ol li blockquote pre code kbd samp var em strong b i s del ins sub sup table thead tbody tr th td dl dt dd details summary div a")
	for _, root := range nodes {
		body.AppendChild(root)
	}
	for n := range body.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("<%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href":
				u, err := url.Parse(a.Val)
				if err != nil || u.Scheme != "http" && u.Scheme != "https" && !strings.HasPrefix(a.Val, "#readme-") {
					t.Errorf("a link to %q", a.Val)
				}
				if !strings.HasPrefix(a.Val, "#") && attribute(n.Attr, "rel") != "nofollow ugc noopener" {
					t.Errorf("a link to %q with rel %q", a.Val, attribute(n.Attr, "rel"))
				}
			case "id":
				if !strings.HasPrefix(a.Val, "readme-") {
					t.Errorf("id %q", a.Val)
				}
			case "rel", "tabindex":
			case "class":
				if a.Val != "wide" {
					t.Errorf("class %q", a.Val)
				}
			default:
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestRender(t *testing.T) {
	for in, want := range map[string]string{
		"# Weather\n\nSome *text*.":         `<h3 id="readme-weather">Weather</h3>` + "\n" + `<p>Some <em>text</em>.</p>`,
		"[guide](docs/guide.md#use)":        `<p><a href="https://github.com/octo/weather/blob/` + octo.Commit + `/pkg/docs/guide.md#use" rel="nofollow ugc noopener">guide</a></p>`,
		"[up](../LICENSE)":                  `<p><a href="https://github.com/octo/weather/blob/` + octo.Commit + `/LICENSE" rel="nofollow ugc noopener">up</a></p>`,
		"[root](/src/a%20b.go)":             `<p><a href="https://github.com/octo/weather/blob/` + octo.Commit + `/src/a%20b.go" rel="nofollow ugc noopener">root</a></p>`,
		"[above](../../../../etc)":          `<p><a href="https://github.com/octo/weather/blob/` + octo.Commit + `/etc" rel="nofollow ugc noopener">above</a></p>`,
		"[out](https://e.example/?a=1&b=2)": `<p><a href="https://e.example/?a=1&amp;b=2" rel="nofollow ugc noopener">out</a></p>`,
		"## Use\n\n[use](#use)":             `<h4 id="readme-use">Use</h4>` + "\n" + `<p><a href="#readme-use">use</a></p>`,
		"![A map](map.png)":                 `<p><a href="https://github.com/octo/weather/raw/` + octo.Commit + `/pkg/map.png" rel="nofollow ugc noopener">Picture: A map</a></p>`,
		"[![build](https://img.shields.io/x.svg)](https://ci.example)\n\nText": `<p>Text</p>`,
		"<p align=\"center\"><b onclick=x>Bold</b></p>":                        `<p><b>Bold</b></p>`,
		"<div align='center'><h1>Title</h1></div>":                             `<h3>Title</h3>`,
		"<script>alert(1)</script>Text":                                        `Text`,
		"[x](javascript:alert(1))":                                             `<p>x</p>`,
		"[x](data:text/html,1)":                                                `<p>x</p>`,
		"```json\n{\"a\": \"<b>\"}\n```":                                       `<pre tabindex="0"><code>{&#34;a&#34;: &#34;&lt;b&gt;&#34;}` + "\n" + `</code></pre>`,
		"|a|b|\n|-|-|\n|1|2|":                                                  `<div class="wide" tabindex="0"><table>`,
	} {
		got := Render(registry.Readme{Path: "pkg/README.md", Text: in}, octo)
		if got == nil || !strings.HasPrefix(string(got.Text), want) {
			t.Errorf("%q\n gives %v\n want  %s", in, got, want)
			continue
		}
		checkHarmless(t, string(got.Text))
	}
	long := Render(registry.Readme{Path: "README.md", Text: strings.Repeat("Words and words.\n\n", 20_000)}, octo)
	if long == nil || !long.Cut || len(long.Text) > 2*maxSource {
		t.Error("a long README is not cut")
	}
	plain := Render(registry.Readme{Path: "README.rst", Text: "<b>\n===="}, octo)
	if plain == nil || plain.Text != `<pre tabindex="0">&lt;b&gt;`+"\n"+`====</pre>` {
		t.Errorf("another markup: %v", plain)
	}
	if got := Render(registry.Readme{Path: "README.md", Text: "![](x.png)\n<!-- nothing -->"}, octo); got != nil {
		t.Errorf("nothing to show: %q", got.Text)
	}
}

// table is one of that many columns and rows, written as shortly as it can be.
func table(columns, rows int) string {
	return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", rows)
}

// TestRender_pictures checks what becomes of pictures where the site serves them.
func TestRender_pictures(t *testing.T) {
	of := octo
	of.Pictures = "/servers/octo-weather/pictures/"
	for text, want := range map[string]string{
		"![A & map](docs/map.png)":                           `alt="A &amp; map"`,
		"<img src='https://x.example/a.gif' width='300px'>":  `width="300"`,
		"[![Logo](logo.png)](https://x.example)":             `rel="nofollow ugc noopener"><img src="/servers/octo-weather/`,
		"[![](logo.png)](https://x.example) text":            "<p> text</p>",
		"# ![](logo.png)":                                    "",
		"![b](https://img.shields.io/a.png)":                 "",
		"![Drawing](a.svg)":                                  ">Picture: Drawing</a>",
		"![Plain](http://x.example/a.png)":                   ">Picture: Plain</a>",
		"<img src=x.png onerror=alert(1) srcset='y.png 2x'>": `alt="" loading="lazy"`,
	} {
		r := Render(registry.Readme{Path: "README.md", Text: text + "\n\nThe end"}, of)
		got := string(r.Text)
		if !strings.Contains(got, want) || want == "" && strings.Contains(got, "<h") ||
			strings.Contains(got, "onerror") || strings.Contains(got, "srcset") ||
			strings.Contains(string(r.Beginning), "<img") ||
			strings.Count(got, "<img") != len(r.Pictures) {
			t.Errorf("%s: %s, %v", text, got, r.Pictures)
		}
		for name, src := range r.Pictures {
			if !strings.Contains(got, `src="`+of.Pictures+name+`"`) || !strings.HasPrefix(src, "https://") {
				t.Errorf("%s: %s is %s", text, name, src)
			}
		}
	}
}

func TestRender_alerts_and_tasks(t *testing.T) {
	r := Render(registry.Readme{Path: "README.md", Text: "> [!NOTE]\n> Needs a key.\n\n> [!other]\n> Stays.\n\n> [!WARNING]\n\n- [ ] to do\n- [x] done\n"}, octo)
	checkHarmless(t, string(r.Text))
	for _, want := range []string{"<strong>Note</strong></p><p>Needs a key.", "[!other]", "<strong>Warning</strong>", "☐ to do", "☑ done"} {
		if !strings.Contains(strings.ReplaceAll(string(r.Text), "\n", ""), want) {
			t.Errorf("no %s in %s", want, r.Text)
		}
	}
	if strings.Contains(string(r.Text), "[!NOTE]") {
		t.Errorf("the mark stays: %s", r.Text)
	}
}

func TestRender_slow_markdown(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("*a_", 16_000): true, strings.Repeat("> ", 20_000): true, strings.Repeat("[a](", 10_000): true, strings.Repeat("```\n```\n[a_", 9000): true,
		strings.Repeat("* [a](b) _c_\n\n", 3000): false, "```\n" + strings.Repeat("a_b_c\n\n", 4000) + "\n```": false,
		// What looks like code and is none.
		"```a`b\n" + strings.Repeat("*a_", 12_000): true, "~~~\n```\n~~~\n" + strings.Repeat("*a_", 12_000): true, "    ```\n\n" + strings.Repeat("*a_", 12_000): true,
		"<div>\n```\n\n" + strings.Repeat("*a_", 12_000): true,
		// Tables whose rows are filled up.
		table(1000, 2000): true, table(5000, 9000): true, "> " + strings.ReplaceAll(table(1000, 100), "\n", "\n> "): true, table(8, 500): false,
		strings.Repeat(table(100, 100)+"\n", 5): true,
	} {
		r := Render(registry.Readme{Path: "README.md", Text: text}, octo)
		if got := strings.HasPrefix(string(r.Text), "<pre") && !strings.Contains(string(r.Text), "<code>"); got != want {
			t.Errorf("%.20q: as it is %v, want %v", text, got, want)
		}
	}
}

// TestRender_recorded_readmes renders the READMEs of recorded repositories.
func TestRender_recorded_readmes(t *testing.T) {
	shared := os.Getenv("CENSUS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(shared, "corpus", "repos", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("SKIPPED: no recorded repositories; set CENSUS_SHARED to the folder that holds corpus")
	}
	shown := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var d struct{ Readme struct{ Path, Text string } }
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		if r := Render(registry.Readme{Path: d.Readme.Path, Text: d.Readme.Text}, octo); r != nil {
			shown++
			checkHarmless(t, string(r.Text))
		}
	}
	if shown < len(files)/2 {
		t.Errorf("only %d of %d READMEs are shown", shown, len(files))
	}
}

// TestDocument_hostile_nodes writes documents that no parser makes.
func TestDocument_hostile_nodes(t *testing.T) {
	node := func(data string, a atom.Atom, attrs ...html.Attribute) *html.Node {
		n := &html.Node{Type: html.ElementNode, Data: data, DataAtom: a, Attr: attrs}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: "</p><script>alert(1)</script>&lt;"})
		return n
	}
	bad := []html.Attribute{{Key: "onclick", Val: "alert(1)"}, {Key: "style", Val: "x"}, {Key: "id", Val: "main"}, {Key: "class", Val: "wide top"}, {Key: "tabindex", Val: "1"},
		{Key: "href", Val: "javascript:alert(1)"}, {Key: "rel", Val: "opener"}, {Key: `x" onclick="alert(1)`, Val: `"><script>`}}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for name, a := range map[string]atom.Atom{"p": atom.P, "script": atom.Script, "a": atom.A, "div": atom.Div, "h3": atom.H3, "h1": atom.H1, "pre": atom.Pre, "x-y": 0, "p onclick=alert(1)": atom.P,
		"style": atom.Style, "svg": atom.Svg, "iframe": atom.Iframe, "plaintext": atom.Plaintext, "xmp": atom.Xmp, "br": atom.Br, "textarea": atom.Textarea, "details": atom.Details, "img": atom.Img, "noscript": atom.Noscript} {
		body.AppendChild(node(name, a, bad...))
	}
	svg := node("p", atom.P)
	svg.Namespace = "svg"
	body.AppendChild(svg)
	for _, href := range []string{"#main", "#readme-", "#readme-x y", "//evil.example", "https://u:p@evil.example", "https://", "http:evil", "HTTPS://x.example", "https://x.example/\"><b>", "data:text/html,x", "vbscript:x", "/local", "#readme-ok", "https://x.example/?a=1&b=2"} {
		body.AppendChild(node("a", atom.A, html.Attribute{Key: "href", Val: href}, html.Attribute{Key: "rel", Val: "x"}))
	}
	for _, raw := range []html.NodeType{html.RawNode, html.CommentNode, html.DoctypeNode} {
		body.AppendChild(&html.Node{Type: raw, Data: "<script>alert(1)</script>"})
	}
	out := strings.Join(document{of: octo, dir: "/"}.blocks(body), "")
	checkHarmless(t, out)
}

func FuzzRender(f *testing.F) {
	for _, x := range webtest.Attacks {
		for _, form := range []string{"%s", "# %s", "[a](%s)", "![a](%s)", "<a href=\"%s\">x</a>", "`%s`", "<img src='%s'>", "| a |\n|-|\n| %s |", "[a]: %s\n\n[a]", "<%s>"} {
			f.Add(fmt.Sprintf(form, x))
		}
	}
	for _, x := range []string{
		"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
		"<svg><p><style><a id=\"</style><img src=1 onerror=alert(1)>\">", "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
		"<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>", "<a href=\"jav&#x09;ascript:alert(1)\">x</a>",
		"<details open ontoggle=alert(1)><summary>x</summary></details>", "<table><td><a name=main id=main>x</a></table>", "<base href=//evil.example>",
		strings.Repeat("<b>", 700) + "x", strings.Repeat("> ", 400) + "x", strings.Repeat("[", 3000), "<a href='//evil.example/x'>x</a>", "<a href='https://u:p@e.example'>x</a>",
	} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r := Render(registry.Readme{Path: "README.md", Text: text}, octo); r != nil {
			checkHarmless(t, string(r.Text))
		}
	})
}

func TestBeginning(t *testing.T) {
	words := strings.Repeat("Words and words. ", 40) // seven lines
	for name, c := range map[string]struct {
		text, want string
		whole      bool
	}{
		"short":             {"# A\n\nOne\n\n## B\n\nText", "<p>One</p><p><b>B</b></p><p>Text</p>", true},
		"a heading is last": {"One\n\n## B\n\n" + strings.Repeat("- x\n", 12), "<p>One</p>", false},
		"links": {"[Deutsch](de.md) | [English](en.md)\n\n[![build](https://img.shields.io/b.svg)](https://ci.example)\n\n" +
			"See [this](a.md).", "<p>See <a href=\"https://github.com/octo/weather/blob/" + octo.Commit + "/a.md\" rel=\"nofollow ugc noopener\">this</a>.</p>", true},
		"long":     {"One\n\n" + words + "\n\n" + words, "<p>One</p><p>" + strings.TrimSpace(words) + "</p>", false},
		"breaks":   {"One\n\n| a |\n| --- |\n| " + strings.Repeat("b<br/>", 12) + " |\n", "<p>One</p>", false},
		"one list": {strings.Repeat("- "+words+"\n", 30), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Render(registry.Readme{Path: "README.md", Text: c.text}, octo)
			if got := strings.TrimSpace(string(r.Beginning)); got != c.want || r.Whole != c.whole {
				t.Errorf("got %q, %v, want %q, %v", got, r.Whole, c.want, c.whole)
			}
		})
	}
	plain := Render(registry.Readme{Path: "README.txt", Text: strings.Repeat("a\n", 40)}, octo)
	if strings.Count(string(plain.Beginning), "a\n") != 12 || plain.Whole {
		t.Errorf("the beginning of a plain text is %q", plain.Beginning)
	}
}

func FuzzBeginning(f *testing.F) {
	f.Add(strings.Repeat("<details><summary>x</summary>\n\n## A\n\n</details>\n\n", 30))
	f.Add(strings.Repeat("## <b>A</b> <br> text that is long enough\n\n", 90))
	f.Fuzz(func(t *testing.T, text string) {
		r := Render(registry.Readme{Path: "README.md", Text: text + strings.Repeat("\n\n"+text, 20)}, octo)
		if r != nil && balanced(string(r.Text)) && !balanced(string(r.Beginning)) {
			t.Errorf("an element is split at the end of %.80s", r.Beginning)
		}
	})
}

// balanced reports whether each element of an HTML fragment ends in it.
func balanced(fragment string) bool {
	var open []string
	for z := html.NewTokenizer(strings.NewReader(fragment)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return len(open) == 0
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains([]string{"br", "hr", "img"}, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return false
			}
			open = open[:len(open)-1]
		}
	}
}
