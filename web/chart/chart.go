// Package chart draws small charts as inline SVG, each with a table of its
// numbers for readers who cannot see it.
package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// A Point is the value of one day, or of something with a name.
type Point struct {
	At    time.Time
	Name  string // "" for a day
	Value float64
}

func (p Point) label(layout string) string {
	if p.Name != "" {
		return p.Name
	}
	return p.At.Format(layout)
}

const (
	day      = "2 Jan 2006"
	shortDay = "2 Jan"
)

// writeTable writes the numbers of a chart, days newest first, each step-th of them.
func writeTable(b *strings.Builder, title string, points []Point, step int) {
	title = html.EscapeString(title)
	head := "Day"
	if points[0].Name != "" {
		head, points = "Value", slices.Clone(points)
		slices.Reverse(points)
	}
	fmt.Fprintf(b, `<details><summary>%s as a table</summary>`, title)
	fmt.Fprintf(b, `<div class="wide" tabindex="0" role="region" aria-label="%s as a table"><table>`, title)
	fmt.Fprintf(b, `<thead><tr><th scope="col">%s</th><th scope="col" class="n">%s</th></tr></thead><tbody>`, head, title)
	for i := len(points) - 1; i >= 0; i -= step {
		fmt.Fprintf(b, `<tr><td>%s</td><td class="n">%s</td></tr>`, html.EscapeString(points[i].label(day)),
			number(points[i].Value))
	}
	b.WriteString(`</tbody></table></div></details>`)
}

// writeHead begins a figure with its caption, and the SVG with its description.
func writeHead(b *strings.Builder, id, title, text, description string, width, height float64) {
	id, title = html.EscapeString(id), html.EscapeString(title)
	fmt.Fprintf(b, `<figure class="chart"><figcaption><b>%s</b> %s</figcaption>`, title,
		html.EscapeString(text))
	fmt.Fprintf(b, `<svg viewBox="0 0 %g %g" role="img" aria-labelledby="%[3]s-t %[3]s-d">`, width,
		height, id)
	fmt.Fprintf(b, `<title id="%[1]s-t">%[2]s</title><desc id="%[1]s-d">%[2]s, %[3]s.</desc>`, id,
		title,
		html.EscapeString(description))
}

// writeAxis writes the horizontal lines of a chart with their numbers.
func writeAxis(
	b *strings.Builder, values []float64, y func(float64) float64, left, right, gap float64,
) {
	for _, v := range values {
		fmt.Fprintf(b, `<line class="axis" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/>`, left, right,
			y(v), y(v))
		fmt.Fprintf(b, `<text x="%g" y="%.1f" text-anchor="end">%s</text>`, left-gap, y(v)+4,
			axisNumber(v))
	}
}

// number writes a value whole, or with one decimal.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return text.Thousands(int64(v))
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// axisNumber writes a number of an axis.
func axisNumber(v float64) string {
	if v >= 1000 {
		return format.Compact(int64(v))
	}
	return format.Decimal(v)
}
