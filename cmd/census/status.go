package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/config"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "What the crawl has done, how fresh everything is, what is failing and why", Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(db *postgres.DB) error {
				s, err := db.Status(ctx, time.Now())
				if err != nil {
					return err
				}
				s.Budgets = current(s.Budgets, s.At, credentials(a.config)...)
				if asJSON {
					enc := json.NewEncoder(a.stdout)
					enc.SetIndent("", "  ")
					return enc.Encode(s)
				}
				return printStatus(a.stdout, s, a.config.GitHubToken != "")
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return a.demoFlag(cmd)
}

// credentials names the GitHub credentials of a configuration.
func credentials(c config.Config) []string {
	var names []string
	for _, token := range []string{c.GitHubToken, c.CheckToken} {
		if token != "" {
			names = append(names, transport.CredentialOf(token))
		}
	}
	return names
}

// renewed is how old a problem may be that a running process still has: each
// says every 15 seconds what its upstreams allow.
const renewed = time.Minute

// current returns budgets without problems that are over: those whose time to
// wait has passed, and credentials that were refused and have been replaced or
// accepted since. Of those, one that is not among the configured (if any are)
// has been replaced as soon as another works. Credentials that have rested for
// a day while others were used are left out, too.
func current(budgets []registry.Budget, now time.Time, configured ...string) []registry.Budget {
	var out []registry.Budget
	for _, b := range budgets {
		if until, ok := transport.WaitUntil(b.Problem); ok && !until.After(now) {
			if b.Problem = ""; b.Limit == 0 {
				continue
			}
		}
		over := func(o registry.Budget) bool {
			since := o.ObservedAt.Sub(b.ObservedAt)
			if b.Problem == "" {
				return o.Upstream == b.Upstream && o.Credential != b.Credential && since > 24*time.Hour
			}
			if o.Upstream != b.Upstream || o.Problem != "" || since <= 0 {
				return false
			}
			return o.Credential == b.Credential || since > renewed || len(configured) > 0 && !slices.Contains(configured, b.Credential)
		}
		if !slices.ContainsFunc(budgets, over) {
			out = append(out, b)
		}
	}
	return out
}

// stateWords say what the repositories of a state are, in the order in which
// they are named.
var stateWords = []struct{ state, words string }{
	{"server", "hold servers"}, {"not_server", "hold none"}, {"empty", "empty"}, {"unknown", "could not be told"},
	{"new", "never visited"}, {"missing", "missing"}, {"gone", "gone"}, {"blocked", "withheld by the host"},
}

