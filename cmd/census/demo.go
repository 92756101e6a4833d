package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"mcpcensus/internal/fakegithub"
)

// startDemo points every upstream at a small made-up internet in this
// process, and keeps the demo's data apart from that of a real registry. The
// function it returns ends it.
func (a *app) startDemo(ctx context.Context) (stop func(), err error) {
	if a.config.DatabaseURL != "" {
		return nil, usageError{errors.New("--demo makes up servers: unset DATABASE_URL, so that they do not get into your registry")}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: fakegithub.New(time.Now()), ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go srv.Serve(listener) //nolint:errcheck // ends with Close
	base := "http://" + listener.Addr().String()
	a.config.DataDir = filepath.Join(a.config.DataDir, "demo")
	a.config.GitHubToken, a.config.CheckToken = "demo", "demo-check"
	a.config.GitHubURL = base + "/github/"
	a.config.RegistryURL = base + "/mcp-registry/"
	a.config.DepsDevURL = base + "/deps-dev/"
	a.config.NPMURL = base + "/npm-downloads/"
	a.config.PyPIStatsURL = base + "/pypistats/"
	a.config.OSVURL = base + "/osv/"
	a.config.Lists = base + "/lists/mcp-servers.md"
	a.config.MeiliURL, a.config.MeiliKey = "", ""
	a.log.Info("demo: every repository is made up, nothing is asked outside this machine")
	return func() { _ = srv.Close() }, nil
}
