package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// The demo's part of the data folder, and the token that its GitHub accepts.
const demoFolder, demoToken = "demo", "demo"

var errDemoDatabase = errors.New(
	"--demo uses its own database with made-up data: unset DATABASE_URL")

// demoFlag adds the flag --demo to cmd and its subcommands, which makes them
// use the registry of the demo.
func (a *app) demoFlag(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().BoolVar(&a.ofDemo, "demo", false,
		"use the registry of 'census serve --demo'")
	return cmd
}

// turnToDemo makes the command use the demo's part of the data folder.
func (a *app) turnToDemo() error {
	if a.config.DatabaseURL != "" {
		return usageError{errDemoDatabase}
	}
	a.config.DataDir, a.config.GitHubToken = filepath.Join(a.config.DataDir, demoFolder), demoToken
	a.sayMadeUp()
	return nil
}

// sayMadeUp puts what the demo is before the operator's notice on every page.
func (a *app) sayMadeUp() {
	a.config.Notice = strings.TrimSpace(
		"Demo: everything on this site is made up. " + a.config.Notice)
}

// startDemo replaces every upstream by a fake one in this process, and uses a separate data
// folder. stop ends the fakes.
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
	a.sayMadeUp()
	a.config.GitHubToken, a.config.CheckToken = demoToken, "demo-check"
	a.config.GitHubURL = base + "/github/"
	a.config.GitURL = base + "/git/"
	a.config.RegistryURL = base + "/mcp-registry/"
	a.config.DepsDevURL = base + "/deps-dev/"
	a.config.NPMURL = base + "/npm-downloads/"
	a.config.PyPIStatsURL = base + "/pypistats/"
	a.config.NPMRegistryURL, a.config.PyPIURL = base+"/npm/", base+"/pypi/"
	a.config.ImagesURL = base + "/images/"
	a.config.OSVURL = base + "/osv/"
	if a.config.Lists, err = keepList(ctx, base+"/lists/mcp-servers.md",
		a.config.DataDir); err != nil {
		_ = srv.Close()
		return nil, err
	}
	a.config.MeiliURL, a.config.MeiliKey, a.config.MeiliEmbedder = "", "", ""
	a.log.Info("demo: all repositories are made up, no requests leave this machine")
	return func() { _ = srv.Close() }, nil
}

// keepList stores the fake list in a file in dir and returns its path. A source
// is named after its address, and the fake server's port differs on each start.
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
			"cannot write to the data folder; set CENSUS_DATA_DIR to a writable folder")
	}
	return path, nil
}

// fillDemo crawls the fake upstreams once, one step after the other, so that
// every demo has the same data, and logs when it is done. Finished steps are
// not repeated.
func (a *app) fillDemo(ctx context.Context, db *postgres.DB, up *upstreams) error {
	c, p := a.newCrawler(db, up, jobs.Observer{}), a.newPackager(db, up, jobs.Observer{})
	steps := []func() error{func() error { return c.TakeOver(ctx) }}
	// Issues are left for a later visit: the first are as if a quarter of an hour ago.
	c.Now = func() time.Time { return time.Now().Add(-15 * time.Minute) }
	for _, source := range up.sources {
		steps = append(steps, func() error { _, err := c.Discover(ctx, source, 0); return err })
	}
	steps = append(steps,
		func() error { return a.refreshAll(ctx, db, c, 0) },
		func() error { c.Now = time.Now; return a.refreshAll(ctx, db, c, 0) },
		func() error { return a.updateAll(ctx, db, p.Facts, packagesDue) },
		func() error { return a.updateAll(ctx, db, p.Downloads, downloadsDue) },
		func() error { return a.probeDemo(ctx, db) },
		func() error { return a.inspectDemo(ctx, db) },
	)
	for _, step := range steps {
		if err := step(); ctx.Err() != nil {
			return nil // the next start continues
		} else if err != nil {
			return err
		}
	}
	s, err := db.Status(ctx, time.Now())
	if err != nil {
		return err
	}
	a.log.Info("demo: sign in with the link that `census account link ada@example.com --new --demo` prints")
	a.log.Info("demo: filled", "servers", s.Servers, "browse", a.config.BaseURL+"/",
		"try", fmt.Sprintf("curl '%s/api/discover?search=weather&limit=1'",
			a.config.BaseURL), "stop", "Ctrl-C")
	return nil
}

// probeDemo probes the endpoints four times, as if at intervals of three hours, so that one
// that does not exist counts as down. It does nothing if all were probed before.
func (a *app) probeDemo(ctx context.Context, db *postgres.DB) error {
	s, err := db.Status(ctx, time.Now())
	if err != nil || s.Endpoints[""] == 0 {
		return err
	}
	for _, ago := range []time.Duration{9 * time.Hour, 6 * time.Hour, 3 * time.Hour, 0} {
		p := a.newProber(db, jobs.Observer{}, ago)
		p.Store = &allRemotes{DB: db}
		if _, err := p.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// inspectDemo stores the results of the demo's inspector.
func (a *app) inspectDemo(ctx context.Context, db *postgres.DB) error {
	var results []registry.InspectionResult
	if err := json.Unmarshal(fakegithub.Inspections, &results); err != nil {
		return err
	}
	q := &jobs.Inspections{Store: db, Log: a.log, Now: time.Now}
	leased := map[string]bool{}
	for {
		batch, err := q.Lease(ctx, registry.InspectedTypes, 20)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		for _, w := range batch {
			leased[w.Package.Identifier] = true
		}
	}
	return q.Save(ctx, slices.DeleteFunc(results, func(r registry.InspectionResult) bool {
		return !leased[r.Identifier] // stored by an earlier start
	}))
}

// allRemotes leases all endpoints once, due or not.
type allRemotes struct {
	*postgres.DB
	leased bool
}

func (s *allRemotes) LeasePackages(
	ctx context.Context, kind string, types []string, _ int, ttl time.Duration, now time.Time,
) ([]registry.PackageWork, error) {
	if s.leased {
		return nil, nil
	}
	s.leased = true
	return s.DB.LeasePackages(ctx, kind, types, 1000, ttl, now.AddDate(1, 0, 0))
}
