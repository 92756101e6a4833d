package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

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
