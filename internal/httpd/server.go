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
	"time"
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
