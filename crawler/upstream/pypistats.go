package upstream

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// PublicPyPIStats is the URL of PyPI's download counts.
const PublicPyPIStats = "https://pypistats.org"

// A PyPIStats counts the downloads of Python projects, without mirrors.
type PyPIStats struct {
	*service

	mu       sync.Mutex
	sumsOnly time.Time // until when the service returns sums without days
}

// NewPyPIStats returns the counts at o.Base, by default the public ones, at one request every
// three seconds.
func NewPyPIStats(o Options) (*PyPIStats, error) {
	limits := downloadLimits
	limits.Upstream, limits.MaxBody = "pypistats", 1<<20
	s, err := newService(PublicPyPIStats, []string{"/api"}, o, limits)
	if err != nil {
		return nil, err
	}
	return &PyPIStats{service: s}, nil
}

// Counts is as NPMDownloads.Counts. The service omits days without downloads, so they are
// unknown.
func (p *PyPIStats) Counts(ctx context.Context, names []string) (map[string]Count, error) {
	out := map[string]Count{}
	for _, name := range names {
		if !registry.IsPackageName("pypi", name) {
			continue
		}
		c, ok, err := p.count(ctx, name)
		if err != nil {
			return out, err
		}
		if ok {
			c.ObservedAt = p.now().UTC()
			out[name] = c
		}
	}
	return out, nil
}

// count requests the days of a project, and its sum if they are insufficient: without recent
// downloads, if the service is behind, or if it returns no days. ok is false if it does not have
// the project.
func (p *PyPIStats) count(ctx context.Context, name string) (c Count, ok bool, err error) {
	p.mu.Lock()
	sumsOnly := p.now().Before(p.sumsOnly)
	p.mu.Unlock()
	var days map[string]int64
	if !sumsOnly {
		if days, err = p.days(ctx, name); err != nil {
			return c, false, err
		}
		if c, ok := sumDays(days, p.now()); ok {
			return c, true, nil
		}
	}
	sum, err := p.sum(ctx, name)
	if err != nil || sum == nil {
		return c, false, err
	}
	if !sumsOnly && days == nil { // the service has no days of the project
		p.mu.Lock()
		p.sumsOnly = p.now().Add(time.Hour)
		p.mu.Unlock()
	}
	c = Count{Last30: *sum}
	if len(days) > 0 {
		c.Days = days
	}
	return c, true, nil
}

// days returns the downloads of single days, nil if the service does not have the project.
func (p *PyPIStats) days(ctx context.Context, name string) (map[string]int64, error) {
	var overall struct {
		Package string
		Data    []struct {
			Category, Date string
			Downloads      *int64
		}
	}
	known, err := p.project(ctx, name, "overall", url.Values{"mirrors": {"false"}}, &overall,
		&overall.Package)
	if err != nil || !known {
		return nil, err
	}
	days := map[string]int64{}
	for _, d := range overall.Data {
		at, err := time.Parse(time.DateOnly, d.Date)
		if err == nil && at.Before(p.now()) && d.Category == "without_mirrors" &&
			isCount(d.Downloads) {
			days[d.Date] = *d.Downloads
		}
	}
	return days, nil
}

// sum returns the downloads of the last month, nil if they are unknown.
func (p *PyPIStats) sum(ctx context.Context, name string) (*int64, error) {
	var recent struct {
		Package string
		Data    *struct {
			LastMonth *int64 `json:"last_month"`
		}
	}
	known, err := p.project(ctx, name, "recent", nil, &recent, &recent.Package)
	if err != nil || !known || recent.Data == nil || !isCount(recent.Data.LastMonth) {
		return nil, err
	}
	return recent.Data.LastMonth, nil
}

func isCount(n *int64) bool { return n != nil && *n >= 0 && *n <= maxDownloads }

// project requests one document about a project. known is false if the service does not have the
// project; named is the name in the response.
func (p *PyPIStats) project(
	ctx context.Context, name, document string, query url.Values, out any, named *string,
) (known bool, err error) {
	err = p.get(ctx, "/api/packages/"+escape(registry.PyPIName(name))+"/"+document, query, out)
	if errors.Is(err, errNoEntry) {
		return false, nil
	}
	if e, ok := errors.AsType[*transport.ResponseError](err); ok &&
		e.Status == http.StatusNotFound {
		return false, nil // an HTML response
	}
	if err != nil {
		return false, err
	}
	if *named != "" && registry.PyPIName(*named) != registry.PyPIName(name) {
		return false, p.unusable("response is about another project")
	}
	return true, nil
}

// maxBehind is the maximum number of days by which counts may lag behind.
const maxBehind = 3

// sumDays adds up the last 30 known days, and the 30 days before if older ones are known. It
// reports false if the last days are unknown.
func sumDays(days map[string]int64, now time.Time) (c Count, ok bool) {
	first, end := "", ""
	for date := range days {
		if end = max(end, date); first == "" || date < first {
			first = date
		}
	}
	if end < now.UTC().AddDate(0, 0, -maxBehind).Format(time.DateOnly) {
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
