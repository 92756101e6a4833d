package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"mcpcensus/crawler"
	"mcpcensus/crawler/github"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/config"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// If the crawl and checks on demand share a credential, the crawl stops at the
// first reserve, so that requests remain for visitors, and the checks stop at
// the second.
const crawlReserve, checkReserve = 1500, 500

// upstreams are the clients of all upstream services.
type upstreams struct {
	crawl    *github.Client // for the crawl
	checks   *github.Client // for checks on demand
	registry *upstream.MCPRegistry
	packages *upstream.Enricher
	sources  []jobs.Source
}

// newUpstreams returns the clients that the configuration names.
func newUpstreams(
	c config.Config, log *slog.Logger, observe func(transport.Event),
) (*upstreams, error) {
	agent := transport.UserAgent(version, c.Contact)
	accounts := new(transport.Accounts) // the crawl and the checks may have one token
	connect := func(token string, floor int) (*github.Client, error) {
		opt := github.Options{BaseURL: c.GitHubURL, Token: token, Accounts: accounts,
			UserAgent: agent, Observe: observe, Log: log}
		if floor > 0 && token != "" {
			opt.Floor = map[string]int{"core": floor, "graphql": floor}
		}
		return github.New(opt)
	}
	u := new(upstreams)
	var err error
	shared := c.CheckToken == ""
	floor, checkFloor, checkToken := 0, 0, c.CheckToken
	if shared {
		floor, checkFloor, checkToken = crawlReserve, checkReserve, c.GitHubToken
	}
	if u.crawl, err = connect(c.GitHubToken, floor); err != nil {
		return nil, err
	}
	if u.checks, err = connect(checkToken, checkFloor); err != nil {
		return nil, err
	}
	options := func(base string) upstream.Options {
		return upstream.Options{Base: base, UserAgent: agent, Observe: observe, Log: log}
	}
	u.packages = new(upstream.Enricher)
	if u.registry, err = upstream.NewMCPRegistry(options(c.RegistryURL)); err != nil {
		return nil, err
	}
	if u.packages.DepsDev, err = upstream.NewDepsDev(options(c.DepsDevURL)); err != nil {
		return nil, err
	}
	if u.packages.OSV, err = upstream.NewOSV(options(c.OSVURL)); err != nil {
		return nil, err
	}
	if u.packages.NPM, err = upstream.NewNPMDownloads(options(c.NPMURL)); err != nil {
		return nil, err
	}
	if u.packages.PyPI, err = upstream.NewPyPIStats(options(c.PyPIStatsURL)); err != nil {
		return nil, err
	}
	if u.packages.Images, err = upstream.NewImages(options(c.ImagesURL)); err != nil {
		return nil, err
	}
	u.registry.LatestOnly = true // a quarter of the pages: thousands of servers within minutes
	u.sources = []jobs.Source{u.registry}
	if u.crawl.HasToken() {
		u.sources = append(u.sources, github.NewSearchSource(u.crawl))
	}
	for _, location := range c.ListLocations() {
		list, err := crawler.NewListSource(crawler.ListOptions{Location: location,
			Loopback: config.OnLoopback(location), UserAgent: agent, Log: log})
		if err != nil {
			return nil, fmt.Errorf("CENSUS_LISTS: %w", err)
		}
		u.sources = append(u.sources, list)
	}
	return u, nil
}

// budgets returns the known rate limits of GitHub, each credential once.
func (u *upstreams) budgets() []registry.Budget {
	list := u.crawl.Budgets()
	for _, b := range u.checks.Budgets() {
		if !slices.ContainsFunc(list, func(have registry.Budget) bool {
			return have.Upstream == b.Upstream && have.Credential == b.Credential &&
				have.Resource == b.Resource
		}) {
			list = append(list, b)
		}
	}
	return list
}

// shareBudgets stores this process's view of GitHub's limits and loads that of
// others: a credential that must wait waits in all processes.
func (u *upstreams) shareBudgets(ctx context.Context, db *postgres.DB) error {
	for _, b := range u.budgets() {
		if err := db.SaveBudget(ctx, b); err != nil {
			return err
		}
	}
	list, err := db.Budgets(ctx)
	if err != nil {
		return err
	}
	u.crawl.Restore(list)
	u.checks.Restore(list)
	return nil
}

// crawlHosts are the code hosts that the crawl reads.
func (u *upstreams) crawlHosts() jobs.Hosts { return jobs.Hosts{registry.GitHub: u.crawl} }

// checkHosts are the code hosts that checks on demand read.
func (u *upstreams) checkHosts() jobs.Hosts { return jobs.Hosts{registry.GitHub: u.checks} }
