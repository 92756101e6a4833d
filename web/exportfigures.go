package web

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// ManyFigures are Figures that can tell of many servers in one go, each by its
// slug; what is not known of a server is left out.
type ManyFigures interface {
	Histories(ctx context.Context, slugs []string, from, to time.Time) (map[string][]registry.DayStats, error)
	Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error)
}

// knownFigures are Figures that have been asked for before the pages that show
// them are rendered: a page that the database did not answer for must not be
// written without them.
type knownFigures struct {
	from   Figures
	to     time.Time
	climbs []registry.Climb
	growth []registry.DayGrowth

	mu      sync.Mutex
	days    map[string][]registry.DayStats
	readmes map[string]registry.Readme
	of      map[string]registry.Published
}

// ask asks for what must be there before anything is rendered.
func (k *knownFigures) ask(ctx context.Context, now time.Time) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		k.climbs, err = k.from.Climbs(ctx, climbsSince(now), climbsMost)
		return err
	})
	group.Go(func() (err error) {
		k.growth, err = k.from.Growth(ctx, now.Add(-growthFor))
		return err
	})
	return k.failed(group.Wait())
}

func (k *knownFigures) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err, "the database does not answer")
}

// learn asks for what the pages of servers show; forget ends it.
func (k *knownFigures) learn(ctx context.Context, slugs []string) (err error) {
	days, readmes := map[string][]registry.DayStats{}, map[string]registry.Readme{}
	if many, ok := k.from.(ManyFigures); ok {
		if days, err = many.Histories(ctx, slugs, k.to.Add(-historyFor), k.to); err == nil {
			readmes, err = many.Readmes(ctx, slugs)
		}
	} else {
		for _, slug := range slugs {
			if days[slug], err = k.from.History(ctx, slug, k.to.Add(-historyFor), k.to); err != nil {
				break
			}
			var text registry.Readme
			if text, err = k.from.Readme(ctx, slug); err == nil {
				readmes[slug] = text
			} else if !errors.Is(err, registry.ErrNotFound) {
				break
			}
			err = nil
		}
	}
	var of map[string]registry.Published
	if err == nil {
		of, err = k.from.Published(ctx, slugs)
	}
	if err != nil {
		return k.failed(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for slug, p := range of {
		k.of[slug] = p
	}
	for slug, d := range days {
		k.days[slug] = d
	}
	for slug, r := range readmes {
		k.readmes[slug] = r
	}
	return nil
}

func (k *knownFigures) forget(slugs []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, slug := range slugs {
		delete(k.days, slug)
		delete(k.readmes, slug)
		delete(k.of, slug)
	}
}

func (k *knownFigures) History(_ context.Context, slug string, _, _ time.Time) ([]registry.DayStats, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.days[slug], nil
}

func (k *knownFigures) Readme(_ context.Context, slug string) (registry.Readme, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.readmes[slug]
	if !ok {
		return r, registry.Errorf(registry.ErrNotFound, "no README is known")
	}
	return r, nil
}

func (k *knownFigures) Published(_ context.Context, slugs []string) (map[string]registry.Published, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := map[string]registry.Published{}
	for _, slug := range slugs {
		of[slug] = k.of[slug]
	}
	return of, nil
}

func (k *knownFigures) Climbs(context.Context, time.Time, int) ([]registry.Climb, error) {
	return k.climbs, nil
}

func (k *knownFigures) Growth(context.Context, time.Time) ([]registry.DayGrowth, error) {
	return k.growth, nil
}

// knownNews are news that are all in memory.
type knownNews struct {
	all []registry.News
	of  map[string][]registry.News
}

// askForNews asks for the news of all servers in one go, since there will be a
// feed for each of many owners.
func askForNews(ctx context.Context, from News, v *catalog.View, now time.Time) (News, error) {
	all, err := from.News(ctx, nil, now.Add(-scoreNews), now, 4*v.Len()+1000)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, registry.Wrap(registry.ErrUnavailable, err, "the news cannot be read from the database")
	}
	by := knownNews{all, map[string][]registry.News{}}
	for _, n := range all {
		by.of[n.Slug] = append(by.of[n.Slug], n)
	}
	return by, nil
}

func (k knownNews) News(_ context.Context, slugs []string, _, _ time.Time, limit int) ([]registry.News, error) {
	all := k.all
	if slugs != nil {
		all = nil
		for _, s := range slugs {
			all = append(all, k.of[s]...)
		}
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b registry.News) int { return b.At.Compare(a.At) })
	return all[:min(len(all), 2*limit)], nil
}
