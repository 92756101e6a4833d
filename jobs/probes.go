package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/settings"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// An EndpointProber probes endpoints.
type EndpointProber interface {
	// Probe returns the current state of an endpoint, without a history.
	Probe(ctx context.Context, url string) registry.Probe
	// Reachable reports whether a URL returns any HTTP response.
	Reachable(ctx context.Context, url string) bool
}

// ProbeStore is the queue of endpoints; postgres.DB describes the methods.
type ProbeStore interface {
	PackageStore
	PopularRemotes(ctx context.Context, n int) ([]string, error)
	ProbeCounts(
		ctx context.Context, urls []string, from time.Time,
	) (map[string]registry.ProbeCount, error)
	SaveProbe(ctx context.Context, f registry.PackageFacts, next time.Time, counted, up bool) error
}

const (
	probeEvery        = 6 * time.Hour
	popularProbeEvery = time.Hour
	popularRemotes    = 1000
	// popularFor is how long the list of popular endpoints is used.
	popularFor = time.Hour
	// Endpoints that have been down for a week or a month are probed less often.
	weekDown, monthDown           = 7 * 24 * time.Hour, 30 * 24 * time.Hour
	weekDownEvery, monthDownEvery = 24 * time.Hour, 7 * 24 * time.Hour

	// An endpoint counts as down after downMisses misses over downAfter.
	downMisses  = 3
	downAfter   = 6 * time.Hour
	missedEvery = 3 * time.Hour

	probeBatch   = 24
	probesAtOnce = 8 // hosts
	probeTTL     = time.Hour
	// controlFor is how long a response of another endpoint proves that our own network works.
	// Without one, a probe is repeated after uncontrolledRetry.
	controlFor, uncontrolledRetry = 5 * time.Minute, 15 * time.Minute
	// uptimeDays is the period of the uptime, and keepProbeDays how long daily
	// counts are stored.
	uptimeDays, keepProbeDays = 30, 90
	// keepUnnamed is how long endpoints are probed that no server has any more.
	keepUnnamed = 7 * 24 * time.Hour
	// storeEvery is how often unchanged facts of an endpoint are copied to its servers.
	storeEvery = 20 * time.Hour
)

// A Prober keeps the facts on endpoints, and the servers that have them, up to date.
type Prober struct {
	Store     ProbeStore
	Endpoints EndpointProber
	// Control is a URL that shows whether our own network works if no endpoint responds; ""
	// for none.
	Control string
	Log     *slog.Logger
	Now     func() time.Time
	Observe Observer

	popular   map[string]bool
	popularAt time.Time
	answered  map[string]time.Time // last response by host
}

// Run probes due endpoints until none are left or ctx is done. It returns immediately while
// another process runs it. It must not be called concurrently.
func (p *Prober) Run(ctx context.Context) (n int, err error) {
	release, ok, err := begin(ctx, p.Store, registry.PackageProbeKind)
	if err != nil || !ok {
		return 0, err
	}
	defer release()
	for {
		batch, err := p.Store.LeasePackages(ctx, registry.PackageProbeKind, nil, probeBatch, probeTTL, p.Now())
		if err != nil || len(batch) == 0 {
			return n, err
		}
		if err := p.findPopular(ctx); err != nil {
			return n, err
		}
		keys := keysOf(batch)
		got := p.probeAll(ctx, keys)
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err := p.keep(ctx, keys, got); err != nil {
			return n, err
		}
		n += len(batch)
	}
}

// findPopular reads the popular endpoints, if the known ones are old.
func (p *Prober) findPopular(ctx context.Context) error {
	if p.popular != nil && p.Now().Sub(p.popularAt) < popularFor {
		return nil
	}
	urls, err := p.Store.PopularRemotes(ctx, popularRemotes)
	if err != nil {
		return err
	}
	p.popular, p.popularAt = make(map[string]bool, len(urls)), p.Now()
	for _, u := range urls {
		p.popular[u] = true
	}
	return nil
}

