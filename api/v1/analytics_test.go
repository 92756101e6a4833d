package v1

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

func p[T any](v T) *T { return &v }

// figures are those of one server.
type figures struct {
	history   []registry.DayStats
	downloads []registry.DayDownloads
	events    []meter.DayEvents
	err       error
}

func (f figures) History(_ context.Context, _ string, from, to time.Time) (out []registry.DayStats, err error) {
	for _, d := range f.history {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, f.err
}

func (f figures) DayDownloads(_ context.Context, _ string, from,
	to time.Time) (out []registry.DayDownloads, err error) {
	for _, d := range f.downloads {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, nil
}

func (f figures) Events(_ context.Context, _ string, from, to time.Time) (out []meter.DayEvents, err error) {
	for _, d := range f.events {
		if !d.Date.Before(from) && !d.Date.After(to) {
			out = append(out, d)
		}
	}
	return out, nil
}

func TestAnalytics(t *testing.T) {
	f := figures{
		history: []registry.DayStats{
			{Date: day("2026-09-01"), Stars: p(900), Score: p(50), Downloads: p[int64](1)}, // before the period
			{Date: day("2026-10-14"), Stars: p(1209), Forks: p(80), Score: p(84), Downloads: p[int64](50110)},
			{Date: day("2026-10-15"), Stars: nil, Score: p(85)},
			{Date: day("2026-10-20"), Stars: p(1230), Downloads: p[int64](54210)},
			{Date: day("2026-11-02"), Stars: p(1240), Forks: p(88), Score: p(87)},
		},
		downloads: []registry.DayDownloads{
			{Date: day("2026-10-03"), Downloads: 7}, // before the period
			{Date: day("2026-10-12"), Downloads: 1600}, {Date: day("2026-10-13"), Downloads: 0},
			{Date: day("2026-10-14"), Downloads: 1650},
			{Date: day("2026-10-15"), Downloads: 1}, {Date: day("2026-10-16"), Downloads: 2},
			{Date: day("2026-10-17"), Downloads: 3}, {Date: day("2026-10-18"), Downloads: 4},
			{Date: day("2026-10-19"), Downloads: 1700},
		},
		events: []meter.DayEvents{
			{Date: day("2026-10-15"), Counts: [meter.Events]int64{20, 70, 5, 1, 2, 300}},
			{Date: day("2026-10-16"), Counts: [meter.Events]int64{1, 2, 3, 4, 5, 6}},
			{Date: day("2026-11-01"), Counts: [meter.Events]int64{meter.EventBadgeView: 9}},
		},
	}
	x := start(t, 100, func(o *Options) { o.Figures = &f })
	var b analyticsBody
	status, raw := x.get("/v1/servers/octo-forecast-mcp/analytics")
	if err := json.Unmarshal(raw, &b); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if b.Server != "octo-weather-mcp" || b.Period != (periodBody{"2026-10-04", "2026-11-02", "day"}) {
		t.Errorf("%s, %+v", b.Server, b.Period)
	}
	if *b.Totals.Stars != 1240 || *b.Totals.Downloads["total"] != 54210 ||
		*b.Totals.Downloads["npm"] != 53000 || b.Totals.Downloads["pypi"] != nil {
		t.Errorf("totals are %s", raw)
	}
	if d := b.Totals.Directory; *d.Views != 21 || *d.APIHits != 72 || *d.SearchImpressions != 8 ||
		*d.HealthChecks != 5 || *d.InstallClicks != 7 || *d.BadgeViews != 315 {
		t.Errorf("counted were %s", encoded(d))
	}
	if tr := b.Trends; *tr.Stars.Delta != 31 || *tr.Stars.Percent != 2.6 ||
		*tr.Downloads.Delta != 4100 || *tr.Downloads.Percent != 8.2 || *tr.Score.Delta != 3 {
		t.Errorf("trends are %s", encoded(tr))
	}
	dates := func() (out []string) {
		for _, s := range b.Series {
			out = append(out, s.Date)
		}
		return out
	}
	if want := []string{"2026-10-12", "2026-10-13", "2026-10-14", "2026-10-15", "2026-10-16",
		"2026-10-17", "2026-10-18", "2026-10-19", "2026-10-20", "2026-11-01",
		"2026-11-02"}; !slices.Equal(dates(), want) {
		t.Errorf("days are %v", dates())
	}
	if s := b.Series[3]; s.Stars != nil || *s.Score != 85 || *s.Views != 20 || *s.BadgeViews != 300 {
		t.Errorf("the second day is %s", encoded(s))
	}
	if s := b.Series[2]; s.Views != nil || *s.Stars != 1209 {
		t.Errorf("the first day is %s", encoded(s))
	}
	// What was downloaded on the day, never what was in the 30 days before.
	if s := b.Series; s[1].Downloads == nil || *s[1].Downloads != 0 || *s[2].Downloads != 1650 ||
		*s[7].Downloads != 1700 || s[8].Downloads != nil || *s[8].Stars != 1230 ||
		s[10].Downloads != nil {
		t.Errorf("the days are %s", encoded(s))
	}

	status, raw = x.get("/v1/servers/octo-weather-mcp/analytics?period=90d&interval=week")
	b = analyticsBody{}
	if err := json.Unmarshal(raw, &b); err != nil || status != 200 {
		t.Fatalf("%d %s", status, raw)
	}
	if want := []string{"2026-08-31", "2026-10-12", "2026-10-19", "2026-10-26",
		"2026-11-02"}; !slices.Equal(dates(), want) {
		t.Errorf("weeks are %v", dates())
	}
	if s := b.Series[1]; *s.Stars != 1209 || *s.Score != 85 || *s.Views != 21 ||
		*s.SearchImpressions != 8 || *s.Downloads != 3260 {
		t.Errorf("the second week is %s", encoded(s))
	}
	if s := b.Series[2]; s.Downloads != nil || *s.Stars != 1230 {
		t.Errorf("a week with days that are not known is %s", encoded(s))
	}
	_, raw = x.get("/v1/servers/octo-weather-mcp/analytics?period=7d&interval=week")
	b = analyticsBody{}
	if err := json.Unmarshal(raw, &b); err != nil ||
		!slices.Equal(dates(), []string{"2026-10-27", "2026-11-02"}) ||
		b.Trends.Stars.Delta != nil {
		t.Errorf("a period that begins within a week: %s", raw)
	}
	f = figures{err: errDown}
	if got := x.told(x.do("professional", "GET", "/v1/servers/octo-weather-mcp/analytics", "")); got != "503 unavailable" {
		t.Errorf("without the database: %s", got)
	}
}

func TestAnalyticsUnknown(t *testing.T) {
	x := start(t, 10, func(o *Options) { o.Figures = figures{} })
	status, raw := x.get("/v1/servers/someone-bare/analytics")
	for _, want := range []string{`"stars":null`,
		`"downloads":{"npm":null,"oci":null,"pypi":null,"total":null}`,
		`"rank":{"overall":null,"category":null,"percentile":null,"by":"popularity"}`,
		`"delta":null,"percent":null`, `"series":[]`} {
		if !strings.Contains(string(raw), want) || status != 200 {
			t.Errorf("%d, no %s: %s", status, want, raw)
		}
	}
}

func TestAnalyticsRank(t *testing.T) {
	x := start(t, 150, func(o *Options) { o.Figures = figures{} })
	better, inCategory, all := 0, 0, 0
	for s := range x.catalog.Servers() {
		if all++; s.Popularity.Score != nil && *s.Popularity.Score > 64 {
			better++
			if s.Category == "data" {
				inCategory++
			}
		}
	}
	var b analyticsBody
	_, raw := x.get("/v1/servers/octo-weather-mcp/analytics")
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if r := b.Rank; *r.Overall <= better || *r.Category <= inCategory || *r.Overall > all ||
		*r.Percentile != tenth(100*float64(all-*r.Overall)/float64(all)) {
		t.Errorf("rank is %s, %d are better", encoded(r), better)
	}
}
