// Package chart draws small charts as inline SVG, each with a table of its
// numbers for readers who cannot see it.
package chart

import (
	"fmt"
	"html"
	"html/template"
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

func axisNumber(v float64) string {
	if v >= 1000 {
		return format.Compact(int64(v))
	}
	return format.Decimal(v)
}

// Columns is a chart of a number for each day or name. One with 0 has no column.
type Columns struct {
	ID, Title, Text string
	Points          []Point // one a day, oldest first; or all with a name
}

const (
	columnsWidth, columnsHeight = 480.0, 150.0
	columnsLeft, columnsRight   = 38.0, 4.0
	columnsTop, columnsBottom   = 14.0, 34.0
)

// SVG returns the chart with its table, "" without points.
func (c Columns) SVG() template.HTML {
	if len(c.Points) == 0 {
		return ""
	}
	total, best := 0.0, c.Points[0]
	for _, p := range c.Points {
		total += p.Value
		if p.Value > best.Value {
			best = p
		}
	}
	high := ceiling(best.Value)
	y := func(v float64) float64 {
		return columnsHeight - columnsBottom - (columnsHeight-columnsTop-columnsBottom)*v/high
	}
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	description := fmt.Sprintf("%s to %s: %s in total", first.label(day), last.label(day), number(total))
	if total > 0 {
		description += fmt.Sprintf(", most on %s: %s", best.label(day), number(best.Value))
	}
	var b strings.Builder
	writeHead(&b, c.ID, c.Title, c.Text, description, columnsWidth, columnsHeight)
	writeAxis(&b, []float64{0, high / 2, high}, y, columnsLeft, columnsWidth-columnsRight, 6)
	step := (columnsWidth - columnsLeft - columnsRight) / float64(len(c.Points))
	for i, p := range c.Points {
		if p.Value > 0 {
			tall := max(1.5, y(0)-y(p.Value))
			fmt.Fprintf(&b, `<rect class="col" x="%.1f" y="%.1f" width="%.1f" height="%.1f" `+
				`rx="1.5"><title>%s: %s</title></rect>`,
				columnsLeft+float64(i)*step+step*.15, y(0)-tall, step*.7, tall,
				html.EscapeString(p.label(shortDay)), number(p.Value))
		}
		if p.Name != "" {
			writeName(&b, p, columnsLeft+(float64(i)+.5)*step, y(p.Value)-4)
		}
	}
	if first.Name == "" {
		fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, columnsLeft, columnsHeight-18, first.At.Format(shortDay))
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text>`,
			columnsWidth-columnsRight, columnsHeight-18, last.At.Format(shortDay))
	}
	b.WriteString(`</svg>`)
	writeTable(&b, c.Title, c.Points, 1)
	b.WriteString(`</figure>`)
	return template.HTML(b.String())
}

// nameWidth is the number of characters of a name that fit below a column.
const nameWidth = 14

// writeName writes the value of a column above it, and its name below it, in two lines if it is
// long.
func writeName(b *strings.Builder, p Point, x, top float64) {
	fmt.Fprintf(b, `<text class="value" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x, top, number(p.Value))
	lines := []string{p.Name}
	if cut := strings.LastIndex(p.Name[:min(len(p.Name), nameWidth)], " "); len(p.Name) > nameWidth && cut > 0 {
		lines = []string{p.Name[:cut], p.Name[cut+1:]}
	}
	for n, line := range lines {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x,
			columnsHeight-columnsBottom+13+12*float64(n), html.EscapeString(line))
	}
}

// ceiling returns the next number of the series 2, 4, 10, 20, 40, 100, … that
// is at least v. Half of each is whole.
func ceiling(v float64) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, n := range []float64{2, 4, 10} {
			if v <= n*unit || math.IsInf(unit, 0) {
				return n * unit
			}
		}
	}
}
