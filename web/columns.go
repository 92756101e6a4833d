package web

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// columns is a chart of a number for each day: one that is 0 has no column.
type columns struct {
	ID, Title, Text string
	Points          []point // one a day, oldest first
}

// SVG returns the chart with a table of its numbers behind it.
func (c columns) SVG() template.HTML {
	if len(c.Points) == 0 {
		return ""
	}
	const width, height, left, right, top, bottom = 480.0, 150.0, 38.0, 4.0, 12.0, 20.0
	high, total, best := 0.0, 0.0, 0
	for i, p := range c.Points {
		total += p.Value
		if p.Value > high {
			high, best = p.Value, i
		}
	}
	highest := c.Points[best]
	high = ceiling(high)
	y := func(v float64) float64 { return height - bottom - (height-top-bottom)*v/high }
	title, id := html.EscapeString(c.Title), html.EscapeString(c.ID)
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="chart"><figcaption><b>%s</b> %s</figcaption><svg viewBox="0 0 %g %g" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">`,
		title, html.EscapeString(c.Text), width, height, id, id, id, title, id)
	fmt.Fprintf(&b, "%s, %s to %s: %s in all", title, first.At.Format("2 Jan 2006"), last.At.Format("2 Jan 2006"), plain(total))
	if total > 0 {
		fmt.Fprintf(&b, ", most on %s: %s", highest.At.Format("2 Jan 2006"), plain(highest.Value))
	}
	b.WriteString(`.</desc>`)
	for _, v := range []float64{0, high / 2, high} {
		fmt.Fprintf(&b, `<line class="axis" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`,
			left, width-right, y(v), y(v), left-6, y(v)+4, short(v))
	}
	step := (width - left - right) / float64(len(c.Points))
	for i, p := range c.Points {
		if p.Value > 0 {
			tall := max(1.5, y(0)-y(p.Value))
			fmt.Fprintf(&b, `<rect class="col" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1.5"><title>%s: %s</title></rect>`,
				left+float64(i)*step+step*.15, y(0)-tall, step*.7, tall, p.At.Format("2 Jan"), plain(p.Value))
		}
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text><text x="%g" y="%g" text-anchor="end">%s</text></svg>`,
		left, height-4, first.At.Format("2 Jan"), width-right, height-4, last.At.Format("2 Jan"))
	fmt.Fprintf(&b, `<details><summary>%s as a table</summary><div class="wide" tabindex="0" role="region" aria-label="%s as a table"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">%s</th></tr></thead><tbody>`, title, title, title)
	for i := len(c.Points) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, `<tr><td>%s</td><td class="n">%s</td></tr>`, c.Points[i].At.Format("2 Jan 2006"), plain(c.Points[i].Value))
	}
	b.WriteString(`</tbody></table></div></details></figure>`)
	return template.HTML(b.String())
}

// ceiling returns the next number of the row 2, 4, 10, 20, 40, 100 … that is not
// below v: half of each is whole.
func ceiling(v float64) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, n := range []float64{2, 4, 10} {
			if v <= n*unit || math.IsInf(unit, 0) {
				return n * unit
			}
		}
	}
}
