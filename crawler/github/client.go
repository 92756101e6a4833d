// Package github reads repositories from GitHub and finds them by its search.
//
// A [Client] visits repositories in batches by GraphQL where there is a token,
// one by one by REST where there is none. A [SearchSource] names repositories
// that may hold MCP servers. Everything goes through crawler/transport, which
// knows hosts, limits and credentials. This is the only package that imports
// go-github.
package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// DefaultURL is the REST base of github.com.
const DefaultURL = "https://api.github.com/"

// The resources of GitHub's limits that the crawl uses.
const (
	coreLimit    = "core"
	graphqlLimit = "graphql"
	searchLimit  = "search"
)

// fullAge is how old a snapshot may get before it is read again whole,
// whatever the probe says: counts of the last year slide without any push.
const fullAge = 30 * 24 * time.Hour

// contributorsAge is how old the number of contributors may get.
const contributorsAge = 30 * 24 * time.Hour

// Options configure a [Client]. All fields have defaults.
type Options struct {
	BaseURL   string // REST base, of github.com, an Enterprise server (…/api/v3/) or a stand-in
	Token     string // "" asks by REST at the 60 requests an hour of an unknown caller
	UserAgent string

	// Floor leaves that many of a budget's requests for others, by resource
	// ("core", "graphql", "search").
	Floor map[string]int
	// RESTPerMinute and GraphQLPerMinute bound the pace; 0 is 850 and 1,900,
	// a little below GitHub's secondary limits.
	RESTPerMinute    int
	GraphQLPerMinute int
	// MaxWait is the longest that a visit waits for a limit before it leaves
	// the rest of its work untouched; 0 is 10 s.
	MaxWait time.Duration

	// Accounts are shared by those that may have the same token; nil: no other
	// has it.
	Accounts *transport.Accounts

	ETags   transport.ETagStore // nil: 32 MiB in memory
	Base    http.RoundTripper   // what sends; nil: a transport of its own
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
	Observe func(transport.Event)
	Log     *slog.Logger
}

// A Client reads repositories from GitHub with one credential. Its methods are
// safe for concurrent use. It sends one GraphQL query at a time, because GitHub
// limits the server time of each caller.
type Client struct {
	// Texts returns the stored texts of a repository by path: those of files
	// that are the same in a new commit are not read again. Nil reads all. It
	// is set before the first visit.
	Texts func(ctx context.Context, repoID int64) (map[string]string, error)

	opt     Options
	api     *transport.Client
	graphql string // URL
	rest    *gh.Client

	// anonymous asks for what an organization shows to everybody but not to
	// this token.
	anonymous *transport.Client
	anonREST  *gh.Client

	turn   sync.Mutex // of GraphQL
	probes *sizer
	fulls  *sizer
	trees  *sizer
	blobs  *sizer
	others *sizer

	missing missingBreaker
}

