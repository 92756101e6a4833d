package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/crawler"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/probe"
	"mcpcensus/crawler/read"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/config"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/jobs"
)

func (a *app) newCrawler(db *postgres.DB, up *upstreams, observe jobs.Observer) *jobs.Crawler {
	up.texts = db.Texts
	up.strikes = cmp.Or(up.strikes, &read.Strikes{Store: db, Log: a.log})
	return &jobs.Crawler{
		Ingester: jobs.Ingester{
			Facts: db, Results: db, SDK: up.packages.SDK, Hosts: up.crawl.hosts(),
			Reader: up.reader, Strikes: up.strikes, Texts: db.Texts, Log: a.log, Now: time.Now,
		},
		Queue: db, Discoveries: db, Sources: up.sources, Observe: observe,
	}
}

func (a *app) newPackager(db *postgres.DB, up *upstreams, observe jobs.Observer) *jobs.Packager {
	return &jobs.Packager{Store: db, Enrich: up.packages, Log: a.log, Now: time.Now,
		Observe: observe, RetryAt: upstream.RetryAt}
}

// newProber returns a prober of endpoints, in the demo of made-up ones. The official
// registry is the control of our own network. The prober's clock is ago behind, which is
// 0 except while the demo is filled.
func (a *app) newProber(
	db *postgres.DB, observe jobs.Observer, ago time.Duration,
) *jobs.Prober {
	now := func() time.Time { return time.Now().Add(-ago) }
	opt := probe.Options{Now: now, Exclude: config.Hosts(a.config.ProbeExclude),
		UserAgent: "census-probe/1 (+" + a.config.BaseURL + "/docs/tools#probes; " +
			cmp.Or(a.config.Contact, transport.DefaultContact) + ")"}
	if a.demo {
		opt.Base = fakegithub.Endpoints(ago)
	}
	return &jobs.Prober{Store: db, Endpoints: probe.New(opt), Control: a.config.RegistryURL,
		Log: a.log, Now: now, Observe: observe}
}

func (a *app) crawlCommand() *cobra.Command {
	var (
		sources []string
		limit   int
		dryRun  bool
	)
	cmd := &cobra.Command{
		Use: "crawl", Short: "Read all sources, visit due repositories and update package data once",
		Args: none,
		Long: "Reads the sources, visits every due repository and requests data on its packages " +
			"from the package services.\n" +
			"It can be interrupted at any time; running it again continues.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if limit < 0 {
				return usageError{errors.New("--limit must be 0 (no limit) or more")}
			}
			up, err := newUpstreams(a.config, a.log, a.reader, nil)
			if err != nil {
				return err
			}
			chosen, err := chooseSources(up.sources, sources)
			if err != nil {
				return err
			}
			if dryRun {
				return a.dryRun(ctx, chosen, limit)
			}
			return a.withStore(ctx, func(db *postgres.DB) error {
				for _, notice := range up.crawl.withoutToken() {
					a.log.Warn(notice)
				}
				return a.crawlOnce(ctx, db, up, chosen, limit)
			})
		},
	}
	cmd.Flags().StringSliceVar(&sources, "source", nil,
		"names of the sources to read (default all)")
	cmd.Flags().IntVar(&limit, "limit", 0,
		"maximum number of candidates per source and of repositories to visit; 0 means no limit")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false,
		"print the candidates of the sources and store nothing")
	return cmd
}

