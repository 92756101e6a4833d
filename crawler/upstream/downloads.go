package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// The public addresses of the download counts.
const (
	PublicNPMDownloads = "https://api.npmjs.org"
	PublicPyPIStats    = "https://pypistats.org"
)

const (
	npmBulk        = 128
	downloadPeriod = 30 // days
	firstPause     = 15 * time.Minute
	longestPause   = 8 * time.Hour
)

// A Count is how often a package was downloaded. Prev is nil where it is not
// known.
type Count struct {
	Last30     int64            // in the last 30 days that are counted
	Prev30     *int64           // in the 30 days before
	Days       map[string]int64 // on single days, by UTC date; nil where they are not counted
	ObservedAt time.Time
}

// A brake stops all requests to a service that has asked for less: for 15
// minutes, and twice as long each time it asks again.
type brake struct {
	mu    sync.Mutex
	until time.Time
	pause time.Duration
}

// check returns a failure while the brake is on.
func (b *brake) check(c *client) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.now().Before(b.until) {
		return &Failure{Source: c.source, Status: 429, Reason: "it asked for fewer requests; none is sent until " + b.until.UTC().Format("15:04 MST"), RetryAt: b.until}
	}
	return nil
}

// note puts the brake on after an answer that asks for less, off after a good
// one, and returns the error to give. A refusal (403) is the same request in
// other words.
func (b *brake) note(c *client, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var f *Failure
	switch {
	case err == nil || errors.Is(err, errNoEntry):
		b.pause = 0
	case errors.As(err, &f) && (f.Status == 429 || f.Status == 403):
		if b.pause == 0 {
			b.pause = firstPause
		} else if c.now().After(b.until) {
			b.pause = min(2*b.pause, longestPause)
		}
		until := c.now().Add(b.pause)
		if f.RetryAt.After(until) {
			until = f.RetryAt
		}
		if until.After(b.until) {
			b.until = until
		}
		return &Failure{Source: f.Source, Status: 429, Reason: "it asked for fewer requests", RetryAt: b.until, Cause: f}
	}
	return err
}

func (b *brake) waits(now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.until) {
		return b.until
	}
	return time.Time{}
}

// An NPMDownloads counts the downloads of npm packages.
type NPMDownloads struct {
	// Pace is the least time between two requests: 3 seconds for the public
	// service, whose limit is not documented and lower than it looks.
	Pace time.Duration

	c     *client
	pace  pacer
	brake brake
}

// NewNPMDownloads returns the counts at o.Base, or the public ones.
func NewNPMDownloads(o Options) (*NPMDownloads, error) {
	c, err := newClient("npm downloads", PublicNPMDownloads, 30*time.Second, o)
	if err != nil {
		return nil, err
	}
	return &NPMDownloads{Pace: 3 * time.Second, c: c}, nil
}

// Waits returns until when nothing may be asked, or a zero time.
func (n *NPMDownloads) Waits() time.Time { return n.brake.waits(n.c.now()) }

var npmName = regexp.MustCompile(`^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*$`)

