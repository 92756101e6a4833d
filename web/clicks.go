package web

import (
	"sync"
	"time"
)

const (
	// clickWindow is how long a second click of a client for a server is not
	// counted. Windows start at whole multiples of it.
	clickWindow = 10 * time.Minute
	// clientClicks is how many servers clicks of one client count for in a
	// window.
	clientClicks = 30
	// mostClicks bounds the clicks of all clients that are remembered. Further
	// ones in the window are not counted.
	mostClicks = 100_000
)

// clicks remembers who clicked in a window, so that nobody can make figures of
// installation rise by sending the same again.
type clicks struct {
	mu      sync.Mutex
	window  int64
	seen    map[click]struct{}
	clients map[uint64]int
}

type click struct {
	client uint64
	slug   string
}

// first reports whether a click is to be counted.
func (k *clicks) first(client uint64, slug string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w := now.Unix() / int64(clickWindow/time.Second); w != k.window || k.seen == nil {
		k.window, k.seen, k.clients = w, map[click]struct{}{}, map[uint64]int{}
	}
	this := click{client, slug}
	if _, again := k.seen[this]; again || k.clients[client] >= clientClicks || len(k.seen) >= mostClicks {
		return false
	}
	k.seen[this] = struct{}{}
	k.clients[client]++
	return true
}