// chooseSources returns the sources with the given names, or all of them if
// names is empty.
func chooseSources(all []jobs.Source, names []string) ([]jobs.Source, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, s := range all {
		known = append(known, s.Name())
	}
	var chosen []jobs.Source
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, usageError{fmt.Errorf(
				"unknown source %q; available: %s (and code hosts with a token, and the lists of "+
					"CENSUS_LISTS)", name, strings.Join(known, ", "))}
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// dryRun prints the candidates of the sources.
func (a *app) dryRun(ctx context.Context, sources []jobs.Source, limit int) error {
	out := bufio.NewWriter(a.stdout)
	defer out.Flush()
	for _, s := range sources {
		n := 0
		enough := errors.New("enough")
		err := s.Discover(ctx, nil, func(batch []registry.Candidate, _ []byte) error {
			for _, c := range batch {
				if limit > 0 && n >= limit {
					return enough
				}
				n++
				name := c.Ref.String()
				if c.Ref.Name == "" && c.Listing != nil {
					name = c.Listing.Name + " (no repository)"
				}
				fmt.Fprintf(out, "%s\t%s\n", c.Source, name)
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	return nil
}

// crawlOnce reads the sources, visits due repositories and updates package data
// until nothing is due.
func (a *app) crawlOnce(
	ctx context.Context, db *postgres.DB, up *upstreams, sources []jobs.Source, limit int,
) error {
	a.shareBudgets(ctx, db, up)
	var bar *progress
	observe := jobs.Observer{
		Found:    func(_ string, n int) { bar.add(n) },
		Visited:  func(registry.Outcome) { bar.add(1) },
		Packages: func(string, bool) { bar.add(1) },
	}
	c := a.newCrawler(db, up, observe)
	if err := c.TakeOver(ctx); err != nil {
		return err
	}
	var failures []error
	for _, s := range sources {
		bar = newProgress(a.log, "candidates of "+s.Name(), -1)
		_, err := c.Discover(ctx, s, limit)
		bar.finish()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.log.Error("source not read completely", "source", s.Name(), "err", err)
			failures = append(failures, err)
		}
	}
	step := func(what string, due func(registry.Status) int, do func() error) error {
		status, err := db.Status(ctx, time.Now())
		if err != nil {
			return err
		}
		bar = newProgress(a.log, what, due(status))
		defer bar.finish()
		return do()
	}
	visits := func(s registry.Status) int {
		if limit > 0 {
			return min(s.Due, limit)
		}
		return s.Due
	}
	if err := step("repositories visited", visits,
		func() error { return a.refreshAll(ctx, db, c, limit) }); err != nil {
		return err
	}
	p := a.newPackager(db, up, observe)
	if err := step("packages updated", packagesDue,
		func() error { return a.updateAll(ctx, db, p.Facts, packagesDue) }); err != nil {
		return err
	}
	if err := step("download counts", downloadsDue, func() error {
		return a.updateAll(ctx, db, p.Downloads, downloadsDue)
	}); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		a.log.Warn("some download counts are still missing and will be requested later", "err", err)
	}
	a.shareBudgets(ctx, db, up)
	if err := jobs.Snapshot(ctx, db, time.Now(), a.log); err != nil {
		return err
	}
	status, err := db.Status(ctx, time.Now())
	if err != nil {
		return err
	}
	if err := db.Freshness(ctx, &status); err != nil {
		return err
	}
	printStatus(a.stdout, status, up.crawl)
	return errors.Join(failures...)
}

func packagesDue(s registry.Status) int { return s.PackagesDue }

func downloadsDue(s registry.Status) int { return s.DownloadsDue }

// refreshAll visits due repositories, and waits for leases of other and of
// killed workers.
func (a *app) refreshAll(ctx context.Context, db *postgres.DB, c *jobs.Crawler, limit int) error {
	for {
		n, err := c.Refresh(ctx, limit)
		if err != nil {
			return err
		}
		if limit > 0 {
			if limit -= n; limit <= 0 {
				return nil
			}
		}
		status, err := db.Status(ctx, time.Now())
		if err != nil {
			return err
		}
		if status.Leased == 0 {
			return nil
		}
		if err := transport.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// updateAll updates package data until nothing is due, and waits for leases of
// other processes.
func (a *app) updateAll(
	ctx context.Context, db *postgres.DB, ask func(context.Context) (int,
		error), due func(registry.Status) int,
) error {
	for {
		if _, err := ask(ctx); err != nil {
			return err
		}
		status, err := db.Status(ctx, time.Now())
		if err != nil || due(status) == 0 {
			return err
		}
		if err := transport.Sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// shareBudgets stores the known upstream rate limits, for status and other
// processes, and loads theirs.
func (a *app) shareBudgets(ctx context.Context, db *postgres.DB, up *upstreams) {
	if err := up.shareBudgets(ctx, db); ctx.Err() == nil {
		up.trouble.Note(ctx, a.log, "share upstream limits", err)
	}
}

func (a *app) addCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "add URL… | add -f FILE", Short: "Queue repositories for crawling",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			lines := args
			if file != "" {
				more, err := readLines(file, cmd.InOrStdin())
				if err != nil {
					return err
				}
				lines = append(lines, more...)
			}
			if len(lines) == 0 {
				return usageError{errors.New(
					"missing repositories, such as " + registry.ExampleURL() + ", or -f FILE " +
						"with one per line")}
			}
			var candidates []registry.Candidate
			refused := 0
			for n, line := range lines {
				ref, err := parseRepository(line)
				if err != nil && n >= len(args) {
					links := crawler.Links(line, "manual")
					if candidates = append(candidates, links...); len(links) > 0 ||
						isMarkdown(file) {
						continue
					}
				}
				if err != nil {
					fmt.Fprintf(a.stderr, "not added: %s\n", words(err))
					refused++
					continue
				}
				candidates = append(candidates, registry.Candidate{Ref: ref, Source: "manual"})
			}
			if len(candidates) == 0 {
				return registry.Errorf(registry.ErrInvalid,
					"nothing added: none of the %d entries is a repository", len(lines))
			}
			return a.withStore(ctx, func(db *postgres.DB) error {
				added, err := db.Enqueue(ctx, candidates, time.Now())
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%d added, %d already known, %d refused.\n", added,
					len(candidates)-added, refused)
				if refused > 0 {
					return registry.Errorf(registry.ErrInvalid, "%s not added; the others were",
						text.Count(refused, "line"))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "",
		"a file with one repository per line, or a Markdown list of links; - is standard input; "+
			"# begins a "+
			"comment")
	return cmd
}

// parseRepository parses a repository in a command line. Errors include the input.
func parseRepository(text string) (registry.RepoRef, error) {
	ref, err := registry.ParseRepoRef(text)
	e, ok := errors.AsType[*registry.Error](err)
	if !ok {
		return ref, err
	}
	if len(text) > 100 {
		text = text[:100] + "…"
	}
	named := *e
	named.Msg = fmt.Sprintf("%q: %s", text, e.Msg)
	if len(e.Fields) == 1 {
		named.Msg = fmt.Sprintf("%q %s", text, e.Fields[0].Message)
	}
	return ref, &named
}

// isMarkdown reports whether a file is Markdown, whose lines may be prose.
func isMarkdown(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	return ext == ".md" || ext == ".markdown"
}

// readLines returns the lines of a file that are neither empty nor comments.
func readLines(file string, stdin io.Reader) ([]string, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read the list of repositories: %w", err)
		}
		defer f.Close()
		r = f
	}
	var lines []string
	in := bufio.NewScanner(r)
	in.Buffer(nil, 64<<10)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lines, nil
}

// A progress logs the progress of a long operation every few seconds.
type progress struct {
	what string
	log  *slog.Logger

	mu      sync.Mutex
	done    int
	total   int // -1: unknown
	started time.Time
	printed time.Time
}

// newProgress starts logging the progress of what. total is -1 if unknown.
func newProgress(log *slog.Logger, what string, total int) *progress {
	return &progress{what: what, log: log, total: total, started: time.Now(), printed: time.Now()}
}

func (p *progress) set(n int) { p.change(func() { p.done = n }) }

func (p *progress) of(done, total int) { p.change(func() { p.done, p.total = done, total }) }

func (p *progress) add(n int) { p.change(func() { p.done += n }) }

func (p *progress) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	if time.Since(p.printed) >= 5*time.Second {
		p.line()
	}
}

func (p *progress) line() {
	p.printed = time.Now()
	rate := float64(p.done) / time.Since(p.started).Seconds()
	attrs := []any{"done", p.done, "per_second", fmt.Sprintf("%.1f", rate)}
	if p.total > 0 {
		attrs = append(attrs, "of", p.total)
		if rate > 0 && p.done < p.total {
			attrs = append(attrs, "left",
				time.Duration(float64(p.total-p.done)/rate*float64(time.Second)).Round(
					time.Second).String())
		}
	}
	p.log.Info(p.what, attrs...)
}

// finish writes a last line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line()
}
