package readme

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHTMLBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []block
	}{
		"paragraphs": {
			"<div align=\"center\"><p>The <b>tides</b>.</p>The <a href=\"https://m.dev\">moon</a>.<br><br/>The sea.</div>\n",
			[]block{
				{kind: paragraph, text: "The tides."},
				{kind: paragraph, text: "The moon.", links: []link{{text: "moon", url: "https://m.dev"}}, linked: 4},
				{kind: paragraph, text: "The sea."},
			},
		},
		"headings": {
			"<h1><img src=\"logo.png\"> Tides</h1>\n<h3>Of the sea</h3>\n",
			[]block{
				{kind: heading, level: 1, text: "Tides", links: []link{{url: "logo.png"}}},
				{kind: heading, level: 3, text: "Of the sea"},
			},
		},
		"list": {
			"<ul><li><code>tide</code>: high<ul><li><strong>low</strong> water</ul></li></ul>\n",
			[]block{
				{kind: item, text: "tide: high", lead: "tide", rest: "high", code: []string{"tide"}},
				{kind: item, level: 1, text: "low water", lead: "low", rest: "water"},
			},
		},
		"table": {
			"<table><tr><th>Tool</th><th>Does</th></tr><tr><td><code>tide</code></td><td></td><td><p>high</p></td></tr><tr><td>moon</table>\n",
			[]block{
				{
					kind: row, text: "tide  high", code: []string{"tide"}, heads: []string{"tool", "does"},
					cells: []string{"tide", "", "high"}, leads: []string{"tide", "", ""},
				},
				{kind: row, text: "moon", heads: []string{"tool", "does"}, cells: []string{"moon"}, leads: []string{""}},
			},
		},
		"details": {
			"<details><summary>🔧 <b>Tools</b></summary>Two</details>\n",
			[]block{
				{kind: heading, level: folded, text: "🔧 Tools", lead: "Tools"},
				{kind: paragraph, text: "Two"},
				{kind: heading, level: folded},
			},
		},
		"code": {
			"<pre lang=\"JSON\"><code>{&quot;a&quot;:\n <b>1</b>}</code></pre><p>The sea.</p><pre>a<br>b\n",
			[]block{
				{kind: code, lang: "json", text: "{\"a\":\n 1}"},
				{kind: paragraph, text: "The sea."},
				{kind: code, text: "a\nb\n"},
			},
		},
		"code that is not closed": {
			"<pre>a<pre>b</pre><pre>c<h2>Sea</h2>\n",
			[]block{
				{kind: code, text: "a"}, {kind: code, text: "b"}, {kind: code, text: "c"},
				{kind: heading, level: 2, text: "Sea"},
			},
		},
		"nothing": {"<!-- <p>comment</p> -->\n<style>p { color: red }</style>\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := blocksOf([]byte(c.text))
			for i := range got {
				if !got[i].html || got[i].outer != -1 {
					t.Errorf("block %d: html %v, outer %d", i, got[i].html, got[i].outer)
				}
			}
			ignored := cmpopts.IgnoreFields(block{}, "html", "outer")
			for i := range c.want {
				if b := &c.want[i]; b.kind != row && b.kind != code && b.lead == "" {
					b.rest = b.text
				}
			}
			if d := cmp.Diff(c.want, got, ignored, cmp.AllowUnexported(block{}, link{})); d != "" {
				t.Error(d)
			}
		})
	}
}
