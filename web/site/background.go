package site

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"mcpcensus/internal/catalog"
)

const (
	backgroundTTL     = 20 * time.Minute
	backgroundRetry   = time.Minute // after a failure
	backgroundWait    = 400 * time.Millisecond
	backgroundTimeout = 2 * time.Minute
)

// A Background is a value that is loaded in the background and refreshed when
// it is old. The zero value is ready for use.
type Background[T any] struct {
	group  singleflight.Group
	mu     sync.Mutex
	tried  time.Time
	loaded bool
	value  T
}

// Get returns the last loaded value; ok is false without one. If the value is old, Get starts
// load and briefly waits for it.
func (b *Background[T]) Get(
	now time.Time, load func(context.Context) (T, error),
) (value T, ok bool) {
	b.mu.Lock()
	due := now.Sub(b.tried) >= backgroundTTL
	if due {
		b.tried = now
	}
	b.mu.Unlock()
	if due {
		done := b.group.DoChan("", func() (any, error) {
			ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
			defer cancel()
			value, err := load(ctx)
			b.mu.Lock()
			defer b.mu.Unlock()
			if err != nil {
				b.tried = now.Add(backgroundRetry - backgroundTTL)
			} else {
				b.value, b.loaded = value, true
			}
			return nil, nil
		})
		select {
		case <-done:
		case <-time.After(backgroundWait):
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.value, b.loaded
}

// Load returns the value after loading it, unless it was loaded before.
func (b *Background[T]) Load(ctx context.Context, load func(context.Context) (T, error)) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.loaded {
		if value, err := load(ctx); err == nil {
			b.value, b.loaded = value, true
		}
	}
	return b.value, b.loaded
}

// Loaded returns a value that is loaded in the background. An export waits for it, because
// exported files must not depend on timing.
func Loaded[T any](s *Site, b *Background[T], load func(context.Context) (T, error)) T {
	if s.Static {
		v, _ := b.Load(context.Background(), load)
		return v
	}
	v, _ := b.Get(s.Now(), load)
	return v
}

// Names are the numbers of servers by tag (in lower case) and by language.
type Names struct{ Tags, Languages map[string]int }

// Names returns the names of a version of the data, or of one up to 20 minutes
// older. Counting takes seconds for a large registry, so it runs in the background; Names
// returns nil during the first count.
func (s *Site) Names(v *catalog.View) *Names {
	return Loaded(s, &s.names, func(context.Context) (*Names, error) { return countNames(v), nil })
}

// AwaitNames is [Site.Names] that waits for the first count, until ctx ends.
func (s *Site) AwaitNames(ctx context.Context, v *catalog.View) *Names {
	names := s.Names(v)
	for ; names == nil && ctx.Err() == nil; names = s.Names(v) {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	return names
}

func countNames(v *catalog.View) *Names {
	n := &Names{map[string]int{}, map[string]int{}}
	l := v.List("", catalog.ByQuality, -1)
	for k := range l.Total() {
		x := l.At(k).Summary()
		if x.Language != "" {
			n.Languages[x.Language]++
		}
		for _, t := range Tags(x.Tags) {
			n.Tags[t]++
		}
	}
	return n
}

// Tags returns tags in lower case, each once.
func Tags(tags []string) []string {
	var all []string
	for _, t := range tags {
		if t = strings.ToLower(t); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}