// printStatus writes the status for people: what there is, how fresh it is,
// what the upstreams allow, what ran, and what is failing.
func printStatus(w io.Writer, s registry.Status, token bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	section := func(title string) {
		_ = t.Flush() // an error comes again at the end
		fmt.Fprintf(w, "\n%s\n", title)
	}
	entry := func(cells ...string) {
		for len(cells) > 1 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		fmt.Fprintf(t, "  %s\n", strings.Join(cells, "\t"))
	}

	known := 0
	for _, n := range s.Repositories {
		known += n
	}
	if s.Hidden > 0 {
		line("Listed servers", "%d, and %d hidden", s.Servers, s.Hidden)
	} else {
		line("Listed servers", "%d", s.Servers)
	}
	if known == 0 && s.Listings == 0 {
		line("", "Nothing has been read yet: `census serve` keeps reading, `census crawl` reads once.")
	}
	line("Repositories", "%d known%s", known, states(s.Repositories))
	if s.Unvisited > 0 && s.Repositories["new"] < s.Unvisited {
		line("", "%d wait for their first visit; the official registry says what is known of %d of them", s.Unvisited, s.Unvisited-s.Repositories["new"])
	}
	if s.Repositories["missing"] > 0 {
		line("", "missing: not found at the last visit; called gone after three times over 72 hours")
	}
	line("Official registry", "%d entries", s.Listings)
	line("Queue", "%d due, %d being visited, %d asked for by hand", s.Due, s.Leased, s.Forced)
	if s.LagP50 != nil && s.LagP95 != nil {
		line("", "half of the due have waited for more than %s, one in twenty for more than %s", span(*s.LagP50), span(*s.LagP95))
	}
	if s.AgeP50 != nil && s.AgeP95 != nil {
		line("Freshness", "half of the visited repositories with servers were looked at in the last %s, 95 %% in the last %s", span(*s.AgeP50), span(*s.AgeP95))
	}
	line("Packages", "%d, %d of them to be asked about, %d download counts due", s.Packages, s.PackagesDue, s.DownloadsDue)
	if token {
		line("Daily need", "about %s to keep the known repositories fresh", jobs.DailyNeed(known))
	} else {
		line("GitHub", "no GITHUB_TOKEN: 60 requests an hour, the most wanted repositories first, and no search")
		line("", "A token without any scope gives 5,000 an hour and search: all known repositories are read within hours.")
	}

	if len(s.Sources) > 0 {
		section("Sources")
		for _, src := range s.Sources {
			entry(src.Name, read(s.At, src), fmt.Sprintf("%d repositories named in all", s.Named[src.Name]))
		}
	}
	section("Upstream budgets")
	for _, b := range s.Budgets {
		left := fmt.Sprintf("%d of %d left", b.Remaining, b.Limit)
		switch {
		case b.Problem != "":
			left = "not used: " + b.Problem
		case b.ResetAt.Before(s.At):
			left = fmt.Sprintf("%d of %d left", b.Limit, b.Limit)
		default:
			left += ", all of them in " + span(b.ResetAt.Sub(s.At).Seconds())
		}
		entry(b.Upstream+" "+b.Resource, left, "seen "+ago(s.At, b.ObservedAt))
	}
	if len(s.Budgets) == 0 {
		entry("github", "not asked yet")
	}
	entry("official registry", "a request a second")
	entry("npm, PyPI downloads", "a request every three seconds each")
	entry("deps.dev, OSV", "no limit; asked in batches, as packages' turns come")

	if len(s.Jobs) > 0 {
		section("Jobs")
		for _, j := range s.Jobs {
			switch {
			case j.FinishedAt == nil:
				entry(j.Job, "began "+ago(s.At, j.StartedAt), "and has not ended")
			case j.Error != "":
				entry(j.Job, ago(s.At, *j.FinishedAt), "failed, see below")
			default:
				entry(j.Job, ago(s.At, *j.FinishedAt), j.Note)
			}
		}
	}

	section("Failing")
	failing := false
	fail := func(cells ...string) { failing = true; entry(cells...) }
	for _, src := range s.Sources {
		if src.LastError != "" {
			fail("source "+src.Name, src.LastError, since(s.At, src.LastErrorAt))
		}
	}
	for _, j := range s.Jobs {
		if j.Error != "" && !slices.ContainsFunc(s.Sources, func(src registry.SourceState) bool {
			return src.LastError != "" && j.Job == "discover-"+src.Name // said above
		}) {
			fail("job "+j.Job, j.Error, since(s.At, j.FinishedAt))
		}
	}
	for _, b := range s.Budgets {
		if b.Problem != "" {
			fail("token for "+b.Upstream, b.Problem, ago(s.At, b.ObservedAt))
		}
	}
	for _, f := range s.Failing {
		fail(count(f.Count, f.Of), cmp.Or(f.Error, "without a reason"), "such as "+f.Example+", "+ago(s.At, f.LastAt))
	}
	if !failing {
		entry("nothing")
	}
	return t.Flush()
}

// states says how many repositories are in which state.
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

// read says when a source was read and what came of it. A source is read on
// from where it was, so the last reading found what was new.
func read(now time.Time, src registry.SourceState) string {
	switch {
	case src.LastSuccess == nil && src.LastError != "":
		return "never read to its end"
	case src.LastSuccess == nil:
		return "being read for the first time"
	case src.Found == 0:
		return "read " + ago(now, *src.LastSuccess) + ", nothing new then"
	}
	return fmt.Sprintf("read %s, %d new or changed then", ago(now, *src.LastSuccess), src.Found)
}

func count(n int, what string) string {
	if n != 1 {
		what = strings.TrimSuffix(what, "y") + map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(what, "y")]
	}
	return fmt.Sprintf("%d %s", n, what)
}

// span returns seconds in words, roughly.
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
