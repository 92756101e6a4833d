package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mcpcensus/api"
	"mcpcensus/api/mcp"
	"mcpcensus/api/subregistry"
	v1 "mcpcensus/api/v1"
	"mcpcensus/api/validate"
	"mcpcensus/crawler/read"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/config"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/install"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/search"
	"mcpcensus/internal/webhook"
	"mcpcensus/jobs"
	"mcpcensus/web"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
)

// roles are the tasks of a process.
type roles struct{ api, pages, worker, probe bool }

func (r *roles) byName() map[string]*bool {
	return map[string]*bool{"api": &r.api, "pages": &r.pages, "worker": &r.worker, "probe": &r.probe}
}

func (r roles) String() string {
	names := []string{"api", "pages", "worker", "probe"}
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return !*r.byName()[n] }), ",")
}

func parseRoles(names []string) (r roles, err error) {
	for _, name := range names {
		name = strings.TrimSpace(name)
		if has, ok := r.byName()[name]; ok {
			*has = true
		} else if name == "all" {
			r = roles{true, true, true, true}
		} else {
			return r, usageError{fmt.Errorf(
				"unknown role %q; use api, pages, worker, probe or all", name)}
		}
	}
	return r, nil
}

func (a *app) serveCommand() *cobra.Command {
	var names []string
	var demo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the API and the pages, and keep the registry current",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := parseRoles(names)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if demo {
				stop, err := a.startDemo(ctx)
				if err != nil {
					return err
				}
				defer stop()
			}
			return a.serve(ctx, r)
		},
	}
	cmd.Flags().StringSliceVar(&names, "roles", []string{"all"},
		"roles of this process: api, pages, worker, probe, or all")
	cmd.Flags().BoolVar(&demo, "demo", false,
		"crawl a small fake GitHub into a separate database")
	return cmd
}

