package search

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Fallback answers searches from an index, and by going through all servers
// of the read model while the index does not answer or was never filled.
type Fallback struct {
	Index   Index
	Servers func() iter.Seq[Entry] // the read model as it is now
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
	table   *table        // what scans go through, nil while there are none
}

// maxScans is how many scans run at once: each takes all processors.
const maxScans = 4

// scanMost is how long a scan may take. A tenth of a second is usual; the first
// one of an outage reads all servers, which takes longer.
const scanMost = 10 * time.Second

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

// Watch asks the index at once and every few seconds whether it answers, until
// ctx is done, whose error it returns: so that State is right without a search.
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

// ask returns nil if the index answers.
func (f *Fallback) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, orElse(f.Timeout, 2*time.Second))
	defer cancel()
	_, err := f.Index.Search(ctx, query.Query{Text: "mcp", Limit: 1})
	return err
}

// Search answers from the index, or from a scan with Results.Degraded set. It
// fails for queries that no index answers, when ctx ends, and with
// registry.ErrUnavailable if too many scans run already or one takes longer
// than ten seconds.
func (f *Fallback) Search(ctx context.Context, q query.Query) (query.Results, error) {
	if err := check(&q); err != nil {
		return query.Results{}, err
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
		return query.Results{}, err
	}
	defer release()
	timeout, cancel := context.WithTimeout(ctx, scanMost)
	defer cancel()
	res, err := f.scan().search(timeout, q)
	if err != nil && ctx.Err() == nil && timeout.Err() != nil {
		return query.Results{}, slow()
	}
	res.Degraded = true
	return res, err
}

// scan returns what a scan goes through. It is kept until the index answers
// again.
func (f *Fallback) scan() *table {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.table
	if t == nil {
		t = &table{entries: f.Servers}
		if !f.since.IsZero() {
			f.table = t
		}
	}
	return t
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
		if errors.Is(err, ErrNotBuilt) {
			f.Log.Info("search: the index is not built yet; until then, searches go through all servers")
		} else {
			f.Log.Error("search: the index does not answer; searches go through all servers", "err", err)
		}
	}
	if !f.probing {
		f.probing = true
		go f.probe()
	}
}

func (f *Fallback) probe() {
	for {
		pause := orElse(f.Retry, 5*time.Second)
		if _, why := f.State(); errors.Is(why, ErrNotBuilt) {
			pause = min(pause, 2*time.Second) // nobody is hurt by being asked
		}
		time.Sleep(pause)
		err := f.ask(context.Background())
		f.mu.Lock()
		if err == nil {
			f.Log.Info("search: the index answers", "after", time.Since(f.since).Round(time.Millisecond))
			f.since, f.why, f.probing, f.table = time.Time{}, nil, false, nil
			f.mu.Unlock()
			return
		}
		f.why = err
		f.mu.Unlock()
		// So that a search need not wait for it.
		_ = f.scan().current(context.Background())
	}
}
