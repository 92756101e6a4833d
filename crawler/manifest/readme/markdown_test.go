package readme

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []block
	}{
		"inline": {
			"1\\. **Tides** by `sea` &amp; [moon](https://m.dev) ![x](y.png) <br> https://s.dev\n",
			[]block{{
				kind: paragraph, text: "1. Tides by sea & moon https://s.dev", lead: "Tides",
				rest: "by sea & moon https://s.dev", code: []string{"sea"}, linked: 4, outer: -1,
				links: []link{
					{text: "moon", url: "https://m.dev"}, {url: "y.png", alt: "x"},
					{text: "https://s.dev", url: "https://s.dev"},
				},
			}},
		},
		"lists": {
			"- `tide`: high\n\n  More.\n  - low\n- moon\n",
			[]block{
				{kind: item, text: "tide: high", lead: "tide", rest: "high", code: []string{"tide"}, outer: -1},
				{kind: paragraph, text: "More.", rest: "More.", outer: 0},
				{kind: item, level: 1, text: "low", rest: "low", outer: 0},
				{kind: item, text: "moon", rest: "moon", outer: -1},
			},
		},
		"table": {
			"| Tool | Does |\n|---|---|\n| `tide` | high |\n",
			[]block{{
				kind: row, text: "tide high", code: []string{"tide"}, heads: []string{"tool", "does"},
				cells: []string{"tide", "high"}, leads: []string{"tide", ""}, outer: -1,
			}},
		},
		"quotation and code": {
			"## Tides\n\n> high\n\n```JSON\n{}\n```\n",
			[]block{
				{kind: heading, level: 2, text: "Tides", rest: "Tides", outer: -1},
				{kind: paragraph, text: "high", rest: "high", quote: true, outer: -1},
				{kind: code, lang: "json", text: "{}\n", outer: -1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, blocksOf([]byte(c.text)), cmp.AllowUnexported(block{}, link{})); d != "" {
				t.Error(d)
			}
		})
	}
}