// Counts returns the counts of those of names that the service knows. A name
// that is missing is not known; it has not zero downloads. With an error, the
// counts that came before it are returned too.
func (n *NPMDownloads) Counts(ctx context.Context, names []string) (map[string]Count, error) {
	out := map[string]Count{}
	var bulk, single []string
	for _, name := range names {
		switch {
		case len(name) > 214 || !npmName.MatchString(name) || slices.Contains(bulk, name) || slices.Contains(single, name):
		case strings.HasPrefix(name, "@"):
			single = append(single, name)
		default:
			bulk = append(bulk, name)
		}
	}
	for len(bulk) > 0 {
		k := min(len(bulk), npmBulk)
		if err := n.ask(ctx, bulk[:k], out); err != nil {
			return out, err
		}
		bulk = bulk[k:]
	}
	for _, name := range single {
		if err := n.ask(ctx, []string{name}, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

type npmRange struct {
	Package   string `json:"package"`
	Downloads []struct {
		Downloads *int64 `json:"downloads"`
		Day       string `json:"day"`
	} `json:"downloads"`
}

// ask asks for one package, or for several without a scope.
func (n *NPMDownloads) ask(ctx context.Context, names []string, out map[string]Count) error {
	if err := n.brake.check(n.c); err != nil {
		return err
	}
	if err := n.pace.wait(ctx, n.Pace); err != nil {
		return &Failure{Source: n.c.source, Reason: "there was no time left to ask", RetryAt: n.c.now().Add(time.Minute), Cause: err}
	}
	// The day before yesterday is the last that is counted for sure: a day's
	// figures come some hours after its end.
	end := n.c.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -2)
	start := end.AddDate(0, 0, 1-2*downloadPeriod)
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = escape(name)
		if scope, rest, ok := strings.Cut(name, "/"); ok {
			escaped[i] = escape(scope) + "/" + escape(rest)
		}
	}
	path := "/downloads/range/" + start.Format(time.DateOnly) + ":" + end.Format(time.DateOnly) + "/" + strings.Join(escaped, ",")
	var err error
	answers := map[string]*npmRange{}
	if len(names) == 1 {
		var one npmRange
		if err = n.brake.note(n.c, n.c.get(ctx, path, nil, 1<<20, &one)); err == nil {
			answers[names[0]] = &one
		}
	} else {
		err = n.brake.note(n.c, n.c.get(ctx, path, nil, 16<<20, &answers))
	}
	var f *Failure
	switch {
	case errors.Is(err, errNoEntry):
		return nil // not known
	case len(names) > 1 && errors.As(err, &f) && f.Status == 400:
		// One name that the service does not take refuses them all.
		if err := n.ask(ctx, names[:len(names)/2], out); err != nil {
			return err
		}
		return n.ask(ctx, names[len(names)/2:], out)
	case len(names) == 1 && errors.As(err, &f) && f.Status == 400:
		return nil
	case err != nil:
		return err
	}
	for _, name := range names {
		a := answers[name]
		if a == nil {
			continue
		}
		if a.Package != "" && a.Package != name {
			return &Failure{Source: n.c.source, Status: 200, Reason: "it counted another package than the one asked for", RetryAt: n.c.now().Add(retryLater)}
		}
		if c, ok := a.count(start, end); ok {
			c.ObservedAt = n.c.now().UTC()
			out[name] = c
		}
	}
	return nil
}

// count adds up the days of an answer. Where a day of the last 30 is missing,
// nothing is known.
func (r *npmRange) count(start, end time.Time) (Count, bool) {
	days := map[string]int64{}
	for _, d := range r.Downloads {
		if d.Downloads == nil || *d.Downloads < 0 || *d.Downloads > 1e12 {
			return Count{}, false
		}
		days[d.Day] = *d.Downloads
	}
	sum := func(from time.Time) (int64, bool) {
		var total int64
		for i := range downloadPeriod {
			n, ok := days[from.AddDate(0, 0, i).Format(time.DateOnly)]
			if !ok {
				return 0, false
			}
			total += n
		}
		return total, true
	}
	last, ok := sum(end.AddDate(0, 0, 1-downloadPeriod))
	if !ok {
		return Count{}, false
	}
	c := Count{Last30: last, Days: map[string]int64{}}
	for day := start; !day.After(end); day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		if n, ok := days[date]; ok { // and no other that the answer has
			c.Days[date] = n
		}
	}
	if prev, ok := sum(start); ok {
		c.Prev30 = &prev
	}
	return c, true
}

// A PyPIStats counts the downloads of Python projects, mirrors left out.
type PyPIStats struct {
	// Pace is the least time between two requests: 3 seconds for the public
	// service.
	Pace time.Duration

	c     *client
	pace  pacer
	brake brake

	mu      sync.Mutex
	sumOnly time.Time // until when it is taken for a service that gives sums only
}

// NewPyPIStats returns the counts at o.Base, or the public ones.
func NewPyPIStats(o Options) (*PyPIStats, error) {
	c, err := newClient("pypistats", PublicPyPIStats, 30*time.Second, o, "/api")
	if err != nil {
		return nil, err
	}
	return &PyPIStats{Pace: 3 * time.Second, c: c}, nil
}

// Waits returns until when nothing may be asked, or a zero time.
func (p *PyPIStats) Waits() time.Time { return p.brake.waits(p.c.now()) }

var pypiName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// Counts is as NPMDownloads.Counts. Days on which nothing was downloaded are
// not in the answer of the service and are not known apart from others that are
// missing.
func (p *PyPIStats) Counts(ctx context.Context, names []string) (map[string]Count, error) {
	out := map[string]Count{}
	for _, name := range names {
		if len(name) > 200 || !pypiName.MatchString(name) {
			continue
		}
		c, ok, err := p.count(ctx, name)
		if err != nil {
			return out, err
		}
		if ok {
			out[name] = c
		}
	}
	return out, nil
}

// count asks for the days of a project, and for their sum if they do not say
// it: because there was no download for long, because the service has fallen
// behind, or because it does not give days. ok is false if the service does not
// know the project.
func (p *PyPIStats) count(ctx context.Context, name string) (c Count, ok bool, err error) {
	days := map[string]int64{}
	p.mu.Lock()
	sumOnly := p.c.now().Before(p.sumOnly)
	p.mu.Unlock()
	answered := false
	if !sumOnly {
		var answer struct {
			Package string
			Data    []struct {
				Category, Date string
				Downloads      *int64
			}
		}
		if answered, err = p.get(ctx, name, "overall", url.Values{"mirrors": {"false"}}, &answer, &answer.Package); err != nil {
			return c, false, err
		}
		for _, d := range answer.Data {
			if at, err := time.Parse(time.DateOnly, d.Date); d.Category == "without_mirrors" && d.Downloads != nil && *d.Downloads >= 0 && *d.Downloads <= 1e12 && err == nil && at.Before(p.c.now()) {
				days[d.Date] = *d.Downloads
			}
		}
		if c, ok = pypiCount(days, p.c.now()); ok {
			c.ObservedAt = p.c.now().UTC()
			return c, true, nil
		}
	}
	var answer struct {
		Package string
		Data    *struct {
			LastMonth *int64 `json:"last_month"`
		}
	}
	known, err := p.get(ctx, name, "recent", url.Values{}, &answer, &answer.Package)
	if err != nil || !known || answer.Data == nil || answer.Data.LastMonth == nil || *answer.Data.LastMonth < 0 || *answer.Data.LastMonth > 1e12 {
		return c, false, err
	}
	if !sumOnly && !answered { // the project is there, and its days are not
		p.mu.Lock()
		p.sumOnly = p.c.now().Add(time.Hour)
		p.mu.Unlock()
	}
	c = Count{Last30: *answer.Data.LastMonth, ObservedAt: p.c.now().UTC()}
	if len(days) > 0 {
		c.Days = days
	}
	return c, true, nil
}

