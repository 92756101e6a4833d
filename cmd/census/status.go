package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/crawler/git"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/config"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "Show crawl progress, freshness, rate limits and failures",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withExisting(ctx, func(db *postgres.DB) error {
				s, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				if s.Webhooks, err = people.New(db).WebhookStatus(ctx, s.At); err != nil {
					return err
				}
				if err := db.Freshness(ctx, &s); err != nil {
					return err
				}
				if s.ToolLists, err = db.ToolSources(ctx); err != nil {
					return err
				}
				s.Budgets = current(s.Budgets, s.At, credentials(a.config)...)
				if asJSON {
					enc := json.NewEncoder(a.stdout)
					enc.SetIndent("", "  ")
					return enc.Encode(s)
				}
				up, err := newUpstreams(a.config, a.log, a.reader, nil)
				if err != nil {
					return err
				}
				return printStatus(a.stdout, s, up.crawl)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return a.demoFlag(cmd)
}

// credentials returns the names of the GitHub credentials in a configuration.
func credentials(c config.Config) []string {
	var names []string
	for _, token := range []string{c.GitHubToken, c.CheckToken} {
		if token != "" {
			names = append(names, transport.CredentialOf(token))
		}
	}
	return names
}

// renewed is the maximum age of a problem of a running process: each process
// stores its upstreams' limits every 15 seconds.
const renewed = time.Minute

// current returns budgets without past problems: waits that have ended, and rejected
// credentials that were since replaced or accepted. A rejected credential that is not
// configured (if any is) counts as replaced as soon as another works. Credentials unused for a
// day while others were used are left out too.
func current(budgets []registry.Budget, now time.Time, configured ...string) []registry.Budget {
	var out []registry.Budget
	for _, b := range budgets {
		until, waits := transport.WaitUntil(b.Problem)
		if waits && !until.After(now) ||
			strings.HasPrefix(b.Problem, transport.AwayPrefix) && now.Sub(b.ObservedAt) > renewed {
			if b.Problem = ""; b.Limit == 0 {
				continue
			}
		}
		over := func(o registry.Budget) bool {
			since := o.ObservedAt.Sub(b.ObservedAt)
			if b.Problem == "" {
				return o.Upstream == b.Upstream && o.Credential != b.Credential &&
					since > 24*time.Hour
			}
			if o.Upstream != b.Upstream || o.Problem != "" || since <= 0 {
				return false
			}
			return o.Credential == b.Credential || since > renewed || len(configured) > 0 &&
				!slices.Contains(configured, b.Credential)
		}
		if !slices.ContainsFunc(budgets, over) {
			out = append(out, b)
		}
	}
	return out
}

// stateWords describe the states of repositories, in the order in which they
// are listed.
var stateWords = []struct{ state, words string }{
	{"server", "with servers"}, {"not_server", "without"}, {"empty", "empty"}, {"unknown",
		"undecided"},
	{"new", "never visited"}, {"missing", "missing"}, {"gone", "gone"}, {"blocked",
		"blocked by the host"},
}

// printStatus writes the status as text: contents, freshness, upstream limits,
// job runs and failures. hosts are the clients of the crawl.
func printStatus(w io.Writer, s registry.Status, hosts hostClients) error {
	p := statusPrinter{s: s, hosts: hosts, w: w, t: tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)}
	p.servers()
	p.queue()
	p.capacity()
	p.sources()
	p.budgets()
	p.jobs()
	p.failing()
	return p.t.Flush()
}

// statusPrinter writes the sections of a status.
type statusPrinter struct {
	s     registry.Status
	hosts hostClients
	w     io.Writer
	t     *tabwriter.Writer
}

