package chart

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
)

// A Line is a chart of a value over time. Days without a point are gaps.
type Line struct {
	ID       string // of the element, unique on the page
	Title    string // "Stars"
	Text     string // description of the numbers
	Points   []Point
	Min, Max *float64 // of the axis; nil: those of the points
}

// The size of a line chart, in about the pixels of a phone's screen, so that text keeps its
// size.
const (
	lineWidth, lineHeight = 320.0, 130.0
	lineLeft, lineRight   = 38.0, 8.0
	lineTop, lineBottom   = 10.0, 18.0
	maxDots               = 12 // maximum number of points that are all marked
	maxRows               = 60 // rows of the table
)

// SVG returns the chart with its table, "" without points.
func (c Line) SVG() template.HTML {
	if len(c.Points) == 0 {
		return ""
	}
	low, high, cut := c.axis()
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	span := last.At.Sub(first.At).Seconds()
	x := func(p Point) float64 {
		if span == 0 {
			return (lineLeft + lineWidth - lineRight) / 2
		}
		return lineLeft + (lineWidth-lineLeft-lineRight)*p.At.Sub(first.At).Seconds()/span
	}
	y := func(v float64) float64 {
		return lineHeight - lineBottom - (lineHeight-lineTop-lineBottom)*(v-low)/(high-low)
	}
	var b strings.Builder
	path := c.path(x, y)
	writeHead(&b, c.ID, c.Title, c.caption(low, cut, path), c.change(), lineWidth, lineHeight)
	writeAxis(&b, []float64{low, (low + high) / 2, high}, y, lineLeft, lineWidth-lineRight, 5)
	fmt.Fprintf(&b, `<path class="line" d="%s"/>`, path)
	for i, p := range c.Points {
		if len(c.Points) <= maxDots || i == len(c.Points)-1 {
			fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="%.1f" r="2.6"/>`, x(p), y(p.Value))
		}
	}
	above := y(last.Value) - 8
	if above < lineTop+2 {
		above = y(last.Value) + 16
	}
	fmt.Fprintf(&b, `<text class="value" x="%g" y="%.1f" text-anchor="end">%s</text>`, lineWidth-lineRight,
		above, number(last.Value))
	if span > 0 {
		fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, lineLeft, lineHeight-3, first.At.Format(shortDay))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text></svg>`, lineWidth-lineRight,
		lineHeight-3, last.At.Format(shortDay))
	writeTable(&b, c.Title, c.Points, (len(c.Points)+maxRows-1)/maxRows)
	b.WriteString(`</figure>`)
	return template.HTML(b.String())
}

// axis returns the ends of the vertical axis; cut reports whether it starts above 0.
func (c Line) axis() (low, high float64, cut bool) {
	low, high = c.Points[0].Value, c.Points[0].Value
	for _, p := range c.Points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	if c.Min != nil {
		low = min(low, *c.Min)
	}
	if c.Max != nil {
		high = max(high, *c.Max)
	}
	switch {
	case c.Min != nil || low <= 0:
	case low < high*3/4:
		low = 0
	default:
		cut = true
	}
	if low == high {
		low, high = max(0, low-1), high+1
	}
	if low == math.Trunc(low) { // the middle of the axis is whole
		high = low + 2*math.Ceil((high-low)/2)
	}
	return low, high, cut
}

func (c Line) caption(low float64, cut bool, path []byte) string {
	text := c.Text
	if cut {
		text += "; the axis starts at " + axisNumber(low)
	}
	if bytes.Count(path, []byte("M")) > 1 {
		text += "; gaps are days without data"
	}
	return text
}

// change describes the change of the value.
func (c Line) change() string {
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	change := "unchanged at " + number(last.Value)
	if first.Value != last.Value {
		change = "from " + number(first.Value) + " to " + number(last.Value)
	}
	return first.At.Format(day) + " to " + last.At.Format(day) + ": " + change
}

// path returns the line, interrupted at days without a value.
func (c Line) path(x func(Point) float64, y func(float64) float64) []byte {
	var line []byte
	gap := c.gap()
	for i, p := range c.Points {
		op := 'L'
		if i == 0 || p.At.Sub(c.Points[i-1].At) > gap {
			op = 'M'
		}
		line = fmt.Appendf(line, "%c%.1f %.1f", op, x(p), y(p.Value))
	}
	return line
}

// gap is the maximum distance of joined points: three times the median distance.
func (c Line) gap() time.Duration {
	var gaps []time.Duration
	for i := range len(c.Points) - 1 {
		gaps = append(gaps, c.Points[i+1].At.Sub(c.Points[i].At))
	}
	if len(gaps) < 2 {
		return math.MaxInt64
	}
	slices.Sort(gaps)
	return 3 * gaps[len(gaps)/2]
}
