package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Fallback matches texts in an index, and in a scan of the catalog while the index is
// unavailable or was never filled.
type Fallback struct {
	Index   Index
	Servers func() iter.Seq[*registry.Server] // the current catalog, best first
	Log     *slog.Logger

	// Timeout is the timeout of one search of the index; 0 means two seconds.
	Timeout time.Duration
	// Retry is the time between probes by [Fallback.Watch]; 0 means five seconds.
	// After a failure no search waits for the index until a probe has succeeded.
	Retry time.Duration
	// Degraded is called for every search that failed on the index. It
	// may be nil.
	Degraded func()

	mu    sync.Mutex
	since time.Time // of the failure; zero while the index is available
	why   error
}

// State returns when and why the index became unavailable; the zero time and nil while it is
// available.
func (f *Fallback) State() (since time.Time, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.since, f.why
}

// Watch probes the index immediately and then every Retry, whether or not it is available.
// It returns the error of ctx when ctx is done.
func (f *Fallback) Watch(ctx context.Context) error {
	for {
		pause := cmp.Or(f.Retry, 5*time.Second)
		_, err := f.indexed(ctx, "probe")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			f.available()
		default:
			f.failed(err)
			if errors.Is(err, ErrNotBuilt) {
				pause = min(pause, 2*time.Second)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (f *Fallback) indexed(ctx context.Context, text string) (query.Matches, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, 2*time.Second))
	defer cancel()
	return f.Index.Match(ctx, text)
}

// Match returns the matches of a text in the index, or in a scan with Degraded set. It fails
// when ctx ends, and with registry.ErrUnavailable if the scan takes longer than ten seconds.
func (f *Fallback) Match(ctx context.Context, text string) (query.Matches, error) {
	if since, _ := f.State(); since.IsZero() {
		m, err := f.indexed(ctx, text)
		if err == nil || ctx.Err() != nil {
			return m, err
		}
		f.failed(err)
	}
	if f.Degraded != nil {
		f.Degraded()
	}
	m, err := f.scan(ctx, text)
	m.Degraded = true
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &registry.Error{
			Kind: registry.ErrUnavailable, Msg: "search is slow at the moment; try again in a few seconds", RetryAfter: 5 * time.Second,
		}
	}
	return m, err
}

func (f *Fallback) scan(ctx context.Context, text string) (m query.Matches, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return scan(ctx, f.Servers(), text)
}

// failed records that the index is unavailable.
func (f *Fallback) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.why = err
	if !f.since.IsZero() {
		return
	}
	f.since = time.Now()
	if errors.Is(err, ErrNotBuilt) {
		f.Log.Info("search: the index is not built yet; searches scan all servers until it is")
	} else {
		f.Log.Error("search: index unavailable; searches scan all servers", "err", err)
	}
}

// available records that the index is available.
func (f *Fallback) available() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.since.IsZero() {
		f.Log.Info("search: index available again", "after", time.Since(f.since).Round(time.Millisecond))
	}
	f.since, f.why = time.Time{}, nil
}
