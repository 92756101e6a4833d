package pages

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/web/record"
)

const (
	// onceWindow is the period in which repeated events of a client for a server count once.
	onceWindow = 10 * time.Minute
	// clientClicks is the maximum number of counted clicks of a client in a window,
	// clientFinds that of search results.
	clientClicks = 30
	clientFinds  = 2000

	maxEvents  = 200_000 // stored events
	maxClients = 20_000
)

// click responds to POST /servers/{slug}/clicks, which the script sends when a
// visitor copies a configuration or follows a link that installs the server.
// The response does not reveal whether the click was counted.
func (p *Pages) click(_ context.Context, c *gin.Context) error {
	if err := p.OwnPage(c); err != nil {
		return err
	}
	v, err := p.View()
	if err != nil {
		return err
	}
	i, err := record.Find(v, c.Param("slug"))
	if err != nil {
		return err
	}
	if p.clicks.first(httpd.ClientOf(c).Subject().ID, i.Slug(), p.Now()) {
		p.Counter.Event(meter.EventInstallClick, i.Slug(), c.Request)
	}
	c.Header("Cache-Control", "no-store")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

// A deduplicator detects repeated events of a client and a server. It is safe for
// concurrent use.
type deduplicator struct {
	perClient int // events of a client that count in a window

	mu      sync.Mutex
	events  *lru.Cache[event, time.Time]
	clients *lru.Cache[uint64, clientEvents]
}

type event struct {
	client uint64
	slug   string
}

type clientEvents struct {
	since time.Time
	count int
}

func newOnce(perClient int) *deduplicator {
	events, _ := lru.New[event, time.Time](maxEvents) // the sizes are valid
	clients, _ := lru.New[uint64, clientEvents](maxClients)
	return &deduplicator{perClient: perClient, events: events, clients: clients}
}

// first reports whether an event counts: it is the first of the client for the
// server in a window, and the client has not used up its number.
func (o *deduplicator) first(client uint64, slug string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := event{client, slug}
	if at, ok := o.events.Get(e); ok && now.Sub(at) < onceWindow {
		return false
	}
	n, ok := o.clients.Get(client)
	if !ok || now.Sub(n.since) >= onceWindow {
		n = clientEvents{since: now}
	}
	if n.count >= o.perClient {
		return false
	}
	n.count++
	o.clients.Add(client, n)
	o.events.Add(e, now)
	return true
}