// New returns a Client. It fails if the base URL or the token cannot be
// used.
func New(opt Options) (*Client, error) {
	if opt.BaseURL == "" {
		opt.BaseURL = DefaultURL
	}
	if opt.UserAgent == "" {
		opt.UserAgent = transport.UserAgent("dev", "")
	}
	if opt.RESTPerMinute == 0 {
		opt.RESTPerMinute = 850
	}
	if opt.GraphQLPerMinute == 0 {
		opt.GraphQLPerMinute = 1900
	}
	if opt.MaxWait == 0 {
		opt.MaxWait = 10 * time.Second
	}
	if opt.Accounts == nil {
		opt.Accounts = new(transport.Accounts)
	}
	if opt.ETags == nil {
		opt.ETags = transport.MemoryETags(32 << 20)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Sleep == nil {
		opt.Sleep = pause
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	g := &Client{
		opt:    opt,
		probes: newSizer(probeFields * probeIDs),
		fulls:  newSizer(20),
		trees:  newSizer(20),
		blobs:  newSizer(10),
		others: newSizer(20),
	}
	g.missing.now = opt.Now
	var err error
	if g.api, err = g.client(opt.Token); err != nil {
		return nil, err
	}
	g.rest = g.restClient(g.api)
	g.anonymous, g.anonREST = g.api, g.rest
	if opt.Token != "" {
		if g.anonymous, err = g.client(""); err != nil {
			return nil, err
		}
		g.anonREST = g.restClient(g.anonymous)
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

func (g *Client) client(token string) (*transport.Client, error) {
	return transport.New(transport.Options{
		Upstream:  registry.GitHub,
		BaseURL:   g.opt.BaseURL,
		Token:     token,
		UserAgent: g.opt.UserAgent,
		Header:    map[string]string{"X-Github-Next-Global-ID": "1"},
		Timeout:   20 * time.Second,
		MaxBody:   32 << 20,
		ETags:     g.opt.ETags,
		Accounts:  g.opt.Accounts,
		Resource:  resourceOf,
		Floor:     g.opt.Floor,
		PerMinute: map[string]int{coreLimit: g.opt.RESTPerMinute, graphqlLimit: g.opt.GraphQLPerMinute},
		MaxWait:   g.opt.MaxWait,
		Base:      g.opt.Base,
		Now:       g.opt.Now,
		Sleep:     g.opt.Sleep,
		Observe:   g.opt.Observe,
		Log:       g.opt.Log,
	})
}

// resourceOf names the limit that a request falls under. It looks at the end
// of the path: with a base path of any kind in front, a search is a search.
func resourceOf(req *http.Request) string {
	p := req.URL.Path
	switch {
	case strings.HasSuffix(p, "/graphql"):
		return graphqlLimit
	case strings.HasSuffix(p, "/search/repositories"):
		return searchLimit
	case strings.HasSuffix(p, "/search/code"):
		return "code_search"
	}
	return coreLimit
}

// restClient returns a go-github client on our transport. Its base URL is set
// directly, since WithEnterpriseURLs adds a path of its own, and it never gets
// a token, since it would send it to every host.
func (g *Client) restClient(c *transport.Client) *gh.Client {
	client := gh.NewClient(c.HTTP())
	client.BaseURL = c.BaseURL()
	client.UploadURL = c.BaseURL()
	client.UserAgent = g.opt.UserAgent
	return client
}

// HasToken reports whether GraphQL can be used: everything but the REST basics
// needs it.
func (g *Client) HasToken() bool { return g.api.HasCredential() }

// Budgets returns what is known of GitHub's limits, those of the token first.
func (g *Client) Budgets() []registry.Budget {
	list := g.api.Budgets()
	if g.anonymous != g.api {
		list = append(list, g.anonymous.Budgets()...)
	}
	return list
}

// Restore takes over the budgets that an earlier process saw.
func (g *Client) Restore(list []registry.Budget) {
	g.api.Restore(list)
	if g.anonymous != g.api {
		g.anonymous.Restore(list)
	}
}

// Ready returns nil if repositories can be asked for now, else a
// [*transport.LimitError], which says until when they cannot, or a
// [*transport.CredentialError].
func (g *Client) Ready() error {
	if g.HasToken() {
		return g.api.Ready(graphqlLimit)
	}
	return g.api.Ready(coreLimit)
}

// Backoff returns why repositories cannot be asked for now and when they can be
// again, a zero time if that is not known. The error is nil if they can be.
func (g *Client) Backoff() (until time.Time, why error) {
	why = g.Ready()
	if limit := limitOf(why); limit != nil {
		until = limit.Until
	}
	return until, why
}

// WithoutToken says, fit to show, what a token would change; "" with a token.
func (g *Client) WithoutToken() string {
	if g.HasToken() {
		return ""
	}
	return "GitHub is read without a token: 60 requests an hour instead of 5,000, enough for about 15 repositories; activity, issues, releases and most files stay unknown. Set GITHUB_TOKEN (no scopes needed)."
}

// A target is one piece of work on its way through a visit.
type target struct {
	work registry.Work
	repo registry.Repository
	snap *registry.Snapshot
	done bool // the visit has been given out

	activity     *activityDraft
	listed       bool // snap.Files was read now, and texts are to be read
	listedByREST bool
	broke        bool // texts that were asked for did not come
}

// progress reports what is known so far to the caller that asked for it.
func (t *target) progress() {
	if t.work.OnProgress != nil {
		t.work.OnProgress(t.repo, t.snap.Files)
	}
}

func (t *target) fail(part, reason string) {
	if t.snap.Failures == nil {
		t.snap.Failures = map[string]string{}
	}
	t.snap.Failures[part] = reason
}

// Visit asks GitHub about repositories and yields one visit for each of them,
// in an order of its own, as soon as it is known. Repositories it could not
// ask about because the budget is spent, the credential refused or the context
// cancelled get no visit: they were not touched, and [Client.Ready] says when
// to go on.
//
// Those that GitHub knows by id already are probed, 200 to a point, and read
// whole only if something changed, if they were last read whole 30 days ago or
// if they are forced. Give it many at once, 1,000 or more: what changed among
// them fills batches of 20.
func (g *Client) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		v := &visiting{g: g, yield: yield}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		v.stop = cancel
		var err error
		if g.HasToken() {
			err = v.byGraphQL(ctx, works)
		} else {
			err = v.byREST(ctx, works)
		}
		if err != nil && ctx.Err() == nil {
			g.opt.Log.Info("visit ended early", "err", err, "asked", len(works), "done", v.count)
		}
	}
}

// Resolve reads one repository whole and at once, for a check on demand.
// onProgress, if not nil, is called as [registry.Work.OnProgress] says. The
// visit's Work has the reference alone. If the budget is spent the visit is
// Failed with a [*transport.LimitError].
func (g *Client) Resolve(ctx context.Context, ref registry.RepoRef, onProgress func(registry.Repository, []registry.File)) registry.Visit {
	work := registry.Work{Ref: ref, Forced: true, OnProgress: onProgress}
	for visit := range g.Visit(ctx, []registry.Work{work}) {
		return visit
	}
	err := ctx.Err()
	if err == nil {
		err = g.Ready()
	}
	if err == nil {
		err = registry.Errorf(registry.ErrUnavailable, "GitHub did not answer; try again in a minute")
	}
	return registry.Visit{Work: work, Outcome: registry.Failed, Err: err}
}

// visiting is one call of Visit.
type visiting struct {
	g     *Client
	yield func(registry.Visit) bool
	stop  context.CancelFunc
	count int
	ended bool
}

// give hands out a visit; it reports false if nobody wants more.
func (v *visiting) give(visit registry.Visit) bool {
	if v.ended {
		return false
	}
	v.count++
	if !v.yield(visit) {
		v.ended = true
		v.stop()
	}
	return !v.ended
}

func (v *visiting) failed(t *target, err error) {
	if !t.done {
		t.done = true
		v.give(registry.Visit{Work: t.work, Outcome: registry.Failed, Err: err})
	}
}

func (v *visiting) missed(t *target, err error) {
	if !t.done {
		t.done = true
		v.give(registry.Visit{Work: t.work, Outcome: registry.Missing, Err: err})
	}
}

func (v *visiting) blocked(t *target, reason string) {
	if !t.done {
		t.done = true
		v.give(registry.Visit{Work: t.work, Outcome: registry.Blocked, Blocked: reason, Err: fmt.Errorf("GitHub withholds this repository (%s)", reason)})
	}
}

var errMissing = errors.New("GitHub knows no such repository, or it is private")

// validName reports whether owner and name may stand in a path: go-github does
// not escape them.
func validName(owner, name string) bool {
	ref, err := registry.ParseRepoRef(owner + "/" + name)
	return err == nil && ref.Owner == owner && ref.Name == name
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// stops reports whether an error ends a whole visit: a limit, a refused
// credential, or the end of the context.
func stops(err error) bool {
	var limit *transport.LimitError
	var cred *transport.CredentialError
	return errors.As(err, &limit) || errors.As(err, &cred) || errors.Is(err, context.Canceled) || errors.Is(err, errDown)
}

// plainURL keeps an address only if it is http or https.
func plainURL(s string) string {
	s = crawler.Clean(s, 500)
	if u, err := url.Parse(s); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	return s
}
