package httpd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

const (
	maxWaiting = 16              // requests of one network that wait at a gate
	maxWait    = 5 * time.Second // of one request
)

// A gate admits expensive requests, as many at a time as there are slots, and those that wait in
// turns of their networks: one with many requests does not delay others. It is safe for concurrent
// use.
type gate struct {
	perNetwork int // slots that one network may have

	mu      sync.Mutex
	free    int
	running map[netip.Prefix]int
	waiting map[netip.Prefix][]chan struct{} // closed when admitted
	turns   []netip.Prefix                   // that wait, the next one first
}

func newGate(slots int) *gate {
	return &gate{perNetwork: max(1, slots/2), free: slots, running: map[netip.Prefix]int{},
		waiting: map[netip.Prefix][]chan struct{}{}}
}

var errBusy = errors.New("too many requests wait")

// enter waits until a request of a network may begin. leave must be called when it is done, and
// may be called again.
func (g *gate) enter(ctx context.Context, network netip.Prefix) (leave func(), err error) {
	leave = sync.OnceFunc(func() { g.leave(network) })
	admitted := make(chan struct{})
	g.mu.Lock()
	if len(g.waiting[network]) >= maxWaiting {
		g.mu.Unlock()
		return nil, errBusy
	}
	if len(g.waiting[network]) == 0 {
		g.turns = append(g.turns, network)
	}
	g.waiting[network] = append(g.waiting[network], admitted)
	g.admit()
	g.mu.Unlock()
	select {
	case <-admitted:
		return leave, nil
	default:
	}
	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case <-admitted:
		return leave, nil
	case <-timeout.C:
		err = errBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := slices.Index(g.waiting[network], admitted); at >= 0 {
		g.dequeue(network, at)
		return nil, err
	}
	return leave, nil // admitted in the meantime
}

func (g *gate) leave(network netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free++
	if g.running[network]--; g.running[network] == 0 {
		delete(g.running, network)
	}
	g.admit()
}

// admit admits waiting requests while there are slots. The caller holds g.mu.
func (g *gate) admit() {
	for g.free > 0 {
		at := slices.IndexFunc(g.turns,
			func(n netip.Prefix) bool { return g.running[n] < g.perNetwork })
		if at < 0 {
			return
		}
		network := g.turns[at]
		close(g.waiting[network][0])
		g.free--
		g.running[network]++
		g.dequeue(network, 0)
		if len(g.waiting[network]) > 0 { // its next turn is after all others
			g.turns = append(slices.Delete(g.turns, at, at+1), network)
		}
	}
}

// dequeue removes a waiting request of a network.
func (g *gate) dequeue(network netip.Prefix, at int) {
	g.waiting[network] = slices.Delete(g.waiting[network], at, at+1)
	if len(g.waiting[network]) == 0 {
		delete(g.waiting, network)
		g.turns = slices.DeleteFunc(g.turns, func(n netip.Prefix) bool { return n == network })
	}
}

// limitWork makes expensive requests pass a gate. They leave it when their response begins, so that
// slow readers hold no slot.
func limitWork(
	slots int, isExpensive func(r *http.Request, route string) bool, problem func(*gin.Context, error),
) gin.HandlerFunc {
	g := newGate(slots)
	return func(c *gin.Context) {
		requestOf(c).gate = g
		if requestOf(c).rejected != nil || !isExpensive(c.Request, c.FullPath()) {
			return
		}
		receive(c.Request)
		leave, err := Enter(context.WithValue(c.Request.Context(), requestKey{}, requestOf(c)))
		if err != nil {
			problem(c, err)
			return
		}
		defer leave()
		w := c.Writer
		c.Writer = gateWriter{w, leave}
		defer func() { c.Writer = w }()
		c.Next()
	}
}

// Enter waits until expensive work may begin for the request of a context of [Visiting], as for
// requests that are [Config.Expensive]. leave must be called when it is done.
func Enter(ctx context.Context) (leave func(), err error) {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil || r.gate == nil {
		return func() {}, nil
	}
	if leave, err = r.gate.enter(ctx, account.NetworkOf(r.addr)); err != nil {
		err = &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 2 * time.Second,
			Msg: "Too many requests are being answered. Try again in a moment.", Cause: err}
	}
	return leave, err
}

// receive reads the body of a request, so that slow senders hold no slot. The handler gets its error.
func receive(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b, err := io.ReadAll(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(b), failing{err}), r.Body}
}

// failing is a reader without data.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// A gateWriter calls leave when the response begins.
type gateWriter struct {
	gin.ResponseWriter
	leave func()
}

func (w gateWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w gateWriter) Write(b []byte) (int, error) {
	w.leave()
	return w.ResponseWriter.Write(b)
}

func (w gateWriter) WriteString(s string) (int, error) {
	w.leave()
	return w.ResponseWriter.WriteString(s)
}

func (w gateWriter) WriteHeaderNow() {
	w.leave()
	w.ResponseWriter.WriteHeaderNow()
}

func (w gateWriter) Flush() {
	w.leave()
	w.ResponseWriter.Flush()
}
