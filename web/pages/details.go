package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/chart"
	"mcpcensus/web/readme"
	"mcpcensus/web/record"
)

// details is the data of a server's page that is not in the catalog.
type details struct {
	Charts    []template.HTML
	Days      int // with figures
	Readme    *readme.Readme
	Similar   []*registry.Server
	Published []record.Package
	Releases  []record.Release
	NextVisit *time.Time // of the repository; now if it is late
	Revisions []record.ToolRevision
	Origin    string // of the facts without a separate one, as a sentence
	Origins   []record.Origin
	// The database did not respond.
	NoHistory, NoReadme, NoToolHistory bool
}

const (
	// HistoryAge is how far back the history of a server goes.
	HistoryAge = 365 * 24 * time.Hour

	maxDetails     = 500 // versions of servers whose details are cached, of some 20 kB each
	detailsTTL     = 15 * time.Minute
	detailsRetry   = 10 * time.Second // after a failed load
	detailsTimeout = 1500 * time.Millisecond
	similarRows    = 4
)

// detailsOf returns the details of a version of a server, from the cache if possible. It waits
// for the database at most detailsTimeout.
func (p *Pages) detailsOf(
	ctx context.Context, v *catalog.View, i *catalog.Item, r record.Record,
) *details {
	d, err := p.details.Get(fmt.Sprintf("%s %d", i.Slug(), i.Seq()), p.Now(),
		func() (*details, time.Duration, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), detailsTimeout)
			defer cancel()
			d, complete := p.loadDetails(ctx, v, i, r)
			if !complete {
				return d, detailsRetry, nil
			}
			return d, detailsTTL, nil
		})
	if err != nil {
		panic(err) // loading does not fail
	}
	return d
}

// ServerData is the data of a server's page in the database.
type ServerData struct {
	Days      []registry.DayStats // the figures by day, oldest first
	Readme    *registry.Readme    // nil: none is stored
	Published registry.Published
	ToolLists []registry.ToolList // newest first
	pictures  string              // the address below which those of the README are, "" if they are links
}

// loadDetails loads the details of a server. They are not complete if the database did not
// respond to everything.
func (p *Pages) loadDetails(ctx context.Context, v *catalog.View, i *catalog.Item,
	r record.Record) (*details, bool) {
	var data ServerData
	published, err1 := p.Figures.Published(ctx, []string{i.Slug()})
	data.Published = published[i.Slug()]
	var err2, err3 error
	data.ToolLists, err2 = p.Figures.ToolLists(ctx, i.Slug(), record.MaxToolLists)
	now := p.Now()
	data.Days, err3 = p.Figures.History(ctx, i.Slug(), now.Add(-HistoryAge), now)
	if p.Picture != nil {
		data.pictures = "/servers/" + i.Slug() + "/pictures/"
	}
	text, err4 := p.Figures.Readme(ctx, i.Slug())
	if err4 == nil {
		data.Readme = &text
	} else if errors.Is(err4, registry.ErrNotFound) {
		err4 = nil
	}
	if due := data.Published.NextVisit; due != nil && due.Before(now) {
		data.Published.NextVisit = &now
	}
	d := newDetails(v, i, r, data)
	d.NoToolHistory, d.NoHistory, d.NoReadme = err2 != nil, err3 != nil, err4 != nil
	return d, cmp.Or(err1, err2, err3, err4) == nil
}

func newDetails(v *catalog.View, i *catalog.Item, r record.Record, data ServerData) *details {
	d := &details{Charts: charts(data.Days), Days: len(data.Days),
		Published: r.PackagesWith(data.Published.Packages),
		Releases:  r.ReleasesWithPages(data.Published.Releases),
		NextVisit: data.Published.NextVisit,
		Origin:    r.OriginWith(data.Published.Packages),
		Origins:   r.OriginsWith(data.Published.Packages), Revisions: record.ToolRevisions(data.ToolLists)}
	for _, other := range v.Alike(i, similarRows) {
		d.Similar = append(d.Similar, record.Row(other))
	}
	if data.Readme != nil {
		d.Readme = readme.Render(*data.Readme,
			readme.Repository{RepoRef: r.Repo.Ref(), Commit: r.Repo.Commit, Pictures: data.pictures})
	}
	return d
}

// charts draws figures by day. Figures of less than two days have no chart.
func charts(days []registry.DayStats) (drawn []template.HTML) {
	zero, hundred := 0.0, 100.0
	all := []chart.Line{
		{ID: "chart-score", Title: "Health", Text: "score at the end of each day", Min: &zero,
			Max: &hundred},
		{ID: "chart-stars", Title: "Stars", Text: "on the code host"},
		{ID: "chart-downloads", Title: "Downloads",
			Text: "in the 30 days before, from package registries"},
	}
	for _, d := range days {
		for n, value := range []*int64{wide(d.Score), wide(d.Stars), d.Downloads} {
			if value != nil {
				all[n].Points = append(all[n].Points,
					chart.Point{At: d.Date, Value: float64(*value)})
			}
		}
	}
	for _, c := range all {
		if len(c.Points) > 1 {
			drawn = append(drawn, c.SVG())
		}
	}
	return drawn
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}
