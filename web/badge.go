package web

import (
	"bytes"
	"fmt"
	"html"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
)

// badgeColors are the fills of grades, each readable under white text. What
// has no grade is grey.
var badgeColors = map[string]string{
	"A": "#1a7f37", "B": "#4d7c0f", "C": "#9a6700", "D": "#bc4c00", "F": "#b62324", "": "#57606a",
}

// badgeSVG draws a badge. The label is the operator's; the text is ours: a
// grade and a score, or a word.
func badgeSVG(label, text, grade string) []byte {
	left, right := badgeWidth(label), badgeWidth(text)
	label = html.EscapeString(label)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s: %s">`, left+right, label, text)
	fmt.Fprintf(&b, `<title>%s: %s</title><clipPath id="r"><rect width="%d" height="20" rx="4"/></clipPath>`, label, text, left+right)
	fmt.Fprintf(&b, `<g clip-path="url(#r)"><rect width="%d" height="20" fill="#32383f"/><rect x="%d" width="%d" height="20" fill="%s"/></g>`, left, left, right, badgeColors[grade])
	fmt.Fprintf(&b, `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11"><text x="%d" y="14">%s</text><text x="%d" y="14">%s</text></g></svg>`,
		left/2, label, left+right/2, text)
	return b.Bytes()
}

// badgeWidth is about how wide a text is at 11 pixels, with a margin.
func badgeWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == 'l' || r == 'i' || r == '·' || r == 't':
			n += 45
		case r == 'M' || r == 'w' || r == 'm':
			n += 95
		default:
			n += 72
		}
	}
	return n/10 + 12
}

func writeSVG(c *gin.Context, status int, tag string, body []byte) {
	httpd.Write(c, httpd.Answer{Status: status, Type: "image/svg+xml", Tag: tag, Cache: "public, max-age=300", Body: body})
}
