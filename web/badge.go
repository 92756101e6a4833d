package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

// badgeColors are the fills of grades, each readable under white text. What
// has no grade is grey.
var badgeColors = map[string]string{
	"A": "#1a7f37", "B": "#4d7c0f", "C": "#9a6700", "D": "#bc4c00", "F": "#b62324", "": "#57606a",
}

// A verdict is what a badge says.
type verdict struct{ text, grade string }

var unlisted = verdict{"not listed", ""}

// verdictOf returns what the badge of a listed server says.
func verdictOf(i *catalog.Item) verdict {
	if i.Score() < 0 {
		return verdict{"unknown", ""}
	}
	return verdictFor(i.Score())
}

func verdictFor(score int) verdict {
	grade := registry.GradeOf(score)
	return verdict{grade + " · " + grouped(int64(score)), grade}
}

// badge answers GET /badge/{slug}.svg, and GET /badge/{slug}.json for
// shields.io.
func (s *Site) badge(_ context.Context, c *gin.Context) error {
	slug, isSVG := strings.CutSuffix(c.Param("file"), ".svg")
	slug, isJSON := strings.CutSuffix(slug, ".json")
	if isSVG == isJSON {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this address. Badges end in .svg, or in .json for shields.io.")
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	said, status := unlisted, http.StatusNotFound
	if i := listed(v, slug); i != nil {
		s.Counter.Event(meter.EventBadgeView, i.Slug(), c.Request)
		said, status = verdictOf(i), http.StatusOK
	}
	a := httpd.Answer{Status: status, Type: "image/svg+xml", Cache: "public, max-age=300"}
	if isJSON {
		// shields.io shows nothing of an answer that is no 200.
		a.Status, a.Type, a.Body = http.StatusOK, "application/json; charset=utf-8", badgeJSON(s.Brand.BadgeLabel(), said)
	} else {
		a.Body = badgeSVG(s.Brand.BadgeLabel(), said)
	}
	a.Tag = contentTag(a.Body)
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Access-Control-Allow-Origin", "*")
	httpd.Write(c, a)
	return nil
}

// badgeJSON is a badge as shields.io's endpoint badge reads it.
func badgeJSON(label string, said verdict) []byte {
	b, err := json.Marshal(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
		IsError       bool   `json:"isError,omitempty"`
		CacheSeconds  int    `json:"cacheSeconds"`
	}{1, label, said.text, badgeColors[said.grade], said == unlisted, 300})
	if err != nil {
		panic("web: " + err.Error()) // strings and numbers always encode
	}
	return append(b, '\n')
}

// badgeSVG draws a badge. The label is the operator's; the text is ours: a
// grade and a score, or a word. Both are stretched to the width that was
// reckoned for them, so that another font does not run over the edge.
func badgeSVG(label string, said verdict) []byte {
	left, right := badgeWidth(label), badgeWidth(said.text)
	label = html.EscapeString(xmlText(label))
	text := html.EscapeString(said.text)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s: %s">`, left+right, label, text)
	fmt.Fprintf(&b, `<title>%s: %s</title><clipPath id="r"><rect width="%d" height="20" rx="4"/></clipPath>`, label, text, left+right)
	fmt.Fprintf(&b, `<g clip-path="url(#r)"><rect width="%d" height="20" fill="#32383f"/><rect x="%d" width="%d" height="20" fill="%s"/></g>`, left, left, right, badgeColors[said.grade])
	fmt.Fprintf(&b, `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11"><text x="%.1f" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text><text x="%.1f" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text></g></svg>`,
		float64(left)/2, left-badgeMargin, label, float64(left)+float64(right)/2, right-badgeMargin, text)
	return b.Bytes()
}

// badgeMargin is what is beside a text, on both sides together.
const badgeMargin = 12

// verdana are the widths of the ASCII letters of Verdana, in 2048ths of its
// size, from the space on.
var verdana = [95]int{
	720, 806, 940, 1676, 1302, 2204, 1488, 550, 930, 930, 1302, 1676, 745, 930, 745, 930, // space to /
	1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 930, 930, 1676, 1676, 1676, 1117, // 0 to ?
	2048, 1400, 1404, 1430, 1578, 1295, 1177, 1588, 1539, 862, 931, 1419, 1140, 1726, 1532, 1612, // @ to O
	1235, 1612, 1424, 1400, 1262, 1499, 1400, 2025, 1403, 1260, 1403, 930, 930, 930, 1676, 1302, // P to _
	1302, 1230, 1276, 1067, 1276, 1220, 720, 1276, 1296, 562, 705, 1212, 562, 1992, 1296, 1243, // ` to o
	1276, 1276, 874, 1067, 807, 1296, 1212, 1676, 1212, 1212, 1076, 1300, 930, 1300, 1676, // p to ~
}

// badgeWidth is how wide a text is at 11 pixels, with a margin.
func badgeWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			n += verdana[r-' ']
		case r == '·' || r == '\u202f':
			n += 745
		case r >= 0x1100: // as wide as it is high, in most of what is written so
			n += 2048
		default:
			n += 1350
		}
	}
	return (n*11+2047)/2048 + badgeMargin
}

// listed returns the listed server of a name, nil if there is none. Unlike
// [find] it does not look for names like it.
func listed(v *catalog.View, name string) *catalog.Item {
	if len(name) > longestName {
		return nil
	}
	if i, _ := v.Find(name); i != nil {
		return i
	}
	i, _ := v.Find(strings.ToLower(name))
	return i
}
