package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
		d.figures = &loadedFigures{source: figures, to: d.Time}
		if err := d.figures.loadTrends(ctx); err != nil {
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

// loadedFigures are figures that were loaded before the pages that show them: a
// page must not be written without them because the database did not respond.
// It is safe for concurrent use.
type loadedFigures struct {
	source Figures
	to     time.Time
	rises  []registry.ScoreRise
	growth []registry.DayGrowth

	servers sync.Map // of serverFigures by slug
}

type serverFigures struct {
	days      []registry.DayStats
	readme    *registry.Readme
	published registry.Published
	tools     []registry.ToolList
}

// loadTrends loads the figures that are not about a single server.
func (f *loadedFigures) loadTrends(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		f.rises, err = f.source.ScoreRises(ctx, pages.ScoreRisesSince(f.to), pages.MaxScoreRises)
		return err
	})
	group.Go(func() (err error) {
		f.growth, err = f.source.Growth(ctx, f.to.Add(-pages.GrowthAge))
		return err
	})
	return unavailable(group.Wait())
}

// unavailable is the error of the database.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err, "the database does not respond")
}

// load loads the figures of servers; forget drops them.
func (f *loadedFigures) load(ctx context.Context, slugs []string) error {
	days, err1 := f.source.Histories(ctx, slugs, f.to.Add(-pages.HistoryAge), f.to)
	readmes, err2 := f.source.Readmes(ctx, slugs)
	published, err3 := f.source.Published(ctx, slugs)
	lists, err4 := f.source.ToolHistories(ctx, slugs, record.MaxToolLists)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return unavailable(err)
	}
	for _, slug := range slugs {
		s := serverFigures{days: days[slug], published: published[slug], tools: lists[slug]}
		if text, ok := readmes[slug]; ok {
			s.readme = &text
		}
		f.servers.Store(slug, s)
	}
	return nil
}

func (f *loadedFigures) forget(slugs []string) {
	for _, slug := range slugs {
		f.servers.Delete(slug)
	}
}

func (f *loadedFigures) of(slug string) serverFigures {
	s, _ := f.servers.Load(slug)
	figures, _ := s.(serverFigures)
	return figures
}

// History implements [pages.Figures].
func (f *loadedFigures) History(
	_ context.Context, slug string, _, _ time.Time,
) ([]registry.DayStats, error) {
	return f.of(slug).days, nil
}

// Readme implements [pages.Figures].
func (f *loadedFigures) Readme(_ context.Context, slug string) (registry.Readme, error) {
	if r := f.of(slug).readme; r != nil {
		return *r, nil
	}
	return registry.Readme{}, registry.Errorf(registry.ErrNotFound, "no README is stored")
}

// Published implements [pages.Figures].
func (f *loadedFigures) Published(
	_ context.Context, slugs []string,
) (map[string]registry.Published, error) {
	all := map[string]registry.Published{}
	for _, slug := range slugs {
		all[slug] = f.of(slug).published
	}
	return all, nil
}

// ToolLists implements [pages.Figures].
func (f *loadedFigures) ToolLists(
	_ context.Context, slug string, _ int,
) ([]registry.ToolList, error) {
	return f.of(slug).tools, nil
}

// ScoreRises implements [pages.Figures].
func (f *loadedFigures) ScoreRises(context.Context, time.Time, int) ([]registry.ScoreRise, error) {
	return f.rises, nil
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