func (p *statusPrinter) line(name, format string, args ...any) {
	fmt.Fprintf(p.t, "%s\t%s\n", name, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// section begins a section.
func (p *statusPrinter) section(title string) {
	_ = p.t.Flush() // the last Flush returns the error too
	fmt.Fprintf(p.w, "\n%s\n", title)
}

// entry writes a row of a section.
func (p *statusPrinter) entry(cells ...string) {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	fmt.Fprintf(p.t, "  %s\n", strings.Join(cells, "\t"))
}

func (p *statusPrinter) servers() {
	s := p.s
	if s.Hidden > 0 {
		p.line("Listed servers", "%d, and %d hidden", s.Servers, s.Hidden)
	} else {
		p.line("Listed servers", "%d", s.Servers)
	}
	if p.s.Known() == 0 && s.Listings == 0 {
		p.line("", "Nothing has been crawled yet: run `census serve`, or `census crawl` to "+
			"crawl once.")
	}
	p.line("Repositories", "%d known%s", p.s.Known(), states(s.Repositories))
	if s.Unvisited > 0 && s.Repositories["new"] < s.Unvisited {
		p.line("", "%d not visited yet, %d of them from the official registry",
			s.Unvisited, s.Unvisited-s.Repositories["new"])
	}
	if s.Repositories["missing"] > 0 {
		p.line("", "missing: not found at the last visit; gone after three misses over 72 hours")
	}
	p.line("Official registry", "%d entries", s.Listings)
}

func (p *statusPrinter) queue() {
	s := p.s
	p.line("Queue", "%d due, %d being visited, %d requested manually", s.Due, s.Leased, s.Forced)
	if s.LagP50 != nil && s.LagP95 != nil {
		p.line("", "overdue by %s (median), %s (95th percentile)", span(*s.LagP50), span(*s.LagP95))
	}
	if s.AgeP50 != nil && s.AgeP95 != nil {
		p.line("Freshness", "repositories with servers were visited %s ago (median), %s ago "+
			"(95th percentile)",
			span(*s.AgeP50), span(*s.AgeP95))
	}
	p.line("Packages", "%d, %d due, %d download counts due", s.Packages, s.PackagesDue,
		s.DownloadsDue)
	p.endpoints()
	p.toolLists()
	p.webhooks()
}

// webhooks writes the queue of deliveries, if there are endpoints.
func (p *statusPrinter) webhooks() {
	w := p.s.Webhooks
	if w.Endpoints == 0 {
		return
	}
	p.line("Webhooks", "%s, %d disabled, %d failing", text.Count(w.Endpoints, "endpoint"), w.Disabled,
		w.Failing)
	p.line("", "%d deliveries due, %d waiting for a retry, %d events not dispatched yet", w.Due,
		w.Waiting, w.Undispatched)
}

// toolLists writes how many servers' tools are known from each source.
func (p *statusPrinter) toolLists() {
	var words []string
	for _, source := range append(slices.Clone(registry.ToolSources), "") {
		if n := p.s.ToolLists[source]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, cmp.Or(source, "none")))
		}
	}
	if len(words) > 0 {
		p.line("Tools from", "%s", strings.Join(words, ", "))
	}
}

// endpoints writes how many endpoints have each state, if there are any.
func (p *statusPrinter) endpoints() {
	total, words := 0, []string{}
	for _, state := range append(slices.Clone(registry.ProbeStates), "") {
		if n := p.s.Endpoints[state]; n > 0 {
			total += n
			words = append(words, fmt.Sprintf("%d %s", n,
				strings.ReplaceAll(cmp.Or(state, "not probed"), "_", " ")))
		}
	}
	if total > 0 {
		p.line("Endpoints", "%d, %d due: %s", total, p.s.EndpointsDue, strings.Join(words, ", "))
	}
}

// capacity prints the requests and limits of each code host.
func (p *statusPrinter) capacity() {
	for _, id := range slices.Sorted(maps.Keys(p.hosts)) {
		name := registry.HostOf(id).Name
		if notice := p.hosts[id].WithoutToken(); notice != "" {
			p.line(name, "%s", notice)
			p.pace(id)
			continue
		}
		if use, err := p.hosts[id].Capacity(p.s.Known(), p.s.Budgets); err != nil {
			p.line(name, "%s", err)
		} else if use != "" {
			p.line(name, "about %s to keep the known repositories fresh", use)
		}
	}
}

// requestsPerRead is the number of git requests of a repository that is read for the first time:
// refs, listing, commits, tags, and two or three times files. searchedPerMinute is the number of
// repositories whose metadata GitHub's search returns to callers without a token.
const (
	requestsPerRead   = 7
	searchedPerMinute = 80
)

// pace prints when the repositories of a host that were never visited will have been read, at
// the rate that was found last.
func (p *statusPrinter) pace(host string) {
	i := slices.IndexFunc(p.s.Budgets, func(b registry.Budget) bool {
		return b.Upstream == git.UpstreamOf(host) && b.Resource == transport.PaceResource
	})
	if i < 0 || p.s.Unvisited == 0 {
		return
	}
	perMinute := min(float64(max(1, p.s.Budgets[i].Remaining))/requestsPerRead, searchedPerMinute)
	seconds := float64(p.s.Unvisited) / perMinute * 60
	p.line("", "%d repositories have not been read; at the present pace that takes %s",
		p.s.Unvisited, span(seconds))
}

