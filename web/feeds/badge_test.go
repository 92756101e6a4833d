package feeds

import (
	"encoding/xml"
	"testing"
)

func TestBadge_width(t *testing.T) {
	for _, label := range []string{"MCP health", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW health", "iiiiii health", "模型注册表 health", "<&> health"} {
		b := string(Badge{label: label, text: "A · 87", grade: "A", known: true}.SVG())
		var doc struct {
			Width int `xml:"width,attr"`
			Texts []struct {
				X      float64 `xml:"x,attr"`
				Length float64 `xml:"textLength,attr"`
			} `xml:"g>text"`
		}
		if err := xml.Unmarshal([]byte(b), &doc); err != nil || len(doc.Texts) != 2 {
			t.Fatal(err, b)
		}
		left, right := doc.Texts[0], doc.Texts[1]
		if left.X-left.Length/2 < 4 || left.X+left.Length/2 > right.X-right.Length/2-8 || right.X+right.Length/2 > float64(doc.Width)-4 {
			t.Errorf("%s: texts run into each other or over the edge: %+v", label, doc)
		}
		// No more than a tenth narrower or wider than a wide sans-serif font has it.
		if n := float64(len([]rune(label))); left.Length < 3*n || left.Length > 12*n {
			t.Errorf("%s: %g wide", label, left.Length)
		}
	}
}
