package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/record"
)

// Figures loads the figures of pages, also of many servers at once.
type Figures interface {
	pages.Figures
	// Histories and Readmes return the known values of servers, by slug.
	Histories(ctx context.Context, slugs []string, from,
		to time.Time) (map[string][]registry.DayStats, error)
	Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error)
	// ToolHistories returns the lists of tools of those servers that have had
	// several, newest first, by slug.
	ToolHistories(ctx context.Context, slugs []string,
		limit int) (map[string][]registry.ToolList, error)
}

// Data is the input of an export. It does not change while pages are written,
// so the same data gives the same files.
type Data struct {
	View    *catalog.View
	Time    time.Time // of the newest data
	Figures pages.Figures
	News    feeds.News
	Among   func([]query.Filter) []string // see [pages.Options]
	ByOwner map[string][]*catalog.Item

	search  *search
	figures *loadedFigures // nil: none
	avatars avatars
}

// Load loads what all pages show. Figures, news and pictures may be nil.
func Load(
	ctx context.Context, v *catalog.View, figures Figures, news feeds.News, pictures Avatars,
	now time.Time,
) (*Data, error) {
	s := newSearch(v)
	d := &Data{View: v, Time: dataTime(v, now), Among: s.among, ByOwner: s.owners, search: s}
	var err error
	if d.avatars, err = loadAvatars(ctx, pictures, v); err != nil {
		return nil, err
	}
	if news != nil {
		loaded, err := loadNews(ctx, news, v, d.Time)
		if err != nil {
			return nil, err
		}
		d.News = loaded
	}
	if figures != nil {
		if d.figures, err = loadTrends(ctx, figures, d.Time); err != nil {
			return nil, err
		}
		d.Figures = d.figures
	}
	return d, nil
}

// dataTime is when the newest data were read, now at the latest.
func dataTime(v *catalog.View, now time.Time) time.Time {
	var newest time.Time
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		for _, t := range []time.Time{l.At(n).CrawledAt(), l.At(n).UpdatedAt()} {
			if t.After(newest) {
				newest = t
			}
		}
	}
	if newest.IsZero() || newest.After(now) {
		newest = now
	}
	return newest.UTC().Truncate(time.Second)
}

// loadedFigures are figures whose growth was loaded before the pages that show it.
type loadedFigures struct {
	Figures
	growth []registry.DayGrowth
}

// loadTrends loads the growth up to a time.
func loadTrends(ctx context.Context, source Figures, to time.Time) (*loadedFigures, error) {
	f := &loadedFigures{Figures: source}
	var err error
	f.growth, err = source.Growth(ctx, to.Add(-pages.GrowthAge))
	return f, unavailable(err)
}

// unavailable is the error of the database.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err, "the database does not respond")
}

// load returns the data of the pages of servers by slug. A page is not written without
// data because the database did not respond.
func (d *Data) load(ctx context.Context, slugs []string) (map[string]pages.ServerData, error) {
	if d.figures == nil || len(slugs) == 0 {
		return nil, nil
	}
	days, err1 := d.figures.Histories(ctx, slugs, d.Time.Add(-pages.HistoryAge), d.Time)
	readmes, err2 := d.figures.Readmes(ctx, slugs)
	published, err3 := d.figures.Published(ctx, slugs)
	lists, err4 := d.figures.ToolHistories(ctx, slugs, record.MaxToolLists)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, unavailable(err)
	}
	all := map[string]pages.ServerData{}
	for _, slug := range slugs {
		s := pages.ServerData{Days: days[slug], Published: published[slug], ToolLists: lists[slug]}
		if text, ok := readmes[slug]; ok {
			s.Readme = &text
		}
		all[slug] = s
	}
	return all, nil
}

// Growth implements [pages.Figures].
func (f *loadedFigures) Growth(context.Context, time.Time) ([]registry.DayGrowth, error) {
	return f.growth, nil
}

// loadedNews are the news by slug.
type loadedNews map[string][]registry.News

// loadNews loads the news of all servers at once, since there is a feed for each
// of many owners.
func loadNews(
	ctx context.Context, source feeds.News, v *catalog.View, now time.Time,
) (loadedNews, error) {
	all, err := source.News(ctx, nil, now.Add(-feeds.NewsAge), now, 4*v.Len()+1000)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, registry.Wrap(registry.ErrUnavailable, err,
			"cannot read news from the database")
	}
	news := loadedNews{}
	for _, n := range all {
		news[n.Slug] = append(news[n.Slug], n)
	}
	return news, nil
}

// News implements [feeds.News].
func (l loadedNews) News(
	_ context.Context, slugs []string, _, _ time.Time, limit int,
) ([]registry.News, error) {
	if slugs == nil {
		slugs = slices.Sorted(maps.Keys(l))
	}
	var all []registry.News
	for _, s := range slugs {
		all = append(all, l[s]...)
	}
	slices.SortStableFunc(all, func(a, b registry.News) int { return b.At.Compare(a.At) })
	return all[:min(len(all), 2*limit)], nil
}
