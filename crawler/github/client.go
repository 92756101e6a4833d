// Package github reads the metadata of repositories from GitHub and finds them by its search.
//
// A [Client] reads metadata in batches, by GraphQL where there is a token and by search without
// one, and files and commits with git. A [SearchSource] finds repositories that may
// contain MCP servers. All requests go through crawler/transport, which enforces
// hosts, limits and credentials. This is the only package that imports go-github.
package github

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// DefaultURL is the REST base of github.com.
const DefaultURL = "https://api.github.com/"

// host is the code host that this package reads.
var host = registry.HostOf(registry.GitHub)

// The resources of GitHub's limits that the crawl uses.
const (
	coreLimit    = "core"
	graphqlLimit = "graphql"
	searchLimit  = "search"
)

// fullAge is the maximum age of a snapshot before a full re-read, regardless of the probe:
// counts over the last year change without a push.
const fullAge = 30 * 24 * time.Hour

// Options configure a [Client]. All fields are optional. BaseURL may be that of a GitHub
// Enterprise Server (…/api/v3/). Without a Token, metadata are read by search. The client sets
// Upstream, Header, Resource and Refusal.
type Options = transport.Options

// withDefaults returns the options with defaults for unset fields.
func withDefaults(o Options) Options {
	o.Upstream, o.BaseURL = host.ID, cmp.Or(o.BaseURL, DefaultURL)
	o.Header = map[string]string{"X-Github-Next-Global-ID": "1"}
	o.Resource, o.Refusal = resourceOf, refusalOf
	o.MaxWait = cmp.Or(o.MaxWait, 10*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	if o.PerMinute == nil { // slightly below GitHub's secondary limits
		o.PerMinute = map[string]int{coreLimit: 850, graphqlLimit: 1900}
	}
	if o.ETags == nil {
		o.ETags = transport.NewETags(32 << 20)
	}
	return o.WithDefaults()
}

// A Client reads repositories from GitHub with one credential. Its methods are
// safe for concurrent use. It sends one GraphQL query at a time, because GitHub
// limits the server time of each caller.
type Client struct {
	// Contents reads files and commits. It must be set before the first visit.
	Contents *crawler.Contents

	opt        Options
	connection        // with the token, if there is one
	graphql    string // URL

	// anonymous reads repositories that an organization hides from this token only.
	anonymous connection

	turn   sync.Mutex // of GraphQL
	probes *batchSize
	fulls  *batchSize

	missing missingBreaker
}

// A connection sends REST requests, with or without a token.
type connection struct {
	api  *transport.Client
	rest *gh.Client // on api
}

// New returns a Client. It fails if the base URL or the token is invalid.
func New(opt Options) (*Client, error) {
	opt = withDefaults(opt)
	g := &Client{
		opt:    opt,
		probes: newBatchSize(probeFields * probeIDs),
		fulls:  newBatchSize(fullRepos),
	}
	g.missing.now = opt.Now
	var err error
	if g.connection, err = g.connect(opt.Token); err != nil {
		return nil, err
	}
	g.anonymous = g.connection
	if opt.Token != "" {
		if g.anonymous, err = g.connect(""); err != nil {
			return nil, err
		}
	}
	g.opt.Token = ""
	base := g.api.BaseURL()
	if strings.HasSuffix(base.Path, "/api/v3/") {
		base.Path = strings.TrimSuffix(base.Path, "v3/")
	}
	base.Path += "graphql"
	g.graphql = base.String()
	return g, nil
}

// connect returns a connection. Its go-github client has its base URL set
// directly, because WithEnterpriseURLs adds a path, and never has the token,
// because go-github would send it to every host.
func (g *Client) connect(token string) (connection, error) {
	opt := g.opt
	opt.Token, opt.GivesUp = token, true
	api, err := transport.New(opt)
	if err != nil {
		return connection{}, err
	}
	rest := gh.NewClient(api.HTTP())
	rest.BaseURL, rest.UploadURL, rest.UserAgent = api.BaseURL(), api.BaseURL(), g.opt.UserAgent
	return connection{api, rest}, nil
}

// resourceOf returns the limit that a request counts against. It matches the end of the path,
// because the base path varies.
func resourceOf(req *http.Request) string {
	p := req.URL.Path
	switch {
	case strings.HasSuffix(p, "/graphql"):
		return graphqlLimit
	case strings.HasSuffix(p, "/search/repositories"):
		return searchLimit
	}
	return coreLimit
}

// HasToken reports whether the client has a token. GraphQL requires one.
func (g *Client) HasToken() bool { return g.api.HasCredential() }

// Budgets returns GitHub's known limits, those of the token first.
func (g *Client) Budgets() []registry.Budget {
	list := g.api.Budgets()
	if g.anonymous != g.connection {
		list = append(list, g.anonymous.api.Budgets()...)
	}
	if g.Contents != nil {
		list = append(list, g.Contents.Git.Budgets()...)
	}
	return list
}

// Restore sets the budgets that an earlier process observed.
func (g *Client) Restore(list []registry.Budget) {
	g.api.Restore(list)
	if g.anonymous != g.connection {
		g.anonymous.api.Restore(list)
	}
	if g.Contents != nil {
		g.Contents.Git.Restore(list)
	}
}

// Ready returns nil if repositories can be requested now, and otherwise a [*transport.LimitError]
// or a [*transport.CredentialError].
func (g *Client) Ready() error {
	resource := searchLimit
	if g.HasToken() {
		resource = graphqlLimit
	}
	if err := g.api.Ready(resource); err != nil || g.Contents == nil {
		return err
	}
	return g.Contents.Git.Ready()
}

// Backoff returns why repositories cannot be requested now and when to retry, a zero time if
// unknown. The error is nil if they can be requested. known is whether they were read before:
// without a token, others are read with git even if GitHub does not allow searches.
func (g *Client) Backoff(known bool) (until time.Time, why error) {
	if g.HasToken() || known || g.Contents == nil {
		why = g.Ready()
	} else {
		why = g.Contents.Git.Ready()
	}
	if limit := limitOf(why); limit != nil {
		until = limit.Until
	}
	return until, why
}

// WithoutToken describes the limitations without a token; "" with a token.
func (g *Client) WithoutToken() string {
	if g.HasToken() {
		return ""
	}
	return "GitHub is read without a token, at the pace that it allows anyone: the most used " +
		"repositories first. Releases, issues, checks, languages and verified organizations stay " +
		"unknown. Set GITHUB_TOKEN (no scopes needed)."
}

// PathActivity returns the activity of the commits that changed each path; see
// [crawler.Contents.PathActivity].
func (g *Client) PathActivity(
	ctx context.Context, repo registry.Repository, paths []string,
) (map[string]registry.Activity, map[string]string, error) {
	return g.Contents.PathActivity(ctx, repo, paths)
}

// Visit reads repositories and yields one visit for each, in any order, as soon as it is
// complete. It stops early if the budget is spent, the credential rejected or ctx done: the
// remaining repositories get no visit, and [Client.Backoff] returns when to continue.
//
// Repositories with a known node ID are probed first, 200 for one GraphQL point. They are read in
// full only if something changed, if the last full read is 30 days old, or if forced. Pass 1,000
// or more at once, so that changed ones fill batches.
func (g *Client) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		v := &visitor{g: g, yield: yield, read: make(chan contents, readers)}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		v.stop = cancel
		var err error
		if g.HasToken() {
			err = v.byGraphQL(ctx, works)
		} else {
			err = v.bySearch(ctx, works)
		}
		v.await(ctx, 0)
		err = cmp.Or(err, v.stopped)
		if err != nil && ctx.Err() == nil {
			g.opt.Log.Info("visit ended early", "err", err, "requested", len(works), "done", v.count)
		}
	}
}

