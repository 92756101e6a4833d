package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

// Figures loads the figures of pages, also of many servers at once, as postgres.DB does.
type Figures interface {
	pages.Figures
	Histories(ctx context.Context, slugs []string, from,
		to time.Time) (map[string][]registry.DayStats, error)
	Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error)
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
	figures *loadedFigures
	avatars avatars
}

// Load loads what all pages show.
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
	if d.News, err = loadNews(ctx, news, v, d.Time); err != nil {
		return nil, err
	}
	d.figures, err = loadTrends(ctx, figures, d.Time)
	d.Figures = d.figures
	return d, err
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
	if len(slugs) == 0 {
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

// recordFiles writes the record and the health report of a server as JSON.
func (e *exporter) recordFiles(s *registry.Server) error {
	for _, file := range []struct {
		ending string
		encode func(*registry.Server, func(path string) string) ([]byte, error)
	}{{".json", e.DetailFile}, {".health.json", e.HealthFile}} {
		name := "servers/" + s.Slug + file.ending
		body, err := file.encode(s, e.linkFrom(name))
		if err != nil {
			return err
		}
		if err := e.folder.Put(name, append(body, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// jsonList writes a page of the directory as JSON, counted from 0.
func (e *exporter) jsonList(page int) error {
	l := e.View.List("", catalog.ByQuality, -1)
	from := page * jsonPage
	to := min(from+jsonPage, l.Total())
	servers := make([]*registry.Server, 0, jsonPage)
	for n := from; n < to; n++ {
		servers = append(servers, l.At(n).Summary())
	}
	next := ""
	if to < l.Total() {
		next = fmt.Sprintf("%d.json", page+2)
	}
	name := fmt.Sprintf("api/servers/%d.json", page+1)
	body, err := e.ServersFile(servers, from, jsonPage, l.Total(), next, e.linkFrom(name))
	if err != nil {
		return err
	}
	return e.folder.Put(name, append(body, '\n'))
}

// Avatars returns the stored avatars of owners.
type Avatars interface {
	feeds.Avatars
	AvatarOwners(ctx context.Context) ([]registry.OwnerAvatar, error)
}

type avatars struct {
	source Avatars
	owners map[string]registry.OwnerAvatar // by path
	stored map[string]bool                 // paths; other owners are shown by their first letter
}

func loadAvatars(ctx context.Context, source Avatars, v *catalog.View) (avatars, error) {
	a := avatars{source: source, owners: map[string]registry.OwnerAvatar{}, stored: map[string]bool{}}
	for s := range v.Servers() {
		if path := s.Repo.AvatarPath(); path != "" {
			a.owners[path] = registry.OwnerAvatar{
				Host: cmp.Or(s.Repo.Host, registry.Hosts[0].ID), Owner: strings.ToLower(s.Repo.Owner)}
		}
	}
	owners, err := source.AvatarOwners(ctx)
	if err != nil {
		return a, unavailable(err)
	}
	for _, o := range owners {
		repo := registry.Repository{Host: o.Host, Owner: o.Owner}
		if path := repo.AvatarPath(); a.owners[path].Owner != "" {
			a.stored[path] = true
		}
	}
	return a, nil
}

// file is the file of an avatar: a PNG, or the first letter as SVG.
func (a avatars) file(path string) string {
	name := site.FileOf(path)
	if a.stored[path] {
		return name
	}
	return strings.TrimSuffix(name, ".png") + ".svg"
}

func (e *exporter) avatar(ctx context.Context, path string) error {
	name, owner := e.avatars.file(path), e.avatars.owners[path]
	if e.folder.Done(name) {
		return nil
	}
	body := feeds.Letter(owner.Owner)
	if e.avatars.stored[path] {
		var err error
		body, err = e.avatars.source.Avatar(ctx, owner.Host, owner.Owner)
		if errors.Is(err, registry.ErrNotFound) {
			return registry.Wrap(registry.ErrUnavailable, err, "the avatar of "+owner.Owner+" was removed")
		}
		if err != nil {
			return unavailable(err)
		}
	}
	return e.folder.Put(name, body)
}
