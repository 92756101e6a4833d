package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/avatar"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/github"
	"mcpcensus/crawler/picture"
	"mcpcensus/crawler/read"
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

// A hostClient reads repositories from one code host, within its rate limits.
type hostClient interface {
	jobs.Host
	// WithoutToken describes the limits of a client without a token, "" if it has one.
	WithoutToken() string
	// Capacity describes the requests that keep a number of known repositories current, "" if
	// their number is not planned. It returns an error if the rate limits, as last observed in
	// budgets, do not allow them.
	Capacity(known int, budgets []registry.Budget) (use string, err error)
	// Budgets returns the known rate limits, and Restore loads those of other processes; it
	// ignores those of other hosts.
	Budgets() []registry.Budget
	Restore([]registry.Budget)
}

type hostClients map[string]hostClient

func (h hostClients) hosts() jobs.Hosts {
	hosts := jobs.Hosts{}
	for id, client := range h {
		hosts[id] = client
	}
	return hosts
}

func (h hostClients) withoutToken() (notices []string) {
	for _, id := range slices.Sorted(maps.Keys(h)) {
		if notice := h[id].WithoutToken(); notice != "" {
			notices = append(notices, notice)
		}
	}
	return notices
}

type upstreams struct {
	crawl  hostClients // for the crawl
	checks hostClients // for checks on demand
	// texts returns the stored texts of a repository by path, which the crawl need not
	// re-read. It is nil without a database.
	texts    func(ctx context.Context, repo int64) (map[string]string, error)
	registry *upstream.MCPRegistry
	packages *upstream.Enricher
	sources  []jobs.Source
	avatars  jobs.AvatarSources // by host; empty: none are fetched
	pictures *picture.Client    // of READMEs; nil: none are fetched
	trouble  jobs.Outage        // of sharing limits
	reader   *read.Pool
	strikes  *read.Strikes // nil without a database
}

// newUpstreams returns the configured clients.
func newUpstreams(
	c config.Config, log *slog.Logger, reader *read.Pool, observe func(transport.Event),
) (*upstreams, error) {
	agent := transport.UserAgent(version, c.Contact)
	u := &upstreams{packages: new(upstream.Enricher), reader: reader}
	crawl, err := u.connect(c, github.Options{BaseURL: c.GitHubURL,
		Credentials: new(transport.Credentials), // the crawl and the checks may have one token
		UserAgent:   agent, Observe: observe, Log: log})
	if err != nil {
		return nil, err
	}
	options := func(base string) upstream.Options {
		return upstream.Options{Base: base, UserAgent: agent, Observe: observe, Log: log}
	}
	var errs [7]error
	u.registry, errs[0] = upstream.NewMCPRegistry(options(c.RegistryURL))
	u.packages.DepsDev, errs[1] = upstream.NewDepsDev(options(c.DepsDevURL))
	u.packages.OSV, errs[2] = upstream.NewOSV(options(c.OSVURL))
	u.packages.NPM, errs[3] = upstream.NewNPMDownloads(options(c.NPMURL))
	u.packages.PyPI, errs[4] = upstream.NewPyPIStats(options(c.PyPIStatsURL))
	u.packages.Images, errs[5] = upstream.NewImages(options(c.ImagesURL))
	if c.Archives == "on" && errs[1] == nil {
		u.packages.Archives, errs[6] = upstream.NewArchives(u.packages.DepsDev, reader,
			options(c.NPMRegistryURL), options(c.PyPIURL))
		u.packages.Archives.Guard = func(
			ctx context.Context, what, of string, f func() error,
		) error {
			return u.strikes.Guard(ctx, what, of, f)
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	public := registry.HostOf(registry.GitHub).Avatars
	address := c.AvatarsURL
	if strings.TrimRight(c.GitHubURL, "/") == "https://api.github.com" {
		address = cmp.Or(address, public)
		u.pictures = picture.New(transport.Guard{}, agent)
	}
	if address != "" {
		a, err := avatar.New(avatar.Options{Public: public, Base: address, UserAgent: agent,
			Observe: observe, Log: log})
		if err != nil {
			return nil, err
		}
		u.avatars = jobs.AvatarSources{registry.GitHub: a}
	}
	u.sources = []jobs.Source{u.registry}
	if crawl.HasToken() {
		u.sources = append(u.sources, github.NewSearchSource(crawl))
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

// guardPart is [read.Strikes.GuardPart].
func (u *upstreams) guardPart(ctx context.Context, what, of string, f func() error) error {
	return u.strikes.GuardPart(ctx, what, of, f)
}

// connect sets the clients of GitHub for the crawl and for checks, and returns the first.
func (u *upstreams) connect(c config.Config, opt github.Options) (*github.Client, error) {
	client := func(variable, token string, floor int) (*github.Client, error) {
		opt.Variable, opt.Token, opt.Floor = variable, token, nil
		if floor > 0 && token != "" {
			opt.Floor = map[string]int{"core": floor, "graphql": floor}
		}
		g, err := github.New(opt)
		if err != nil {
			return nil, err
		}
		pace := git.DefaultPace
		if config.OnLoopback(c.GitURL) {
			pace = transport.Pace{Max: 10_000}
		}
		files, err := git.New(registry.HostOf(registry.GitHub), git.Options{BaseURL: c.GitURL,
			Token: token, Pace: pace, Transport: transport.Options{UserAgent: opt.UserAgent, Variable: variable,
				Credentials: opt.Credentials, Observe: opt.Observe, Log: opt.Log}})
		if err != nil {
			return nil, err
		}
		g.Contents = &crawler.Contents{Git: files, Imports: u.reader.Imports, Guard: u.guardPart,
			Now: time.Now}
		return g, nil
	}
	const variable = "GITHUB_TOKEN"
	floor, checkFloor := 0, 0
	checkVariable, checkToken := "CENSUS_GITHUB_CHECK_TOKEN", c.CheckToken
	if checkToken == "" {
		floor, checkFloor, checkVariable, checkToken = crawlReserve, checkReserve, variable, c.GitHubToken
	}
	crawl, err := client(variable, c.GitHubToken, floor)
	if err != nil {
		return nil, err
	}
	crawl.Contents.Texts = func(ctx context.Context, repo int64) (map[string]string, error) {
		if u.texts == nil {
			return nil, nil
		}
		return u.texts(ctx, repo)
	}
	checks, err := client(checkVariable, checkToken, checkFloor)
	if err != nil {
		return nil, err
	}
	u.crawl, u.checks = hostClients{registry.GitHub: crawl}, hostClients{registry.GitHub: checks}
	return crawl, nil
}

// budgets returns the known rate limits of the code hosts, each credential once, and that of the official
// registry.
func (u *upstreams) budgets() (list []registry.Budget) {
	list = u.registry.Budgets()
	for _, clients := range []hostClients{u.crawl, u.checks} {
		for _, id := range slices.Sorted(maps.Keys(clients)) {
			for _, b := range clients[id].Budgets() {
				if !slices.ContainsFunc(list, func(have registry.Budget) bool {
					return have.Upstream == b.Upstream && have.Credential == b.Credential &&
						have.Resource == b.Resource
				}) {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

// shareBudgets stores this process's view of the code hosts' limits and loads the views of
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
	for _, clients := range []hostClients{u.crawl, u.checks} {
		for _, client := range clients {
			client.Restore(list)
		}
	}
	return nil
}