// Resolve reads one repository in full immediately, for an on-demand check. onProgress may be
// nil; see [registry.Work.OnProgress]. The visit's Work contains only the reference. If the
// budget is spent, the visit is Failed with a [*transport.LimitError].
func (g *Client) Resolve(
	ctx context.Context, ref registry.RepoRef,
	onProgress func(registry.Repository, []registry.File),
) registry.Visit {
	work := registry.Work{Ref: ref, Forced: true, OnProgress: onProgress}
	for visit := range g.Visit(ctx, []registry.Work{work}) {
		if visit.Again && g.HasToken() { // nothing is left for another visit
			t := &target{work: work, snap: visit.Snapshot}
			v := &visitor{g: g, due: []*target{t}, yield: func(registry.Visit) bool { return true }}
			v.withIssues(ctx)
		}
		return visit
	}
	err := ctx.Err()
	if err == nil {
		_, err = g.Backoff(false)
	}
	if err == nil {
		err = registry.Errorf(registry.ErrUnavailable,
			"GitHub did not respond; try again in a minute")
	}
	return registry.Visit{Work: work, Outcome: registry.Failed, Err: err}
}

// validName reports whether owner and name are safe in a path: go-github does not escape them.
func validName(owner, name string) bool {
	ref, err := registry.ParseRepoRef(owner + "/" + name)
	return err == nil && ref.Owner == owner && ref.Name == name
}

// stops reports whether an error ends the visit: a limit, a rejected credential, or the end of
// the context.
func stops(err error) bool {
	_, isRejected := errors.AsType[*transport.CredentialError](err)
	return limitOf(err) != nil || isRejected ||
		errors.Is(err, context.Canceled) || errors.Is(err, errDown) || errors.Is(err, transport.ErrSilent)
}

// limitOf returns the limit behind an error, or nil.
func limitOf(err error) *transport.LimitError {
	limit, _ := errors.AsType[*transport.LimitError](err)
	return limit
}

// plainURL returns a URL if it is http or https, otherwise "".
func plainURL(s string) string {
	s = text.Clean(s, 500)
	if u, err := url.Parse(s); err != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		u.Host == "" {
		return ""
	}
	return s
}
