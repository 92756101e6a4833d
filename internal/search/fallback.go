package search

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Fallback finds what texts match in an index, and by going through all servers
// of the catalog while the index is unavailable or was never filled.
type Fallback struct {
	Index   Index
	Servers func() iter.Seq[*registry.Server] // the catalog as it is now, best first
	Log     *slog.Logger

	// Timeout is how long the index may take for one search; 0 means two
	// seconds.
	Timeout time.Duration
	// Retry is how long after a failure the index is asked again; 0 means
	// five seconds. Until then no search waits for it.
	Retry time.Duration
	// Degraded is called for every search that failed on the index. It
	// may be nil.
	Degraded func()

	mu      sync.Mutex
	since   time.Time // of the failure; zero while the index is available
	why     error
	probing bool
	scans   *semaphore.Weighted // created by the first scan
}

const (
	maxScans    = 4                // at once; others wait
	scanTimeout = 10 * time.Second // of a scan, waiting included
)

// State returns since when the index has been unavailable, and why; the zero time
// and nil while it is available.
func (f *Fallback) State() (since time.Time, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.since, f.why
}

// Watch probes the index at once and after each Retry, so
// that State is right without searches. It returns the error of ctx when ctx
// is done.
func (f *Fallback) Watch(ctx context.Context) error {
	tick := time.NewTicker(orElse(f.Retry, 5*time.Second))
	defer tick.Stop()
	for {
		if since, _ := f.State(); since.IsZero() {
			if err := f.ask(ctx); err != nil && ctx.Err() == nil {
				f.failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// ask returns nil if the index is available.
func (f *Fallback) ask(ctx context.Context) error {
	_, err := f.indexed(ctx, "probe")
	return err
}

func (f *Fallback) indexed(ctx context.Context, text string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, orElse(f.Timeout, 2*time.Second))
	defer cancel()
	return f.Index.Match(ctx, text)
}

// Match returns what a text matches in the index, or in a scan with Degraded set.
// It fails when ctx ends, and with registry.ErrUnavailable if the scan takes
// longer than ten seconds.
func (f *Fallback) Match(ctx context.Context, text string) (query.Matches, error) {
	if since, _ := f.State(); since.IsZero() {
		slugs, err := f.indexed(ctx, text)
		if err == nil || ctx.Err() != nil {
			return query.Matches{Slugs: slugs}, err
		}
		f.failed(err)
	}
	if f.Degraded != nil {
		f.Degraded()
	}
	slugs, err := f.scan(ctx, text)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &registry.Error{
			Kind: registry.ErrUnavailable, Msg: "search is slow at the moment; try again in a few seconds", RetryAfter: 5 * time.Second,
		}
	}
	return query.Matches{Slugs: slugs, Degraded: true}, err
}

func (f *Fallback) scan(ctx context.Context, text string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTimeout)
	defer cancel()
	f.mu.Lock()
	if f.scans == nil {
		f.scans = semaphore.NewWeighted(maxScans)
	}
	scans := f.scans
	f.mu.Unlock()
	if err := scans.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer scans.Release(1)
	return scan(ctx, f.Servers(), text)
}

func orElse(d, other time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return other
}

// failed records a failure and starts to probe the index.
func (f *Fallback) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.why = err
	if f.since.IsZero() {
		f.since = time.Now()
		if errors.Is(err, ErrNotBuilt) {
			f.Log.Info("search: the index is not built yet; until then, searches go through all servers")
		} else {
			f.Log.Error("search: index unavailable; searches scan all servers", "err", err)
		}
	}
	if !f.probing {
		f.probing = true
		go f.probe()
	}
}

// probe polls the index until it is available.
func (f *Fallback) probe() {
	for {
		pause := orElse(f.Retry, 5*time.Second)
		if _, why := f.State(); errors.Is(why, ErrNotBuilt) {
			pause = min(pause, 2*time.Second)
		}
		time.Sleep(pause)
		err := f.ask(context.Background())
		f.mu.Lock()
		f.why = err
		if err == nil {
			f.Log.Info("search: index available again", "after", time.Since(f.since).Round(time.Millisecond))
			f.since, f.probing = time.Time{}, false
		}
		f.mu.Unlock()
		if err == nil {
			return
		}
	}
}
