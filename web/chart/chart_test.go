package chart

import (
	"strings"
	"testing"
	"time"
)

func TestColumns(t *testing.T) {
	for _, c := range []struct{ v, want float64 }{{0, 2}, {1, 2}, {2, 2}, {3, 4}, {5, 10}, {11, 20}, {399, 400}, {401, 1000}, {1e6 + 1, 2e6}} {
		if got := ceiling(c.v); got != c.want {
			t.Errorf("ceiling(%v) = %v, want %v", c.v, got, c.want)
		}
	}
	named := string(Columns{ID: "y", Points: []Point{{Name: "Runs commands or <b>", Value: 3}, {Name: "None"}}}.SVG())
	for _, want := range []string{
		">Runs commands</text>", ">or &lt;b&gt;</text>", ">None</text>", "<td>None</td>", ">3</text>",
	} {
		if !strings.Contains(named, want) {
			t.Errorf("no %q in %s", want, named)
		}
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var c Columns
	if c.SVG() != "" {
		t.Error("a chart of nothing")
	}
	c = Columns{ID: "x", Title: `<b>`, Text: `"&`}
	for i := range 3 {
		c.Points = append(c.Points, Point{At: at.AddDate(0, 0, i), Value: float64(i * 100)})
	}
	s := string(c.SVG())
	for _, want := range []string{"&lt;b&gt;", "&#34;&amp;", "300 in total, most on 22 Nov 2026: 200."} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in %s", want, s)
		}
	}
	if n := strings.Count(s, "<rect"); n != 2 {
		t.Errorf("%d columns: a 0 has none", n)
	}
}

func TestLine(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day) }
	c := Line{ID: "x", Title: "Stars <b>", Text: "on <i>", Points: []Point{
		{At: at(0), Value: 5}, {At: at(1), Value: 7}, {At: at(2), Value: 7}, {At: at(40), Value: 1200}}}
	svg := string(c.SVG())
	for _, want := range []string{"Stars &lt;b&gt;", "from 5 to 1,200", `role="img"`, "<td>10 Feb 2026</td>", "gaps are days without data", "text-anchor=\"end\">1,200</text>", ">600</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the chart lacks %q\n%s", want, svg)
		}
	}
	_, path, _ := strings.Cut(svg, `<path class="line" d="`)
	if path, _, _ = strings.Cut(path, `"`); strings.Count(path, "M") != 2 {
		t.Errorf("weeks without figures are drawn as if they were known: %s", path)
	}
	if (Line{}).SVG() != "" {
		t.Error("nothing is drawn")
	}
	high := Line{ID: "h", Title: "T", Text: "x", Points: []Point{{At: at(0), Value: 1000}, {At: at(1), Value: 1005}}}
	if svg := string(high.SVG()); !strings.Contains(svg, "x; the axis starts at 1k") || strings.Contains(svg, "gaps") || !strings.Contains(svg, ">1k</text>") {
		t.Errorf("an axis that is cut is not said to be: %s", svg)
	}
	flat := Line{ID: "y", Title: "T", Points: []Point{{At: at(0), Value: 3}, {At: at(1), Value: 3}}}
	if svg := string(flat.SVG()); strings.Contains(svg, "NaN") || !strings.Contains(svg, "unchanged at 3") {
		t.Error(svg)
	}
	one := Line{ID: "z", Title: "T", Points: []Point{{At: at(0), Value: 0}}}
	if svg := string(one.SVG()); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error(svg)
	}
}
