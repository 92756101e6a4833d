package web

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"html/template"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/readme"
)

// Figures are what the pages show besides the read model.
type Figures interface {
	// History returns the figures of a server's days, oldest first.
	History(ctx context.Context, slug string, from, to time.Time) ([]registry.DayStats, error)
	// Readme returns the README of a server; the error is of kind ErrNotFound
	// if there is none.
	Readme(ctx context.Context, slug string) (registry.Readme, error)
	// Climbs returns servers whose score rose since a day, most risen first.
	Climbs(ctx context.Context, since time.Time, limit int) ([]registry.Climb, error)
	// Published returns what is known of the versions of servers, by slug.
	Published(ctx context.Context, slugs []string) (map[string]registry.Published, error)
	// Growth returns how the registry stood on some days.
	Growth(ctx context.Context, since time.Time) ([]registry.DayGrowth, error)
}

// extras are what a server's page shows that is not in the read model: they
// are made once for a version of the server and kept for a while.
type extras struct {
	Charts    []template.HTML
	Days      int // with figures
	Readme    *readme.Readme
	Similar   []row
	Published []published
	Releases  []shownRelease
	// What could not be had, because the database did not answer.
	NoHistory, NoReadme bool
}

const (
	extrasFor  = 15 * time.Minute // after that they are made again
	extrasMost = 32 << 20         // bytes of READMEs and charts that are kept, about
	extrasWait = 1500 * time.Millisecond

	extrasAgain = 10 * time.Second // for what could not be had
	historyFor  = 365 * 24 * time.Hour
)

// A keep holds extras by server and version; the least used go first.
type keep struct {
	mu    sync.Mutex
	by    map[string]*list.Element
	order list.List // of *keptExtras, used last in front
	size  int
	one   singleflight.Group
}

type keptExtras struct {
	key  string
	at   time.Time
	size int
	x    *extras
}

// extras returns what is known besides the read model, and what can be had
// soon: a page does not wait for a database that is away.
func (s *Site) extras(ctx context.Context, v *catalog.View, i *catalog.Item, r *record) *extras {
	key, now := fmt.Sprintf("%s %d", i.Slug(), i.Seq()), s.Now()
	k := &s.kept
	k.mu.Lock()
	if e, ok := k.by[key]; ok && now.Sub(e.Value.(*keptExtras).at) < extrasFor {
		k.order.MoveToFront(e)
		x := e.Value.(*keptExtras).x
		k.mu.Unlock()
		return x
	}
	k.mu.Unlock()
	got, _, _ := k.one.Do(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), extrasWait)
		defer cancel()
		x, whole := s.makeExtras(ctx, v, i, r)
		at := now
		if !whole {
			at = now.Add(extrasAgain - extrasFor)
		}
		k.put(key, at, x)
		return x, nil
	})
	return got.(*extras)
}

func (k *keep) put(key string, at time.Time, x *extras) {
	size := 4 << 10
	if x.Readme != nil {
		size += len(x.Readme.First) + len(x.Readme.Rest)
	}
	for _, c := range x.Charts {
		size += len(c)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil {
		k.by = map[string]*list.Element{}
	}
	if old, ok := k.by[key]; ok {
		k.drop(old)
	}
	k.by[key] = k.order.PushFront(&keptExtras{key, at, size, x})
	k.size += size
	for k.size > extrasMost && k.order.Len() > 1 {
		k.drop(k.order.Back())
	}
}

func (k *keep) drop(e *list.Element) {
	old := k.order.Remove(e).(*keptExtras)
	delete(k.by, old.key)
	k.size -= old.size
}

// makeExtras asks for everything; whole is false if something did not answer.
func (s *Site) makeExtras(ctx context.Context, v *catalog.View, i *catalog.Item, r *record) (x *extras, whole bool) {
	x, whole = &extras{}, true
	var versions registry.Published
	if s.Figures != nil {
		of, err := s.Figures.Published(ctx, []string{i.Slug()})
		if err != nil {
			whole = false
		}
		versions = of[i.Slug()]
		now := s.Now()
		days, err := s.Figures.History(ctx, i.Slug(), now.Add(-historyFor), now)
		if err != nil {
			whole, x.NoHistory = false, true
		}
		x.Charts, x.Days = chartsOf(days), len(days)
		text, err := s.Figures.Readme(ctx, i.Slug())
		switch {
		case err == nil:
			x.Readme = readme.Render(text, readme.Repository{URL: r.Repository.URL, Commit: r.Repository.Commit})
		case !errors.Is(err, registry.ErrNotFound):
			whole, x.NoReadme = false, true
		}
	}
	x.Published, x.Releases = packagesOf(r.Packages, versions.Packages), releasesOf(r.Repository, versions.Releases)
	var err error
	if x.Similar, err = similar(v, i); err != nil {
		whole = false
	}
	return x, whole
}

// chartsOf draws the figures of days. What was never measured has no chart.
func chartsOf(days []registry.DayStats) (drawn []template.HTML) {
	zero, hundred := 0.0, 100.0
	all := []chart{
		{ID: "chart-score", Title: "Health", Text: "score at the end of each day", Min: &zero, Max: &hundred},
		{ID: "chart-stars", Title: "Stars", Text: "on the code host"},
		{ID: "chart-downloads", Title: "Downloads", Text: "of the 30 days before"},
	}
	for _, d := range days {
		for n, value := range []*int64{wide(d.Score), wide(d.Stars), d.Downloads} {
			if value != nil {
				all[n].Points = append(all[n].Points, point{d.Date, float64(*value)})
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
	w := int64(*n)
	return &w
}

// similarRows is how many similar servers a page shows.
const similarRows = 4

// similar returns servers that are about the same thing.
func similar(v *catalog.View, i *catalog.Item) (rows []row, err error) {
	for _, other := range v.Alike(i, similarRows) {
		r, err := rowOf(other)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}
