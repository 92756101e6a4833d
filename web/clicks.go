package web

import (
	"sync"
	"time"
)

const (
	// clickWindow is how long a second click of a client for a server is not
	// counted, nor a second time that it is among what the client finds. Windows
	// start at whole multiples of it.
	clickWindow = 10 * time.Minute
	// clientClicks is how many servers clicks of one client count for in a
	// window.
	clientClicks = 30
	// mostClicks bounds the clicks of all clients that are remembered. Further
	// ones in the window are not counted.
	mostClicks = 100_000
	// clientFinds and mostFinds are the same for what searches find.
	clientFinds = 2000
	mostFinds   = 200_000
)

// once remembers what counted in a window: nobody makes figures of installation
// rise by sending the same again, and who types a word, which searches at each
// pause, finds a server once.
type once struct {
	perClient, most int

	mu      sync.Mutex
	window  int64
	seen    map[click]struct{}
	clients map[uint64]int
}

type click struct {
	client uint64
	slug   string
}

// first reports whether it is to be counted that a client clicked for a server,
// or found it.
func (k *once) first(client uint64, slug string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w := now.Unix() / int64(clickWindow/time.Second); w != k.window || k.seen == nil {
		k.window, k.seen, k.clients = w, map[click]struct{}{}, map[uint64]int{}
	}
	this := click{client, slug}
	if _, again := k.seen[this]; again || k.clients[client] >= k.perClient || len(k.seen) >= k.most {
		return false
	}
	k.seen[this] = struct{}{}
	k.clients[client]++
	return true
}
