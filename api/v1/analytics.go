package v1

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

// periods are the lengths of the periods in days, today included.
var periods = map[string]int{"7d": 7, "30d": 30, "90d": 90, "1y": 365}

// The bodies of analytics. Unknown values are null.
type (
	analyticsBody struct {
		Server string       `json:"server"`
		Period periodBody   `json:"period"`
		Totals totalsBody   `json:"totals"`
		Trends trendsBody   `json:"trends"`
		Rank   rankBody     `json:"rank"`
		Series []seriesBody `json:"series"`
	}

	periodBody struct {
		From     string `json:"from"`
		To       string `json:"to"`
		Interval string `json:"interval"`
	}

	totalsBody struct {
		Stars     *int              `json:"stars"`
		Forks     *int              `json:"forks"`
		Downloads map[string]*int64 `json:"downloads"`
		Directory directoryBody     `json:"directory"`
	}

	directoryBody struct {
		Views             *int64 `json:"views"`
		APIHits           *int64 `json:"apiHits"`
		SearchImpressions *int64 `json:"searchImpressions"`
		HealthChecks      *int64 `json:"healthChecks"`
		InstallClicks     *int64 `json:"installClicks"`
		BadgeViews        *int64 `json:"badgeViews"`
	}

	trendsBody struct {
		Stars     trendBody  `json:"stars"`
		Downloads trendBody  `json:"downloads"`
		Score     changeBody `json:"score"`
	}

	trendBody struct {
		Delta   *int64   `json:"delta"`
		Percent *float64 `json:"percent"`
	}

	changeBody struct {
		Delta *int64 `json:"delta"`
	}

	rankBody struct {
		Overall    *int     `json:"overall"`
		Category   *int     `json:"category"`
		Percentile *float64 `json:"percentile"`
		By         string   `json:"by"`
	}

	seriesBody struct {
		Date      string `json:"date"`
		Stars     *int   `json:"stars"`
		Forks     *int   `json:"forks"`
		Downloads *int64 `json:"downloads"`
		Score     *int   `json:"score"`
		directoryBody
	}
)

type analyticsParams struct {
	Period   string `query:"period,oneof=7d|30d|90d|1y,default=30d"`
	Interval string `query:"interval,oneof=day|week,default=day"`
}

func (a *API) analytics(ctx context.Context, c *gin.Context, _ account.Access) error {
	var p analyticsParams
	if err := page.Read(c.Request, &p); err != nil {
		return err
	}
	v, i, err := a.named(ctx, c)
	if err != nil {
		return err
	}
	to := dayOf(a.API.Now())
	from := to.AddDate(0, 0, 1-periods[p.Period])
	f, err := a.figures(ctx, i.Slug(), from, to)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return registry.Wrap(registry.ErrUnavailable, err,
			"Analytics are temporarily unavailable. Please try again.")
	}
	body, err := analyze(v, i, f, from, to, p.Interval)
	return sendJSON(c, http.StatusOK, body, err)
}

type dayFigures struct {
	history   []registry.DayStats
	downloads []registry.DayDownloads
	events    []meter.DayEvents
}

func (a *API) figures(ctx context.Context, slug string, from, to time.Time) (f dayFigures, err error) {
	if f.history, err = a.Figures.History(ctx, slug, from, to); err != nil {
		return f, err
	}
	if f.downloads, err = a.Figures.DayDownloads(ctx, slug, from, to); err != nil {
		return f, err
	}
	f.events, err = a.Figures.Events(ctx, slug, from, to)
	return f, err
}

// analyze returns the body for the figures of a period.
func analyze(
	v *catalog.View, i *catalog.Item, f dayFigures, from, to time.Time, interval string,
) (analyticsBody, error) {
	b := analyticsBody{
		Server: i.Slug(),
		Period: periodBody{from.Format(time.DateOnly), to.Format(time.DateOnly), interval},
		Rank:   rank(v, i),
	}
	s, err := i.Record()
	if err != nil {
		return b, err
	}
	b.Totals = totalsOf(s)
	var sums [meter.Events]int64
	for _, e := range f.events {
		for n, x := range e.Counts {
			sums[n] += x
		}
	}
	b.Totals.Directory = directory(&sums)
	b.Trends = trends(f.history)
	b.Series = f.series(from, to, interval == "week")
	return b, nil
}

// totalsOf returns the current figures of a server.
func totalsOf(s *registry.Server) totalsBody {
	t := totalsBody{Stars: s.Stars, Forks: s.Forks, Downloads: api.DownloadsOf(s)}
	t.Downloads["total"] = s.Downloads
	return t
}