// get asks for one thing about a project. ok is false if there is none.
func (p *PyPIStats) get(ctx context.Context, name, what string, query url.Values, answer any, project *string) (ok bool, err error) {
	if err := p.brake.check(p.c); err != nil {
		return false, err
	}
	if err := p.pace.wait(ctx, p.Pace); err != nil {
		return false, &Failure{Source: p.c.source, Reason: "there was no time left to ask", RetryAt: p.c.now().Add(time.Minute), Cause: err}
	}
	err = p.brake.note(p.c, p.c.get(ctx, "/api/packages/"+escape(normalPyPI(name))+"/"+what, query, 1<<20, answer))
	var f *Failure
	if errors.Is(err, errNoEntry) || errors.As(err, &f) && f.Status == 404 {
		return false, nil // the service says so with a page of HTML
	}
	if err != nil {
		return false, err
	}
	if *project != "" && normalPyPI(*project) != normalPyPI(name) {
		return false, &Failure{Source: p.c.source, Status: 200, Reason: "it counted another project than the one asked for", RetryAt: p.c.now().Add(retryLater)}
	}
	return true, nil
}

// pypiBehind is how many days the service may be behind.
const pypiBehind = 3

// pypiCount adds up the last 30 days of those that the service has, and the 30
// before, if it has older ones. ok is false if it has none of the last days.
func pypiCount(days map[string]int64, now time.Time) (c Count, ok bool) {
	first, end := "", ""
	for date := range days {
		if end = max(end, date); first == "" || date < first {
			first = date
		}
	}
	if end < now.UTC().AddDate(0, 0, -pypiBehind).Format(time.DateOnly) {
		return c, false
	}
	last, err := time.Parse(time.DateOnly, end)
	if err != nil {
		return c, false
	}
	from := func(ago int) string { return last.AddDate(0, 0, 1-ago).Format(time.DateOnly) }
	var prev int64
	for date, n := range days {
		switch {
		case date >= from(downloadPeriod):
			c.Last30 += n
		case date >= from(2*downloadPeriod):
			prev += n
		}
	}
	if first <= from(2*downloadPeriod) {
		c.Prev30 = &prev
	}
	c.Days = days
	return c, true
}

// An Enricher fills in what package services know. A nil service leaves its
// facts unknown. Its methods may be called at the same time.
type Enricher struct {
	DepsDev *DepsDev
	OSV     *OSV
	NPM     *NPMDownloads
	PyPI    *PyPIStats
}

// Waits returns until when downloads of a registry type cannot be asked for, a
// zero time where they can.
func (e *Enricher) Waits(registryType string) time.Time {
	switch {
	case registryType == "npm" && e.NPM != nil:
		return e.NPM.Waits()
	case registryType == "pypi" && e.PyPI != nil:
		return e.PyPI.Waits()
	}
	return time.Time{}
}

// Downloads returns ps, all of one registry type, with the download counts
// that are known. Others stay as they were. Nobody counts the downloads of
// other registries than npm and PyPI here; theirs stay unknown. With an error,
// what came before it is filled in.
func (e *Enricher) Downloads(ctx context.Context, ps []registry.PackageFacts) ([]registry.PackageFacts, error) {
	out := slices.Clone(ps)
	if len(out) == 0 {
		return out, nil
	}
	var names []string
	for _, p := range out {
		if p.RegistryType != out[0].RegistryType {
			return out, registry.Errorf(registry.ErrInvalid, "downloads are asked for one registry at a time")
		}
		names = append(names, p.Identifier)
	}
	var counts map[string]Count
	var err error
	switch {
	case out[0].RegistryType == "npm" && e.NPM != nil:
		counts, err = e.NPM.Counts(ctx, names)
	case out[0].RegistryType == "pypi" && e.PyPI != nil:
		counts, err = e.PyPI.Counts(ctx, names)
	}
	for i := range out {
		if c, ok := counts[out[i].Identifier]; ok {
			out[i].Downloads, out[i].DownloadsPrev, out[i].DownloadsObservedAt = &c.Last30, c.Prev30, &c.ObservedAt
			out[i].DownloadDays = c.Days
		}
	}
	if err != nil {
		return out, fmt.Errorf("counting downloads: %w", err)
	}
	return out, nil
}
