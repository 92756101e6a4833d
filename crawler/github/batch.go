package github

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errDown ends a visit after many consecutive queries without a response.
var errDown = errors.New("GitHub does not respond")

const (
	// maxFailures is the number of consecutive failures after which GitHub is considered
	// down. Isolating one failing item in a batch of 200 takes ten.
	maxFailures = 14
	// maxRefusedQueries is the number of consecutive refused queries after which a
	// visit sends no more.
	maxRefusedQueries = 3
	// maxTries is the number of requests for a single item.
	maxTries = 3
)

// A batchSize is the current size of the batches of one kind of query. It halves when they fail
// and grows after 20 successes.
type batchSize struct {
	top int

	mu        sync.Mutex // checks on demand run concurrently
	size      int
	successes int // consecutive, of full batches
}

func newBatchSize(top int) *batchSize { return &batchSize{size: top, top: top} }

func (s *batchSize) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

func (s *batchSize) passed(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.size {
		return // the success of a small batch does not apply to larger ones
	}
	if s.successes++; s.successes >= 20 {
		s.successes = 0
		s.size = min(s.top, s.size+max(1, s.top/20))
	}
}

func (s *batchSize) failed(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = max(1, min(s.size, n/2))
	s.successes = 0
}

// A batch contains items that are requested together.
type batch[T any] struct {
	items []T
	tries int // of a single item
}

// batches are the items that remain to be requested.
type batches[T any] struct {
	g     *Client
	size  *batchSize
	items []T
	retry []batch[T] // before items

	failures, refusals int // consecutive
}

func (q *batches[T]) next() batch[T] {
	if len(q.retry) > 0 {
		b := q.retry[0]
		q.retry = q.retry[1:]
		return b
	}
	n := min(len(q.items), q.size.now())
	b := batch[T]{items: q.items[:n:n]}
	q.items = q.items[n:]
	return b
}

// inBatches requests all items in batches. request returns the items without a reliable response.
// A failed batch is retried in halves; an item that fails maxTries times on its own is passed to
// alone. Errors of inBatches end the visit; the remaining items are not requested.
func inBatches[T any](
	ctx context.Context, g *Client, size *batchSize, items []T, request func([]T) ([]T, error),
	alone func(T, error),
) error {
	q := &batches[T]{g: g, size: size, items: items}
	for len(q.items) > 0 || len(q.retry) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := q.next()
		left, err := request(b.items)
		if err == nil && len(left) < len(b.items) {
			q.succeeded(b, left)
			continue
		}
		if err == nil {
			err = &overload{why: "the query needs too many resources"}
		}
		if err := q.failed(ctx, b, err, alone); err != nil {
			return err
		}
	}
	return nil
}

// succeeded records the response to a batch. The items in left lack a reliable response and are
// retried in a smaller batch.
func (q *batches[T]) succeeded(b batch[T], left []T) {
	q.failures, q.refusals = 0, 0
	if len(left) == 0 {
		q.size.passed(len(b.items))
		return
	}
	q.size.failed(len(b.items))
	q.retry = append(q.retry, batch[T]{items: left, tries: b.tries})
}

// failed schedules the retry of a failed batch. It returns an error if that ends the visit.
func (q *batches[T]) failed(
	ctx context.Context, b batch[T], err error, alone func(T, error),
) error {
	over, ok := errors.AsType[*overload](err)
	if !ok {
		if stops(err) || ctx.Err() != nil {
			return err
		}
		for _, item := range b.items {
			alone(item, err)
		}
		if q.refusals++; q.refusals >= maxRefusedQueries {
			return fmt.Errorf("%w to queries: %w", errDown, err)
		}
		return nil
	}
	if q.failures++; q.failures >= maxFailures {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	if !over.silent {
		q.size.failed(len(b.items))
	}
	switch {
	case len(b.items) > 1:
		half := len(b.items) / 2
		halves := []batch[T]{{items: b.items[:half:half]}, {items: b.items[half:]}}
		q.retry = append(halves, q.retry...)
	case b.tries+1 >= maxTries:
		alone(b.items[0], err)
		return nil
	default:
		b.tries++
		q.retry = append(q.retry, b)
	}
	return q.g.opt.Sleep(ctx, min(2*time.Second, time.Duration(q.failures)*100*time.Millisecond))
}
