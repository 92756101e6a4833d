package upstream

import (
	"context"
	"sync"
	"time"
)

// A pacer keeps requests apart. Its zero value is ready to use.
type pacer struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns when the caller's turn has come, which is at least gap after
// the turn before it. A caller that gives up keeps its turn.
func (p *pacer) wait(ctx context.Context, gap time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if gap <= 0 {
		return nil
	}
	p.mu.Lock()
	now := time.Now()
	turn := p.next
	if turn.Before(now) {
		turn = now
	}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(turn) {
		p.mu.Unlock()
		return context.DeadlineExceeded
	}
	p.next = turn.Add(gap)
	p.mu.Unlock()
	return sleep(ctx, time.Until(turn))
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
