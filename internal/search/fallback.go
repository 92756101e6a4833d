package search

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// Fallback answers searches from an index, and by going through all servers
// while the index does not answer.
type Fallback struct {
	Index   Index
	Servers func() iter.Seq[*registry.Server] // the read model
	Log     *slog.Logger

	// Timeout is how long the index may take for one search; 0 means two
	// seconds.
	Timeout time.Duration
	// Retry is how long after a failure the index is asked again; 0 means
	// five seconds. Until then no search waits for it.
	Retry time.Duration
	// Degraded is called for every search that the index did not answer. It
	// may be nil.
	Degraded func()

	mu      sync.Mutex
	since   time.Time // of the failure, zero while all is well
	why     error
	probing bool
	scans   chan struct{} // bounds the scans that run at once
}

// maxScans is how many scans run at once: each takes a processor for up to a
// second.
const maxScans = 4

const (
	// scanMost is how long a scan may take.
	scanMost = 10 * time.Second
	// scanReading is how long after its beginning a scan still looks for what
	// a misspelt or long text may mean: each such look goes through all
	// servers once more.
	scanReading = time.Second
)

func slow() error {
	return &registry.Error{Kind: registry.ErrUnavailable, Msg: "search is slow at the moment; try again in a few seconds", RetryAfter: 5 * time.Second}
}

// State returns since when the index has not answered, and why; the zero time
// and nil while it does. For /readyz: searches work in either case.
func (f *Fallback) State() (since time.Time, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.since, f.why
}

// Search answers from the index, or from a scan with Results.Degraded set. It
// fails for queries that no index answers, when ctx ends, and with
// registry.ErrUnavailable if too many scans run already or one takes longer
// than ten seconds.
func (f *Fallback) Search(ctx context.Context, q registry.Query) (registry.Results, error) {
	if err := check(&q); err != nil {
		return registry.Results{}, err
	}
	if since, _ := f.State(); since.IsZero() {
		timeout, cancel := context.WithTimeout(ctx, orElse(f.Timeout, 2*time.Second))
		res, err := f.Index.Search(timeout, q)
		cancel()
		if err == nil || errors.Is(err, registry.ErrInvalid) || ctx.Err() != nil {
			return res, err
		}
		f.failed(err)
	}
	if f.Degraded != nil {
		f.Degraded()
	}
	release, err := f.slot(ctx)
	if err != nil {
		return registry.Results{}, err
	}
	defer release()
	timeout, cancel := context.WithTimeout(ctx, scanMost)
	defer cancel()
	res, err := scanUntil(timeout, f.Servers(), q, time.Now().Add(scanReading))
	if err != nil && ctx.Err() == nil && timeout.Err() != nil {
		return registry.Results{}, slow()
	}
	res.Degraded = true
	return res, err
}

func orElse(d, other time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return other
}

func (f *Fallback) slot(ctx context.Context) (release func(), err error) {
	f.mu.Lock()
	if f.scans == nil {
		f.scans = make(chan struct{}, maxScans)
	}
	scans := f.scans
	f.mu.Unlock()
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	select {
	case scans <- struct{}{}:
		return func() { <-scans }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, slow()
	}
}

// failed notes a failure and starts asking whether the index is back.
func (f *Fallback) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.why = err
	if f.since.IsZero() {
		f.since = time.Now()
		f.Log.Error("search: the index does not answer; searches go through all servers", "err", err)
	}
	if !f.probing {
		f.probing = true
		go f.probe()
	}
}

func (f *Fallback) probe() {
	for {
		time.Sleep(orElse(f.Retry, 5*time.Second))
		ctx, cancel := context.WithTimeout(context.Background(), orElse(f.Timeout, 2*time.Second))
		_, err := f.Index.Search(ctx, registry.Query{Text: "mcp", Limit: 1})
		cancel()
		f.mu.Lock()
		if err == nil {
			f.Log.Info("search: the index answers again", "after", time.Since(f.since).Round(time.Millisecond))
			f.since, f.why, f.probing = time.Time{}, nil, false
			f.mu.Unlock()
			return
		}
		f.why = err
		f.mu.Unlock()
	}
}
