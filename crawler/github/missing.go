package github

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	errDoubt = errors.New("GitHub returned contradictory responses about whether this repository exists; " +
		"it is retried later")
	errBreaker = errors.New("breaker: too many repositories missing at once, results ignored; " +
		"they are retried later")
)

// settleMissing handles repositories that do not exist according to GraphQL. If more than 2 % of
// a batch of known ones, and at least five, are missing, each is confirmed by REST. If too many
// known repositories go missing in a day, further misses are ignored. Names from lists are often
// stale, so their misses are accepted.
func (v *visitor) settleMissing(ctx context.Context, missing []*target, of int, known bool) {
	suspicious := known && len(missing) >= 5 && len(missing)*50 > of
	for _, t := range missing {
		if suspicious {
			exists, err := v.g.exists(ctx, t)
			if err != nil && ctx.Err() != nil {
				return
			}
			if err != nil || exists {
				v.failed(t, errDoubt)
				continue
			}
		}
		if known && v.g.missing.seen(true) {
			v.failed(t, errBreaker)
			continue
		}
		v.missed(t, errMissing)
	}
}

// A missingBreaker counts known repositories that GitHub reports as missing. If more than 20, and
// more than 0.5 % of those requested, go missing within 24 hours, an error on GitHub's side or
// ours is more likely.
type missingBreaker struct {
	now func() time.Time

	mu              sync.Mutex
	since           time.Time // start of the 24 hours
	requested, gone int       // since then
}

const (
	breakerMin   = 20
	breakerShare = 200 // one in this many
)

// seen counts one known repository and reports whether a missing one must be ignored.
func (b *missingBreaker) seen(missing bool) (tripped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); now.Sub(b.since) >= 24*time.Hour {
		b.since, b.requested, b.gone = now, 0, 0
	}
	b.requested++
	if missing {
		b.gone++
	}
	return missing && b.gone > breakerMin && b.gone*breakerShare > b.requested
}
