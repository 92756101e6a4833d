package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mcpcensus/internal/registry"
)

var octo = repository{Owner: "octo", Name: "weather", Commit: strings.Repeat("ab", 20)}

// readmeIsHarmless fails if a rendered README holds anything but text, its
// structure, and links to elsewhere that say what they are.
func readmeIsHarmless(t *testing.T, out string) {
	t.Helper()
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
				if !strings.HasPrefix(a.Val, "#") && attribute(n, "rel") != "nofollow ugc noopener" {
					t.Errorf("a link to %q with rel %q", a.Val, attribute(n, "rel"))
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

func TestReadmesAreShown(t *testing.T) {
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
		got := showReadme(registry.Readme{Path: "pkg/README.md", Text: in}, octo)
		if got == nil || !strings.HasPrefix(string(got.Body), want) {
			t.Errorf("%q\n gives %v\n want  %s", in, got, want)
			continue
		}
		readmeIsHarmless(t, string(got.Body))
	}
	long := showReadme(registry.Readme{Path: "README.md", Text: strings.Repeat("Words and words.\n\n", 20_000)}, octo)
	if long == nil || !long.Cut || len(long.Body) > 2*longestReadme {
		t.Error("a long README is not cut")
	}
	plain := showReadme(registry.Readme{Path: "README.rst", Text: "<b>\n===="}, octo)
	if plain == nil || plain.Body != `<pre tabindex="0">&lt;b&gt;`+"\n"+`====</pre>` {
		t.Errorf("another markup: %v", plain)
	}
	if got := showReadme(registry.Readme{Path: "README.md", Text: "![](x.png)\n<!-- nothing -->"}, octo); got != nil {
		t.Errorf("nothing to show: %q", got.Body)
	}
}

func TestReadmesThatTakeLongAreShownAsTheyAre(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("*a_", 16_000): true, strings.Repeat("> ", 20_000): true, strings.Repeat("[a](", 10_000): true, strings.Repeat("```\n```\n[a_", 9000): false,
		strings.Repeat("* [a](b) _c_\n\n", 3000): false, "```\n" + strings.Repeat("a_b_c", 9000) + "\n```": false,
	} {
		r := showReadme(registry.Readme{Path: "README.md", Text: text}, octo)
		if got := strings.HasPrefix(string(r.Body), "<pre") && !strings.Contains(string(r.Body), "<code>"); got != want {
			t.Errorf("%.20q: as it is %v, want %v", text, got, want)
		}
	}
}

func FuzzReadme(f *testing.F) {
	for _, x := range attacks {
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
		if r := showReadme(registry.Readme{Path: "README.md", Text: text}, octo); r != nil {
			readmeIsHarmless(t, string(r.Body))
		}
	})
}
