package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// The demo's part of the data folder, and the token that its GitHub takes.
const demoFolder, demoToken = "demo", "demo"

var errDemoDatabase = errors.New(
	"--demo is about a made-up registry with a database of its own: unset DATABASE_URL, which is that " +
		"of yours")

// demoFlag gives cmd and what is below it the flag --demo, with which they are
// about the registry of the demo.
func (a *app) demoFlag(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().BoolVar(&a.ofDemo, "demo", false,
		"of the registry that serve --demo keeps")
	return cmd
}

// turnToDemo points the command at the demo's part of the data folder.
func (a *app) turnToDemo() error {
	if a.config.DatabaseURL != "" {
		return usageError{errDemoDatabase}
	}
	a.config.DataDir, a.config.GitHubToken = filepath.Join(a.config.DataDir, demoFolder), demoToken
	return nil
}

// startDemo points every upstream at a small made-up internet in this
// process, and keeps the demo's data apart from that of a real registry. The
// function it returns ends it.
func (a *app) startDemo(ctx context.Context) (stop func(), err error) {
	if a.config.DatabaseURL != "" {
		return nil, usageError{errDemoDatabase}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: fakegithub.New(time.Now()), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	go srv.Serve(listener) //nolint:errcheck // ends with Close
	base := "http://" + listener.Addr().String()
	a.config.DataDir = filepath.Join(a.config.DataDir, demoFolder)
	a.demo = true
	a.config.GitHubToken, a.config.CheckToken = demoToken, "demo-check"
	a.config.GitHubURL = base + "/github/"
	a.config.RegistryURL = base + "/mcp-registry/"
	a.config.DepsDevURL = base + "/deps-dev/"
	a.config.NPMURL = base + "/npm-downloads/"
	a.config.PyPIStatsURL = base + "/pypistats/"
	a.config.OSVURL = base + "/osv/"
	if a.config.Lists, err = keepList(ctx, base+"/lists/mcp-servers.md",
		a.config.DataDir); err != nil {
		_ = srv.Close()
		return nil, err
	}
	a.config.MeiliURL, a.config.MeiliKey, a.config.MeiliEmbedder = "", "", ""
	a.log.Info("demo: every repository is made up, nothing is asked outside this machine")
	return func() { _ = srv.Close() }, nil
}

// keepList puts the list of the made-up internet into a file in dir and
// returns its path. A source is called after its address, and that of the
// made-up internet has another port each time.
func keepList(ctx context.Context, address, dir string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mcp-servers.md")
	err = os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return "", registry.Wrap(registry.ErrUnavailable, err,
			"cannot write to the data folder; set CENSUS_DATA_DIR to a folder that can be written")
	}
	return path, nil
}

// fillDemo crawls the made-up internet once, one step after the other, so that
// every demo shows the same, and tells the user when everything is in. What it
// finds done it does not do again.
func (a *app) fillDemo(ctx context.Context, db *postgres.DB, up *upstreams) error {
	c, p := a.newCrawler(db, up, jobs.Observer{}), a.newPackager(db, up, jobs.Observer{})
	steps := []func() error{func() error { return c.TakeOver(ctx) }}
	for _, source := range up.sources {
		steps = append(steps, func() error { _, err := c.Discover(ctx, source, 0); return err })
	}
	steps = append(steps,
		func() error { return a.refreshAll(ctx, db, c, 0) },
		func() error {
			return a.askAll(ctx, db, p.Facts, func(s registry.Status) int { return s.PackagesDue })
		},
		func() error {
			return a.askAll(ctx, db, p.Downloads,
				func(s registry.Status) int { return s.DownloadsDue })
		},
	)
	for _, step := range steps {
		if err := step(); ctx.Err() != nil {
			return nil // the next start goes on
		} else if err != nil {
			return err
		}
	}
	s, err := db.Status(ctx, time.Now())
	if err != nil {
		return err
	}
	a.log.Info("demo: filled", "servers", s.Servers, "browse", a.config.BaseURL+"/",
		"try", fmt.Sprintf("curl '%s/api/discover?search=weather&limit=1'",
			a.config.BaseURL), "stop", "Ctrl-C")
	return nil
}
