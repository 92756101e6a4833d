package github

import (
	"sync"
	"time"
)

// A missingBreaker counts known repositories that GitHub says are gone. When
// more than 20, and more than 0.5 % of those asked for, go missing within 24
// hours, it is more likely that GitHub or we are wrong than that they are.
type missingBreaker struct {
	mu      sync.Mutex
	now     func() time.Time
	hours   [24]struct{ asked, missing int }
	current int64 // hours since 1970
}

const (
	breakerMin   = 20
	breakerShare = 200 // one in so many
)

// seen counts one known repository and reports whether a missing one must not
// be believed.
func (b *missingBreaker) seen(missing bool) (tripped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	hour := b.now().Unix() / 3600
	if hour-b.current >= 24 {
		clear(b.hours[:])
		b.current = hour
	}
	for b.current < hour {
		b.current++
		b.hours[b.current%24] = struct{ asked, missing int }{}
	}
	h := &b.hours[hour%24]
	h.asked++
	if missing {
		h.missing++
	}
	asked, gone := 0, 0
	for _, h := range b.hours {
		asked += h.asked
		gone += h.missing
	}
	return missing && gone > breakerMin && gone*breakerShare > asked
}
