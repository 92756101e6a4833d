package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/quota"
)

// Timeouts of a server. Each covers a whole step, regardless of progress.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 30 * time.Second // headers and body
	writeTimeout    = 60 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 9 * time.Second // for requests in progress when the server stops
)

// ServerConfig configures [Serve].
type ServerConfig struct {
	Log     *slog.Logger   // nil: no log
	Trusted []netip.Prefix // proxies, which may open any number of connections
}

// Serve serves h on l until ctx is done, then waits up to 9 seconds for
// requests in progress. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler, cfg ServerConfig) error {
	exempt := slices.Concat(loopback, cfg.Trusted)
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    MaxHeader,
		ConnState:         newConnections(maxConnections, maxClientConnections, exempt).change,
	}
	if cfg.Log != nil {
		srv.ErrorLog = slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		_ = srv.Close()
		return fmt.Errorf("requests were still in progress after %v and were aborted", shutdownTimeout)
	}
	return err
}

// Limits on open connections. A connection above one of them is closed before its
// request is read.
const (
	maxConnections       = 8192
	maxClientConnections = 256 // of one client, see [Client]; proxies are exempt
)

// loopback are the networks of this machine.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// connections counts the open connections of a server. It is safe for
// concurrent use.
type connections struct {
	total, perClient int
	exempt           []netip.Prefix // from the limit of one client

	mu        sync.Mutex
	counted   map[net.Conn][]netip.Prefix
	byNetwork map[netip.Prefix]int
}

func newConnections(total, perClient int, exempt []netip.Prefix) *connections {
	return &connections{total: total, perClient: perClient, exempt: exempt,
		counted: map[net.Conn][]netip.Prefix{}, byNetwork: map[netip.Prefix]int{}}
}

// change closes new connections above the limits. It is called by
// [http.Server.ConnState].
func (n *connections) change(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if !n.add(conn) {
			conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		n.remove(conn)
	}
}

func (n *connections) add(conn net.Conn) bool {
	remote, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	peer := plainAddr(remote.Addr())
	var networks []netip.Prefix // of the client, and of its site
	switch {
	case peer.Is4():
		networks = []netip.Prefix{netip.PrefixFrom(peer, 32), account.NetworkOf(peer)}
	case peer.Is6():
		networks = []netip.Prefix{netip.PrefixFrom(peer, 64).Masked(), account.NetworkOf(peer)}
	}
	isExempt := slices.ContainsFunc(n.exempt,
		func(p netip.Prefix) bool { return p.Contains(peer) })
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.counted) >= n.total {
		return false
	}
	limit := n.perClient
	for _, network := range networks {
		if !isExempt && n.byNetwork[network] >= limit {
			return false
		}
		limit *= quota.SiteFactor
	}
	n.counted[conn] = networks
	for _, network := range networks {
		n.byNetwork[network]++
	}
	return true
}

func (n *connections) remove(conn net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, network := range n.counted[conn] {
		if n.byNetwork[network]--; n.byNetwork[network] == 0 {
			delete(n.byNetwork, network)
		}
	}
	delete(n.counted, conn)
}