// serve runs a process with the given roles until ctx is done.
func (a *app) serve(ctx context.Context, r roles) (err error) {
	var listener net.Listener
	if r.api || r.pages {
		if listener, err = net.Listen("tcp", a.config.Addr); err != nil {
			return registry.Wrap(registry.ErrUnavailable, err,
				"cannot listen on "+a.config.Addr+
					": stop the other program, or set CENSUS_ADDR to another address and port")
		}
		defer listener.Close()
		if base, ok := strings.CutSuffix(a.config.BaseURL, ":0"); ok { // the system chose the port
			_, port, _ := net.SplitHostPort(listener.Addr().String())
			a.config.BaseURL = base + ":" + port
		}
	}
	m := newMetrics()
	a.unread = func(reason string) { m.unread.WithLabelValues(reason).Inc() }
	up, err := newUpstreams(a.config, a.log, a.reader, m.event)
	if err != nil {
		return err
	}
	db, closeStore, err := a.startStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	about := &storeLog{Handler: a.log.Handler()}
	a.log = slog.New(about)
	up.strikes = &read.Strikes{Store: db, Log: a.log}
	if r.worker {
		for _, notice := range up.crawl.withoutToken() {
			a.log.Warn(notice)
		}
	}
	if err := a.checkCapacity(ctx, db, up.crawl); err != nil {
		return err
	}
	a.shareBudgets(ctx, db, up)

	group, ctx := errgroup.WithContext(ctx)
	if a.config.MetricsAddr != "off" {
		group.Go(func() error {
			if err := m.serve(ctx, a.config.MetricsAddr, a.log); err != nil {
				a.log.Warn("no metrics: cannot listen on CENSUS_METRICS_ADDR", "err", err)
			}
			return nil
		})
	}
	group.Go(func() error {
		every(ctx, time.Second, func() { about.watch(ctx, db.Ping) })
		return nil
	})
	index, closeIndex, err := a.openIndex(ctx, db, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()
	group.Go(func() error {
		every(ctx, budgetsEvery, func() { a.shareBudgets(ctx, db, up) })
		return nil
	})
	from := reader{db: db, up: up, index: index, metrics: m, roles: r}
	if r.api || r.pages || r.worker { // probes need no secrets
		if from.key, err = a.secretKey(ctx, db); err != nil {
			return err
		}
	}
	welcome := ""
	if r.pages { // before jobs fill the database
		if welcome, err = a.firstLink(ctx, people.New(db)); err != nil {
			return err
		}
	}
	if err := a.startJobs(ctx, group, from); err != nil {
		return err
	}
	if listener != nil {
		stop, startErr := a.startServer(ctx, group, listener, from)
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	if welcome != "" {
		fmt.Fprint(a.stderr, "\n"+welcome+"\n")
	}
	defer context.AfterFunc(ctx, func() { a.log.Info("stopping") })()
	err = group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (a *app) startJobs(ctx context.Context, group *errgroup.Group, from reader) error {
	db, m := from.db, from.metrics
	switch {
	case from.roles.worker:
		if err := a.deliver(ctx, group, people.New(db), from.key, m); err != nil {
			return err
		}
		if !a.demo {
			a.work(ctx, group, from)
			return nil
		}
		group.Go(func() error {
			err := a.fillDemo(ctx, db, from.up)
			if err == nil {
				a.work(ctx, group, from)
			}
			return err
		})
	case from.roles.probe && a.config.Probes == "on":
		group.Go(func() error {
			s := jobs.Schedule{Jobs: []jobs.Job{jobs.Probes(a.newProber(db, m.observer(), 0))},
				Store: db, Log: a.log, Now: time.Now, Observe: m.observer()}
			return s.Run(ctx)
		})
	}
	return nil
}

// A reader holds the data sources of a process.
type reader struct {
	db      *postgres.DB
	up      *upstreams
	index   search.Index
	metrics *metrics
	roles   roles
	key     secretKey
}

// startServer serves requests until ctx is done. stop must be called after all
// requests have ended.
func (a *app) startServer(
	ctx context.Context, group *errgroup.Group, listener net.Listener, from reader,
) (stop func() error, err error) {
	counts, err := from.db.RequestPool() // not the pages', which may be busy
	if err != nil {
		return nil, err
	}
	answers, err := from.db.RequestPool()
	if err != nil {
		counts.Close()
		return nil, err
	}
	limiter := quota.New(quota.Options{Store: people.New(counts)})
	stop = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin/2)
		defer cancel()
		if err := limiter.Close(ctx); err != nil {
			a.log.Warn("unused rate limit leases not returned", "err", err)
		}
		counts.Close()
		return answers.Close()
	}
	h, err := a.handler(ctx, group, from, answers, limiter)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	a.noteAddress()
	a.log.Info("listening", "address", "http://"+listener.Addr().String(), "roles",
		from.roles.String())
	h = a.withInspections(h, &jobs.Inspections{Store: from.db, Log: a.log, Now: time.Now})
	proxies, err := a.config.TrustedProxies()
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	group.Go(func() error {
		return httpd.Serve(ctx, listener, h, httpd.ServerConfig{Log: a.log, Trusted: proxies})
	})
	return stop, nil
}

// checkCapacity returns an error if the rate limits of a code host cannot keep
// the registry current.
func (a *app) checkCapacity(ctx context.Context, db *postgres.DB, hosts hostClients) error {
	status, err := db.Status(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(hosts)) {
		if _, err := hosts[id].Capacity(status.Known(), status.Budgets); err != nil {
			return err
		}
	}
	return nil
}

// openIndex opens the search index: Meilisearch if configured, otherwise Bleve in the data
// folder for processes that serve requests. It returns nil for others. In Meilisearch each
// database has a separate index, so that registries can share a server.
func (a *app) openIndex(
	ctx context.Context, db *postgres.DB, r roles,
) (search.Index, func() error, error) {
	if a.config.MeiliURL != "" {
		if !r.worker {
			a.log.Info("the index in Meilisearch is built by a process with the role worker")
		}
		identity, err := db.Identity(ctx)
		if err != nil {
			return nil, nil, err
		}
		sum := sha256.Sum256([]byte(identity))
		index, err := search.OpenMeili(a.config.MeiliURL, a.config.MeiliKey,
			"servers_"+hex.EncodeToString(sum[:4]), a.config.MeiliEmbedder, a.log)
		if err != nil {
			return nil, nil, err
		}
		return index, index.Close, nil
	}
	if !r.api && !r.pages {
		return nil, func() error { return nil }, nil
	}
	index, err := search.OpenBleve(a.searchDir(), a.log)
	if err != nil {
		return nil, nil, err
	}
	return index, index.Close, nil
}

// searchDir is the folder of the embedded search index.
func (a *app) searchDir() string { return filepath.Join(a.config.DataDir, "search") }

// budgetsEvery is how often processes share the code hosts' rate limits.
const budgetsEvery = 15 * time.Second

// figuresEvery is how often the figures of the metrics are read from Postgres, which takes 0.4
// s for 100,000 servers.
const figuresEvery = time.Minute

// every calls do immediately and then once per period, until ctx is done.
func every(ctx context.Context, period time.Duration, do func()) {
	for do(); transport.Sleep(ctx, period) == nil; do() {
	}
}

// work starts the crawl and the scheduled jobs.
func (a *app) work(ctx context.Context, group *errgroup.Group, from reader) {
	db, up, m := from.db, from.up, from.metrics
	c := a.newCrawler(db, up, m.observer())
	p := a.newPackager(db, up, m.observer())
	group.Go(func() error {
		if err := c.TakeOver(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("leases of dead workers not taken over", "err", err)
		}
		return c.Work(ctx)
	})
	group.Go(func() error {
		tasks := jobs.Tasks{
			Crawler: c, Packager: p, Store: db, People: people.New(db), Now: time.Now, Avatars: up.avatars,
			Dump: a.dailyDump(db),
		}
		if from.roles.probe && a.config.Probes == "on" {
			tasks.Prober = a.newProber(db, m.observer(), 0)
		}
		s := jobs.Schedule{Jobs: jobs.Timetable(tasks), Store: db, Log: a.log, Now: time.Now,
			Observe: m.observer()}
		return s.Run(ctx)
	})
	group.Go(func() error {
		every(ctx, figuresEvery, func() {
			status, err := db.Status(ctx, time.Now())
			if err == nil {
				status.Webhooks, err = people.New(db).WebhookStatus(ctx, status.At)
			}
			if err == nil {
				m.status(status, up.budgets())
			}
		})
		return nil
	})
	group.Go(func() error { return a.settle(ctx, people.New(db)) })
	if a.config.MeiliURL != "" {
		group.Go(func() error { return a.followShared(ctx, db, from.index) })
	}
}

// followShared keeps a shared index current. Only one process does so.
func (a *app) followShared(ctx context.Context, db *postgres.DB, index search.Index) error {
	for ctx.Err() == nil {
		release, ok, err := db.TryLock(ctx, "follow the search index")
		if err == nil && ok {
			err = a.follow(ctx, db, index)
			release()
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("search index not followed", "err", err)
		}
		_ = transport.Sleep(ctx, 5*time.Second)
	}
	return nil
}

// follow keeps an index current, and rebuilds it if its number of servers
// differs from the database.
func (a *app) follow(ctx context.Context, db *postgres.DB, index search.Index) error {
	go a.repairIndex(ctx, db, index)
	return search.Follow(ctx, db, index, db.Listen, a.log)
}

// repairEvery is how often the index is compared with the database.
const repairEvery = time.Hour

// repairIndex rebuilds an index whose number of servers differs from the
// database.
func (a *app) repairIndex(ctx context.Context, db *postgres.DB, index search.Index) {
	for transport.Sleep(ctx, repairEvery) == nil {
		s := jobs.Schedule{Store: db, Log: a.log, Now: time.Now}
		host, _ := os.Hostname()
		s.RunJob(ctx, jobs.Job{Name: "index-repair " + host, Timeout: 30 * time.Minute,
			Run: func(ctx context.Context) (int, string, error) {
				stats, err := index.Stats(ctx)
				if err != nil {
					return 0, "", err
				}
				status, err := db.Status(ctx, time.Now())
				if err != nil {
					return 0, "", err
				}
				if at, err := index.At(ctx); err != nil || at.Seq != status.Seq {
					return 0, "not caught up yet, not compared", err
				}
				if stats.Servers == status.Servers {
					return stats.Servers, "servers, consistent", nil
				}
				return stats.Servers, fmt.Sprintf("servers instead of %d: rebuilt",
					status.Servers), index.Rebuild(ctx, db)
			}})
	}
}

// handler returns the handler of the API and the pages, and starts the jobs that keep their
// data current. Requests read the database through answers.
func (a *app) handler(
	ctx context.Context, group *errgroup.Group, from reader, answers *postgres.DB,
	limiter httpd.Limiter,
) (http.Handler, error) {
	db, up, m := from.db, from.up, from.metrics
	cat := catalog.New()
	identity, err := db.Identity(ctx)
	if err != nil {
		return nil, err
	}
	cat.Identify(identity + " " + version)
	percent := debug.SetGCPercent(loadPercent)
	group.Go(func() error { return ignoreStop(ctx, cat.Follow(ctx, db, a.log)) })
	searcher := &search.Fallback{
		Index: from.index, Log: a.log, Degraded: m.fallbacks.Inc,
		Servers: func() iter.Seq[*registry.Server] { return cat.View().Texts() },
	}
	group.Go(func() error { return ignoreStop(ctx, searcher.Watch(ctx)) })
	group.Go(func() error {
		// Bleve's index can wait: requests are served only after this
		if err := cat.Await(ctx); err != nil {
			return nil
		}
		debug.SetGCPercent(percent)
		debug.FreeOSMemory() // used while loading the catalog
		if a.config.MeiliURL != "" {
			return nil
		}
		return ignoreStop(ctx, a.follow(ctx, db, from.index))
	})
	a.watch(m, cat, searcher)
	proxies, err := a.config.TrustedProxies()
	if err != nil {
		return nil, err
	}
	checker := &jobs.Checker{
		Ingester: jobs.Ingester{Facts: answers, Results: answers, SDK: up.packages.SDK,
			Hosts: up.checks.hosts(), Reader: up.reader, Strikes: up.strikes, Texts: answers.Texts,
			Log: a.log, Now: time.Now},
		Checks: answers, Enrich: up.packages, Enqueue: answers.Enqueue,
	}
	accounts := people.New(answers)
	ring := a.startKeys(ctx, group, accounts)
	counter := meter.New(people.New(db), a.log, time.Now)
	group.Go(func() error { return counter.Run(ctx) })
	brand, err := a.config.Brand()
	if err != nil {
		return nil, err
	}
	hooks := &webhook.Service{Store: accounts, Key: from.key.derive("webhooks"),
		Hosts: config.Hosts(a.config.WebhookHosts), Now: time.Now,
		Slug: func(id string) (string, error) {
			i, _ := cat.View().Lookup(id)
			if i == nil {
				return "", registry.ErrNotFound
			}
			return i.Slug(), nil
		}}
	accountPages, err := a.startAccounts(ctx, group, accounts, ring, hooks, limiter, from.key)
	if err != nil {
		return nil, err
	}
	var pictures pages.Picture
	if up.pictures != nil {
		pictures = up.pictures.Fetch
	}
	site, err := web.New(web.Options{
		Site: site.Options{
			Brand: brand, Catalog: cat, Limiter: limiter, Counter: counter,
			BaseURL: a.config.BaseURL, Notice: a.config.Notice,
		},
		Pages: pages.Options{
			Picture: pictures, Search: searcher, Checker: checker, Figures: answers,
			Reports: answers, Enqueue: answers.Enqueue, Offer: accountPages.Plans.Offer,
		},
		Feeds: feeds.Options{
			News: answers, Avatars: db, Contact: a.config.Contact,
			Folder: filepath.Join(a.config.DataDir, "pictures"),
		},
		People: accountPages,
	})
	if err != nil {
		return nil, err
	}
	accountPages.Failed = site.Error
	engine := httpd.NewEngine(httpd.Config{
		Log: a.log, Metrics: httpd.NewMetrics(
			m.registry), Trusted: proxies, DocsURL: a.config.BaseURL + "/docs/errors",
		Secure: strings.HasPrefix(a.config.BaseURL, "https://") &&
			!config.OnLoopback(a.config.BaseURL), Missing: site.Missing, Expensive: isExpensive,
	})
	httpd.Health(engine, parts(db, cat, searcher, limiter))
	rest := api.New(api.Options{
		Catalog: cat, Search: searcher, Checker: checker, Keys: ring, Limiter: limiter,
		Counter: counter, Meter: counter, Tools: answers, Changes: answers,
		BaseURL: a.config.BaseURL, Namespace: a.config.Namespace, Version: version, Brand: brand,
		Frame: site.Framed, Install: install.JSON, Dumps: a.dumpsDir(),
		CursorKey: from.key.derive("cursors"),
	})
	if from.roles.api {
		validate.Endpoint{BaseURL: a.config.BaseURL, Limiter: limiter}.Register(engine)
		rest.Register(engine)
		keyed := v1.New(v1.Options{
			API: rest, Figures: answers, Accounts: accounts, Webhooks: hooks, Offer: a.config.Offer(),
		})
		keyed.Register(engine)
		mcp.New(mcp.Options{
			API: rest, News: answers, Origins: a.config.MCPOriginList(), Stop: ctx,
			Log: a.log,
		}).Register(engine)
		subregistry.New(subregistry.Options{
			API: rest, Store: answers, Saved: keyed, Version: version,
		}).Register(engine)
	}
	accountPages.Register(engine)
	if a.config.StripeKey != "" {
		accountPages.RegisterWebhook(engine)
	}
	if from.roles.pages {
		site.Register(engine)
	} else {
		site.RegisterAssets(engine) // of the pages about the API
	}
	return engine, nil
}

func ignoreStop(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// firstIndexWithin is how long a process that starts is not ready without a search index: until then
// others answer searches better.
const firstIndexWithin = 2 * time.Minute

// parts returns the parts that /readyz reports.
func parts(
	db *postgres.DB, cat *catalog.Catalog, searcher *search.Fallback, limiter httpd.Limiter,
) []httpd.Component {
	began := time.Now()
	return []httpd.Component{
		{Name: "catalog", Needed: true, Check: func(context.Context) error {
			if !cat.Ready() {
				return errors.New("not loaded yet")
			}
			return nil
		}},
		{Name: "first index", Needed: true, Check: func(context.Context) error {
			switch _, why := searcher.State(); {
			case !errors.Is(why, search.ErrNotBuilt):
				return nil
			case time.Since(began) < firstIndexWithin:
				return errors.New("not built yet")
			}
			return fmt.Errorf("%w: not built within %s; searches scan the catalog", httpd.ErrDegraded, firstIndexWithin)
		}},
		{Name: "database", Check: func(ctx context.Context) error {
			if err := db.Ping(ctx); err != nil {
				return errors.New("degraded: " + postgres.Cause(err) + "; responses come from memory")
			}
			return nil
		}},
		{Name: "counting", Check: func(context.Context) error {
			if counts, ok := limiter.(*quota.Quota); ok && !counts.Away().IsZero() {
				return errors.New("degraded: requests are counted by each process alone since " +
					counts.Away().UTC().Format(time.RFC3339))
			}
			return nil
		}},
		{Name: "search", Check: func(context.Context) error {
			since, why := searcher.State()
			switch {
			case since.IsZero():
				return nil
			case errors.Is(why, search.ErrNotBuilt):
				return errors.New("degraded: the index is not built yet (with Meilisearch, a " +
					"worker builds it); searches scan the catalog")
			}
			return errors.New("degraded: the index is unavailable; searches scan the catalog")
		}},
	}
}

// watch adds the gauges of the read model and the search to the metrics.
func (a *app) watch(m *metrics, cat *catalog.Catalog, searcher *search.Fallback) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name,
			Help: help}, value))
	}
	gauge("census_catalog_servers", "Servers in the read model.",
		func() float64 { return float64(cat.View().Len()) })
	gauge("census_catalog_seq", "Number of the last change in the read model.",
		func() float64 { return float64(cat.View().Seq()) })
	gauge("census_search_degraded", "1 while searches are answered by a scan.", func() float64 {
		if since, _ := searcher.State(); !since.IsZero() {
			return 1
		}
		return 0
	})
}

// isExpensive reports whether a request costs more than some milliseconds of processor time, and
// waits for no other host: searches, also those of custom endpoints, other views, pages about servers,
// comparisons, feeds, pictures, the linter.
func isExpensive(r *http.Request, route string) bool {
	_, part, _ := strings.Cut(route, "/")
	part, rest, _ := strings.Cut(part, "/")
	switch part {
	case "", "servers", "categories", "tags", "owners", "compare", "stats", "lint", "social", "feed.atom":
		isWaiting := strings.HasPrefix(rest, ":slug/check") || strings.HasPrefix(rest, ":slug/pictures/")
		return r.Method != http.MethodOptions && !isWaiting
	}
	q := r.URL.Query()
	return q.Get("q") != "" || q.Get("search") != "" || route == "/v1/search" || route == "/v1/custom/:name" ||
		strings.HasPrefix(route, "/r/:view/")
}
