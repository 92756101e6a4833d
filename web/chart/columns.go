package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Columns is a chart of a number for each day. A day with 0 has no column.
type Columns struct {
	ID, Title, Text string
	Points          []Point // one a day, oldest first
}

const (
	columnsWidth, columnsHeight = 480.0, 150.0
	columnsLeft, columnsRight   = 38.0, 4.0
	columnsTop, columnsBottom   = 12.0, 20.0
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
	description := fmt.Sprintf("%s to %s: %s in total", first.At.Format(day), last.At.Format(day), number(total))
	if total > 0 {
		description += fmt.Sprintf(", most on %s: %s", best.At.Format(day), number(best.Value))
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
				columnsLeft+float64(i)*step+step*.15, y(0)-tall, step*.7, tall, p.At.Format(shortDay), number(p.Value))
		}
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, columnsLeft, columnsHeight-4, first.At.Format(shortDay))
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text></svg>`,
		columnsWidth-columnsRight, columnsHeight-4, last.At.Format(shortDay))
	writeTable(&b, c.Title, c.Points, 1)
	b.WriteString(`</figure>`)
	return template.HTML(b.String())
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