func directory(counts *[meter.Events]int64) directoryBody {
	return directoryBody{
		Views: &counts[meter.EventView], APIHits: &counts[meter.EventAPIHit],
		SearchImpressions: &counts[meter.EventImpression], HealthChecks: &counts[meter.EventHealthCheck],
		InstallClicks: &counts[meter.EventInstallClick], BadgeViews: &counts[meter.EventBadgeView],
	}
}

// rank returns the rank by popularity; it is unknown if the popularity is.
func rank(v *catalog.View, i *catalog.Item) rankBody {
	r := rankBody{By: "popularity"}
	if i.Popularity() < 0 {
		return r
	}
	overall, inCategory := v.Rank(i, catalog.ByPopularity)
	share := tenth(100 * float64(v.Len()-overall) / float64(v.Len()))
	r.Overall, r.Category, r.Percentile = &overall, &inCategory, &share
	return r
}

func tenth(f float64) float64 { return math.Round(10*f) / 10 }

// trends compares the last known figures of a period with the first.
func trends(history []registry.DayStats) (t trendsBody) {
	t.Stars = trend(history, func(d *registry.DayStats) *int64 { return wide(d.Stars) })
	t.Downloads = trend(history, func(d *registry.DayStats) *int64 { return d.Downloads })
	t.Score.Delta = trend(history, func(d *registry.DayStats) *int64 { return wide(d.Score) }).Delta
	return t
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// trend returns the change of a figure. It is unknown unless the figure is known
// on two days.
func trend(history []registry.DayStats, get func(*registry.DayStats) *int64) (t trendBody) {
	var first, last *int64
	known := 0
	for n := range history {
		if v := get(&history[n]); v != nil {
			first, last = cmp.Or(first, v), v
			known++
		}
	}
	if known < 2 {
		return t
	}
	delta := *last - *first
	t.Delta = &delta
	if *first > 0 {
		t.Percent = new(tenth(100 * float64(delta) / float64(*first)))
	}
	return t
}

// series returns the days with figures, or the weeks, which begin on Monday.
// Counts of a week are summed, downloads only if they are known for each of its
// days in the period; other figures are the last known ones.
func (f dayFigures) series(from, to time.Time, weeks bool) []seriesBody {
	s := series{from: from, to: to, weeks: weeks, entries: map[time.Time]*seriesBody{}}
	s.addHistory(f.history)
	s.addDownloads(f.downloads)
	s.addEvents(f.events)
	out := []seriesBody{}
	for _, date := range slices.SortedFunc(maps.Keys(s.entries), time.Time.Compare) {
		out = append(out, *s.entries[date])
	}
	return out
}

// A series is the figures of a period by day or week.
type series struct {
	from, to time.Time
	weeks    bool
	entries  map[time.Time]*seriesBody // by their first day
}

// first returns the first day of the entry that a day belongs to.
func (s *series) first(date time.Time) time.Time {
	date = dayOf(date)
	if s.weeks {
		date = date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
		if date.Before(s.from) { // the period begins in this week
			date = s.from
		}
	}
	return date
}

// entry returns the entry that a day belongs to.
func (s *series) entry(date time.Time) *seriesBody {
	date = s.first(date)
	if s.entries[date] == nil {
		s.entries[date] = &seriesBody{Date: date.Format(time.DateOnly)}
	}
	return s.entries[date]
}

func (s *series) addHistory(days []registry.DayStats) {
	for _, d := range days {
		e := s.entry(d.Date)
		e.Stars = cmp.Or(d.Stars, e.Stars)
		e.Forks = cmp.Or(d.Forks, e.Forks)
		e.Score = cmp.Or(d.Score, e.Score)
	}
}

func (s *series) addDownloads(days []registry.DayDownloads) {
	sums, known := map[time.Time]int64{}, map[time.Time]int{}
	for _, d := range days {
		sums[s.first(d.Date)] += d.Downloads
		known[s.first(d.Date)]++
	}
	for date, sum := range sums {
		length := 0 // days of the entry
		for day := date; !day.After(s.to) && s.first(day).Equal(date); day = day.AddDate(0, 0, 1) {
			length++
		}
		if known[date] == length {
			s.entry(date).Downloads = &sum
		}
	}
}

func (s *series) addEvents(days []meter.DayEvents) {
	sums := map[time.Time]*[meter.Events]int64{}
	for _, d := range days {
		date := s.first(d.Date)
		if sums[date] == nil {
			sums[date] = new([meter.Events]int64)
		}
		for n, count := range d.Counts {
			sums[date][n] += count
		}
	}
	for date, counts := range sums {
		s.entry(date).directoryBody = directory(counts)
	}
}
