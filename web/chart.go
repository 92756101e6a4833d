package web

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A chart is a line over time: one value for each day that has one. Days
// without one are a gap, never a guess.
type chart struct {
	ID       string // of the page, for what describes it
	Title    string // "Stars"
	Text     string // what the numbers are, in a sentence
	Points   []point
	Min, Max *float64 // of the axis; nil: those of the points
}

type point struct {
	At    time.Time
	Value float64
}

// The size of a chart, in its own units: about those of a phone's screen, so
// that its text is as large as it says.
const (
	chartWidth, chartHeight          = 320.0, 130.0
	chartLeft, chartTop, chartBottom = 38.0, 10.0, 18.0
	chartRight                       = 8.0
	dotsUpTo                         = 12 // points that are marked one by one
	rowsUpTo                         = 60 // rows of the table behind a chart
)

// SVG returns the chart with a table of its numbers behind it.
func (c chart) SVG() template.HTML {
	if len(c.Points) == 0 {
		return ""
	}
	low, high := c.Points[0].Value, c.Points[0].Value
	for _, p := range c.Points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	if c.Min != nil {
		low = min(low, *c.Min)
	}
	if c.Max != nil {
		high = max(high, *c.Max)
	}
	cut := false // the axis does not begin at 0
	if c.Min == nil && low > 0 {
		if low < high*3/4 {
			low = 0
		} else {
			cut = true
		}
	}
	if low == high {
		low, high = max(0, low-1), high+1
	}
	if low == math.Trunc(low) { // half of the axis is whole
		high = low + 2*math.Ceil((high-low)/2)
	}
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	span := last.At.Sub(first.At).Seconds()
	x := func(p point) float64 {
		if span == 0 {
			return (chartLeft + chartWidth - chartRight) / 2
		}
		return chartLeft + (chartWidth-chartLeft-chartRight)*p.At.Sub(first.At).Seconds()/span
	}
	y := func(v float64) float64 {
		return chartHeight - chartBottom - (chartHeight-chartTop-chartBottom)*(v-low)/(high-low)
	}
	var b strings.Builder
	title, id := html.EscapeString(c.Title), html.EscapeString(c.ID)
	change := "unchanged at " + plain(last.Value)
	if first.Value != last.Value {
		change = "from " + plain(first.Value) + " to " + plain(last.Value)
	}
	from, to := first.At.Format("2 Jan 2006"), last.At.Format("2 Jan 2006")
	text := c.Text
	if cut {
		text += "; the axis begins at " + short(low)
	}
	if c.gaps() {
		text += "; where there is no line, there are no figures"
	}
	fmt.Fprintf(&b, `<figure class="chart"><figcaption><b>%s</b> %s</figcaption><svg viewBox="0 0 %g %g" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s, %s to %s: %s.</desc>`,
		title, html.EscapeString(text), chartWidth, chartHeight, id, id, id, title, id, title, from, to, html.EscapeString(change))
	for _, v := range []float64{low, (low + high) / 2, high} {
		fmt.Fprintf(&b, `<line class="axis" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`,
			chartLeft, chartWidth-chartRight, y(v), y(v), chartLeft-5, y(v)+4, short(v))
	}
	line, gap := make([]byte, 0, 12*len(c.Points)), c.gap()
	for i, p := range c.Points {
		op := byte('L')
		if i == 0 || p.At.Sub(c.Points[i-1].At) > gap {
			op = 'M'
		}
		line = strconv.AppendFloat(append(line, op), x(p), 'f', 1, 64)
		line = strconv.AppendFloat(append(line, ' '), y(p.Value), 'f', 1, 64)
	}
	fmt.Fprintf(&b, `<path class="line" d="%s"/>`, line)
	for i, p := range c.Points {
		if len(c.Points) <= dotsUpTo || i == len(c.Points)-1 {
			fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="%.1f" r="2.6"/>`, x(p), y(p.Value))
		}
	}
	above := y(last.Value) - 8
	if above < chartTop+2 {
		above = y(last.Value) + 16
	}
	fmt.Fprintf(&b, `<text class="value" x="%g" y="%.1f" text-anchor="end">%s</text>`, chartWidth-chartRight, above, plain(last.Value))
	if span > 0 {
		fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, chartLeft, chartHeight-3, first.At.Format("2 Jan"))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text></svg>`, chartWidth-chartRight, chartHeight-3, last.At.Format("2 Jan"))
	fmt.Fprintf(&b, `<details><summary>%s as a table</summary><div class="wide" tabindex="0" role="region" aria-label="%s as a table"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">%s</th></tr></thead><tbody>`, title, title, title)
	step := (len(c.Points) + rowsUpTo - 1) / rowsUpTo
	for i := len(c.Points) - 1; i >= 0; i -= step {
		p := c.Points[i]
		fmt.Fprintf(&b, `<tr><td>%s</td><td class="n">%s</td></tr>`, p.At.Format("2 Jan 2006"), plain(p.Value))
	}
	b.WriteString(`</tbody></table></div></details></figure>`)
	return template.HTML(b.String())
}

// gaps says whether days without a figure interrupt the line.
func (c chart) gaps() bool {
	gap := c.gap()
	for i := range len(c.Points) - 1 {
		if c.Points[i+1].At.Sub(c.Points[i].At) > gap {
			return true
		}
	}
	return false
}

// gap is how far apart two points may be and still be joined: three times what
// is usual.
func (c chart) gap() time.Duration {
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

// plain writes a number whole, or with one decimal.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return grouped(int64(v))
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// short writes a number of an axis.
func short(v float64) string {
	if v >= 1000 {
		return compact(int64(v))
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}