// probeAll probes endpoints, sequentially for each host. If a host cannot be reached, its
// other endpoints are not tried.
func (p *Prober) probeAll(ctx context.Context, keys []registry.PackageKey) []registry.Probe {
	got := make([]registry.Probe, len(keys))
	byHost := map[string][]int{}
	for i, k := range keys {
		host := hostOf(k.Identifier)
		byHost[host] = append(byHost[host], i)
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(probesAtOnce)
	for host, list := range byHost {
		group.Go(func() error {
			for n, i := range list {
				if ctx.Err() != nil {
					return nil
				}
				if n > 0 && unreachableHost(got[list[n-1]]) {
					got[i] = got[list[n-1]]
					continue
				}
				got[i] = p.Endpoints.Probe(ctx, keys[i].Identifier)
				settings.Clean(&got[i].Tools)
				got[i].Tools, got[i].Suspicious = tools.Examine(got[i].Tools)
				if fromHost(got[i]) {
					mu.Lock()
					p.noteAnswer(host)
					mu.Unlock()
				}
			}
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return got
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Hostname()
}

// unreachableHost reports whether a probe failed before its request was sent.
func unreachableHost(p registry.Probe) bool {
	return p.State == registry.ProbeUnreachable && slices.Contains([]string{registry.ReasonDNS,
		registry.ReasonTLS, registry.ReasonConnection, registry.ReasonPrivate}, p.Reason)
}

// fromHost reports whether a probe got any response.
func fromHost(p registry.Probe) bool {
	return p.State != registry.ProbeUnknown && !unreachableHost(p) &&
		p.Reason != registry.ReasonTimeout
}

// controlled reports whether our own network works, judged by hosts other than the given one.
func (p *Prober) controlled(ctx context.Context, host string) bool {
	now := p.Now()
	for other, at := range p.answered {
		if other != host && now.Sub(at) <= controlFor {
			return true
		}
		if now.Sub(at) > controlFor {
			delete(p.answered, other)
		}
	}
	if p.Control == "" || !p.Endpoints.Reachable(ctx, p.Control) {
		return false
	}
	p.noteAnswer("control " + p.Control)
	return true
}

// noteAnswer records a response of a host.
func (p *Prober) noteAnswer(host string) {
	if p.answered == nil {
		p.answered = map[string]time.Time{}
	}
	p.answered[host] = p.Now()
}

// An outcome is the result of one probe with its history.
type outcome struct {
	facts       registry.PackageFacts
	next        time.Time
	counted, up bool
	store       bool // copy the facts to the servers
}

// keep adds probes to the history of their endpoints, rescores their servers, and stores
// everything.
func (p *Prober) keep(
	ctx context.Context, keys []registry.PackageKey, got []registry.Probe,
) error {
	known, err := p.Store.PackageFacts(ctx, keys)
	if err != nil {
		return err
	}
	urls := make([]string, len(keys))
	for i, k := range keys {
		urls[i] = k.Identifier
	}
	now := p.Now().UTC()
	counts, err := p.Store.ProbeCounts(ctx, urls, now.AddDate(0, 0, 1-uptimeDays))
	if err != nil {
		return err
	}
	outcomes := make([]outcome, len(keys))
	fresh := map[registry.PackageKey]registry.PackageFacts{}
	for i, k := range keys {
		controlled := fromHost(got[i]) || p.controlled(ctx, hostOf(k.Identifier))
		outcomes[i] = p.outcome(k, known[k].Probe, got[i], controlled, counts[k.Identifier], now)
		if outcomes[i].store {
			fresh[k] = outcomes[i].facts
		}
	}
	release, err := alone(ctx, p.Store)
	if err != nil {
		return err
	}
	defer release()
	stored := slices.Collect(maps.Keys(fresh))
	err = rescorePackages(ctx, p.Store, stored,
		func(known map[registry.PackageKey]registry.PackageFacts) {
			maps.Copy(known, fresh)
		}, p.Now())
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if err := p.Store.SaveProbe(ctx, o.facts, o.next, o.counted, o.up); err != nil {
			return err
		}
		if p.Observe.Probed != nil {
			p.Observe.Probed(o.facts.Probe.State)
		}
	}
	return settlePackages(ctx, p.Store, stored, p.Now())
}

// outcome adds a probe to the history of an endpoint.
func (p *Prober) outcome(
	key registry.PackageKey, old *registry.Probe, got registry.Probe, controlled bool,
	count registry.ProbeCount, now time.Time,
) outcome {
	next, counted := follow(old, got, controlled)
	o := outcome{counted: counted, up: counted && got.Answered()}
	if counted {
		count.Probes++
		if o.up {
			count.Up++
		}
	}
	h := &next.History
	h.Probes, h.Up = count.Probes, count.Up
	if o.store = old == nil || changed(old, &next) || now.Sub(h.StoredAt) >= storeEvery; o.store {
		h.StoredAt = now
	}
	o.facts = registry.PackageFacts{RegistryType: key.RegistryType, Identifier: key.Identifier,
		Probe: &next, ObservedAt: &now}
	wait := untilProbed(&next, p.popular[key.Identifier], now)
	if !controlled {
		wait = uncontrolledRetry
	}
	o.next = now.Add(jittered(wait))
	if got.RetryAt.After(o.next) {
		o.next = got.RetryAt
	}
	return o
}

// follow returns the state of an endpoint after a probe, and whether the probe counts for
// its uptime. A state is replaced by "down" only after several misses; until then the last
// known one stays. Misses without a control do not count.
func follow(
	old *registry.Probe, got registry.Probe, controlled bool,
) (next registry.Probe, counted bool) {
	if old == nil {
		old = &registry.Probe{State: registry.ProbeUnknown, At: got.At,
			History: registry.ProbeHistory{FirstAt: got.At, Since: got.At}}
	}
	kept := *old
	kept.History.LastAt = got.At
	switch {
	case got.State == registry.ProbeUnknown && got.Reason == "", !controlled:
		return kept, false
	case got.Down() && !old.Down():
		h := &kept.History
		if h.Misses++; h.MissedSince == nil {
			h.MissedSince = &got.At
		}
		if h.Misses < downMisses || got.At.Sub(*h.MissedSince) < downAfter {
			return kept, true
		}
		got.History.Since = *h.MissedSince
	case registry.LivenessOf(got.State) == registry.LivenessOf(old.State):
		got.History.Since = old.History.Since
	default:
		got.History.Since = got.At
	}
	got.History.LastAt, got.History.StoredAt = got.At, old.History.StoredAt
	got.History.FirstAt = old.History.FirstAt
	if got.ToolsAt == nil { // the last list stays, with its date
		got.Tools, got.ToolsAt, got.Suspicious = old.Tools, old.ToolsAt, old.Suspicious
		got.ToolsVersion, got.ToolsChangedAt = old.ToolsVersion, old.ToolsChangedAt
	} else {
		got.ToolsVersion, got.ToolsChangedAt = got.ServerVersion, toolsChangedAt(old, &got)
	}
	return got, got.Down() || got.Answered()
}

// toolsChangedAt returns when an endpoint last listed other tools in the version of got; nil if
// it never did, or if the version is unknown.
func toolsChangedAt(old, got *registry.Probe) *time.Time {
	version := cmp.Or(old.ToolsVersion, old.ServerVersion)
	switch {
	case old.ToolsAt == nil || version == "" || version != got.ServerVersion:
		return nil
	case len(tools.Diff(old.Tools, got.Tools)) > 0:
		return got.ToolsAt
	}
	return old.ToolsChangedAt
}

// changed reports whether servers would show a probe differently, apart from its date and the
// uptime.
func changed(a, b *registry.Probe) bool {
	x, y := *a, *b
	for _, p := range []*registry.Probe{&x, &y} {
		p.At, p.RetryAt, p.ToolsAt, p.TLSExpires = time.Time{}, time.Time{}, nil, nil
		p.History = registry.ProbeHistory{}
	}
	return !a.History.Since.Equal(b.History.Since) || !reflect.DeepEqual(x, y)
}

// untilProbed returns the delay until the next probe.
func untilProbed(p *registry.Probe, popular bool, now time.Time) time.Duration {
	down := time.Duration(0)
	if p.Down() {
		down = now.Sub(p.History.Since)
	}
	switch {
	case p.State == registry.ProbeRefused && p.Reason == registry.ReasonOptedOut:
		return weekDownEvery
	case down > monthDown:
		return monthDownEvery
	case down > weekDown:
		return weekDownEvery
	case popular:
		return popularProbeEvery
	case p.History.Misses > 0:
		return missedEvery
	}
	return probeEvery
}

// jittered returns a duration up to a tenth shorter or longer.
func jittered(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5)
}

func sameEndpoints(a, b []registry.PackageFacts) bool {
	return slices.EqualFunc(a, b, func(x, y registry.PackageFacts) bool {
		return x.Identifier == y.Identifier &&
			x.Probe.History.StoredAt.Equal(y.Probe.History.StoredAt)
	})
}

// withLiveness returns the endpoints of a server with the state of probed ones. Endpoints with
// OAuth metadata do not require an Authorization header.
func withLiveness(
	remotes []registry.Remote, endpoints []registry.PackageFacts,
) []registry.Remote {
	if len(endpoints) == 0 {
		return remotes
	}
	out := slices.Clone(remotes)
	for i := range out {
		if p := registry.ProbeOf(endpoints, out[i]); p != nil {
			out[i].Liveness = liveness(out[i], p)
			if len(p.AuthServers) > 0 {
				out[i].Headers = withoutAuthorization(out[i].Headers)
			}
		}
	}
	return out
}

// withoutAuthorization returns headers of which none that authorizes is required: clients
// sign in by OAuth.
func withoutAuthorization(headers []registry.Variable) []registry.Variable {
	out := slices.Clone(headers)
	for i := range out {
		if strings.EqualFold(out[i].Name, "Authorization") {
			out[i] = out[i].Optional()
		}
	}
	return out
}

func liveness(r registry.Remote, p *registry.Probe) *registry.Liveness {
	l := &registry.Liveness{State: p.State, Reason: p.Reason, CheckedAt: p.At,
		Since: p.History.Since, Probes: p.History.Probes, Protocol: p.Protocol}
	if p.State == registry.ProbeOpen && p.Transport == registry.TransportSSE &&
		r.Type == registry.TransportHTTP {
		l.State, l.Reason = registry.ProbeWrongTransport, "answers only as HTTP with SSE"
	}
	if at := p.History.FirstAt; !at.IsZero() {
		l.FirstProbeAt = &at
	}
	if n := p.History.Probes; n > 0 {
		l.Uptime30 = new(float64(p.History.Up) / float64(n))
	}
	return l
}