func (p *statusPrinter) sources() {
	if len(p.s.Sources) == 0 {
		return
	}
	p.section("Sources")
	for _, src := range p.s.Sources {
		p.entry(src.Name, lastRead(p.s.At, src),
			fmt.Sprintf("%d repositories in total", p.s.Named[src.Name]))
	}
}

func (p *statusPrinter) budgets() {
	p.section("Upstream rate limits")
	for _, b := range p.s.Budgets {
		left := fmt.Sprintf("%d of %d left", b.Remaining, b.Limit)
		switch {
		case b.Problem != "":
			left = "not used: " + b.Problem
		case b.Resource == transport.PaceResource:
			left = fmt.Sprintf("%d of at most %d requests a minute", b.Remaining, b.Limit)
		case b.ResetAt.Before(p.s.At):
			left = fmt.Sprintf("%d of %d left", b.Limit, b.Limit)
		default:
			left += ", reset in " + span(b.ResetAt.Sub(p.s.At).Seconds())
		}
		p.entry(b.Upstream+" "+b.Resource, left, "seen "+ago(p.s.At, b.ObservedAt))
	}
	for _, id := range slices.Sorted(maps.Keys(p.hosts)) {
		if !slices.ContainsFunc(p.s.Budgets, func(b registry.Budget) bool { return b.Upstream == id }) {
			p.entry(id, "no requests yet")
		}
	}
	p.entry("official registry", "one request per second")
	p.entry("npm, PyPI downloads", "one request every three seconds each")
	p.entry("deps.dev, OSV", "no limit; requested in batches")
}

func (p *statusPrinter) jobs() {
	if len(p.s.Jobs) == 0 {
		return
	}
	p.section("Jobs")
	for _, j := range p.s.Jobs {
		switch {
		case j.FinishedAt == nil:
			p.entry(j.Job, "started "+ago(p.s.At, j.StartedAt), "and has not finished")
		case j.Error != "":
			p.entry(j.Job, ago(p.s.At, *j.FinishedAt), "failed, see below")
		default:
			p.entry(j.Job, ago(p.s.At, *j.FinishedAt), j.Note)
		}
	}
}

func (p *statusPrinter) failing() {
	p.section("Failing")
	failures := 0
	fail := func(cells ...string) { failures++; p.entry(cells...) }
	discoveryFailed := map[string]bool{}
	for _, src := range p.s.Sources {
		if src.LastError != "" {
			discoveryFailed["discover-"+src.Name] = true
			fail("source "+src.Name, src.LastError, since(p.s.At, src.LastErrorAt))
		}
	}
	for _, j := range p.s.Jobs {
		if j.Error != "" && !discoveryFailed[j.Job] {
			fail("job "+j.Job, j.Error, since(p.s.At, j.FinishedAt))
		}
	}
	for _, b := range p.s.Budgets {
		if b.Problem != "" {
			fail("upstream "+b.Upstream, b.Problem, ago(p.s.At, b.ObservedAt))
		}
	}
	for _, f := range p.s.Failing {
		fail(text.Count(f.Count, f.Of), cmp.Or(f.Error, "without a reason"),
			"such as "+f.Example+", "+ago(p.s.At, f.LastAt))
	}
	if failures == 0 {
		p.entry("nothing")
	}
}

// states returns the number of repositories in each state, as text.
func states(by map[string]int) string {
	var words []string
	rest := 0
	for _, n := range by {
		rest += n
	}
	for _, s := range stateWords {
		if n := by[s.state]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, s.words))
			rest -= n
		}
	}
	if rest > 0 {
		words = append(words, fmt.Sprintf("%d others", rest))
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// lastRead describes the last complete read of a source and its result. Reads are
// incremental, so the result counts new and changed entries.
func lastRead(now time.Time, src registry.SourceState) string {
	switch {
	case src.LastSuccess == nil && src.LastError != "":
		return "never read completely"
	case src.LastSuccess == nil:
		return "being read for the first time"
	case src.Found == 0:
		return "read " + ago(now, *src.LastSuccess) + ", nothing new"
	}
	return fmt.Sprintf("read %s, %d new or changed", ago(now, *src.LastSuccess), src.Found)
}

// span returns a rounded duration as text.
func span(seconds float64) string {
	d := time.Duration(max(0, seconds) * float64(time.Second))
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

func ago(now, t time.Time) string { return span(now.Sub(t).Seconds()) + " ago" }

func since(now time.Time, t *time.Time) string {
	if t == nil {
		return ""
	}
	return ago(now, *t)
}
